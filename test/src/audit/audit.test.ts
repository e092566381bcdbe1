import { expect, it } from 'vitest';
import { verifyChain } from '../../../bin/audit/verify-chain.ts';
import { type AuditEntry, createAudit, createAuditReader } from '../../../src/audit/audit.ts';
import type { Log } from '../../../src/core/log.ts';
import { statement as record, signer } from '../../support/audit-records.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();

const audit = (over: Partial<Parameters<typeof createAudit>[0]> = {}) =>
  createAudit({ redis: redis(), sign: signer.sign, inForce: () => ({ twoPersonAboveCents: 100_000 }), ...over });

async function chain(): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for await (const entry of createAuditReader(redis()).read()) entries.push(entry);
  return entries;
}

it('chains each record to the previous one, even with concurrent writers', async () => {
  const writers = [audit(), audit(), audit()];

  await Promise.all(Array.from({ length: 60 }, (_, i) => writers[i % 3]?.append(record(`act_${i}`))));

  const entries = await chain();
  expect(new Set(entries.map((entry) => entry.record?.actionId)).size).toBe(60);
  const verdict = await verifyChain(audit().read(), await audit().head(), { isSigned: signer.verify });
  expect(verdict).toMatchObject({ faults: [], end: { count: 60 } });
});

it('records the same statement once, however often it is made', async () => {
  await audit().append(record('act_a'));
  await audit().append({ ...record('act_a'), at: '2026-03-04T15:00:09.000Z' });
  await audit().append({ ...record('act_a'), event: 'confirmed' });

  expect((await chain()).map((entry) => entry.record?.event)).toEqual(['done', 'confirmed']);
});

it('stores the current policy with each record, and does not repeat a statement if the policy changed', async () => {
  let inForce = { twoPersonAboveCents: 100_000, policy: { version: 'pol_1', words: 'one' } };
  const writer = audit({ inForce: () => inForce });

  await writer.append(record('act_a'));
  inForce = { twoPersonAboveCents: 5000, policy: { version: 'pol_2', words: 'two' } };
  await writer.append(record('act_a'));
  await writer.append(record('act_b'));

  expect((await chain()).map((entry) => entry.record)).toMatchObject([
    { actionId: 'act_a', twoPersonAboveCents: 100_000, policy: { version: 'pol_1' } },
    { actionId: 'act_b', twoPersonAboveCents: 5000, policy: { version: 'pol_2' } },
  ]);
});

it('stores a link to the message and logs the head', async () => {
  const logged: object[] = [];
  const log = { info: (fields: object) => void logged.push(fields) } as unknown as Log;
  const permalink = async (channel: string, ts: string) => `https://x.slack.com/archives/${channel}/p${ts}`;

  await audit({ permalink, log }).append({ ...record('act_a'), messageTs: '12' });

  const [entry] = await chain();
  expect(entry?.record?.permalink).toBe('https://x.slack.com/archives/C1/p12');
  expect(logged).toEqual([expect.objectContaining({ record: 1, auditHead: entry?.hash })]);
});

it('stores the cardholder, last four digits and merchant, and does not repeat a statement if these changed', async () => {
  const described = [{ holder: 'Sam Rivera', last4: '1234', merchant: 'Corner Diner' }, { holder: 'S. Rivera' }];
  const writer = audit({ describe: async () => described.shift() ?? {} });

  await writer.append(record('act_a'));
  await writer.append(record('act_a'));

  expect((await chain()).map((entry) => entry.record)).toMatchObject([
    { holder: 'Sam Rivera', last4: '1234', merchant: 'Corner Diner' },
  ]);
});

it('signs each record', async () => {
  await audit().append(record('act_a'));

  const [entry] = await chain();
  expect(signer.verify(entry?.hash ?? '', entry?.signature)).toBe(true);
});

it('is read in pages from any record', async () => {
  for (let i = 0; i < 520; i += 1) await audit().append(record(`act_${i}`));

  const numbers: number[] = [];
  for await (const { number } of audit().read({ from: 511 })) numbers.push(number);

  expect(numbers).toEqual([511, 512, 513, 514, 515, 516, 517, 518, 519, 520]);
});
