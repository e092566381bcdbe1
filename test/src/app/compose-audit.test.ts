import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRecords } from '../../../src/directory/records.ts';
import { statement } from '../../support/audit-records.ts';
import { accountOf } from '../../support/directories.ts';
import { inFlight, openRequestOf } from '../../support/limit-requests.ts';
import { usePatientRedis } from '../../support/patient-redis.ts';
import { openWorkerContext } from '../../support/worker-context.ts';

const server = usePatientRedis();

it('the record of what was approved names the approvers, also of an order, which concerns no card yet', async () => {
  const { context, close } = await openWorkerContext(server().redis, server().url);
  await context.requests.add(openRequestOf({ inFlight: [inFlight('begun')] }));
  const made = { ...statement('act_ben'), acctId: null, cardId: null, alertId: null, channel: null };

  await context.audit.append({ ...made, verb: 'order-virtual' });
  await context.audit.append({ ...made, verb: 'order-virtual', actionId: 'act_alone' });

  const found = [];
  for await (const { record } of context.audit.read()) found.push(record?.approvers);
  expect(found).toEqual([['U0BEN'], undefined]);
  await close();
}, 30_000);

it('the record says from which amount on the card’s group, or an order, needed two people', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'policy-')), 'policy.yaml');
  const groups = 'groups: [{ cards: [Sales], amounts: [{ up_to: 100, approvals: 1 }, { approvals: 2 }] }]';
  writeFileSync(file, `version: 1\norders: [{ up_to: 200, approvals: 1 }, { approvals: 2 }]\n${groups}\n`);
  const { context, close } = await openWorkerContext(server().redis, server().url, { env: { POLICY_FILE: file } });
  const [ofSales, ofNone] = [accountOf({ acctId: 41, group: 'Sales' }), accountOf({ acctId: 42 })];
  await createRecords(server().redis).change([41, 42], (_stored, acctId) => (acctId === 41 ? ofSales : ofNone));
  const from: number[] = [];
  const done = { ...statement('act_limit'), cardId: null, alertId: null, channel: null };

  await context.audit.append({ ...done, acctId: 41 });
  await context.audit.append({ ...done, acctId: 42 });
  await context.audit.append({ ...done, acctId: null, verb: 'order-virtual' });

  for await (const { record } of context.audit.read()) from.push(record?.twoPersonAboveCents ?? 0);
  expect(from.slice(-3)).toEqual([10_000, 100_000, 20_000]);
  await close();
}, 30_000);
