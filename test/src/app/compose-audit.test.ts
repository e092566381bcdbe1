import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../../local/redis.ts';
import { createLog } from '../../../src/core/log.ts';
import { connectPatient, type RedisClient, whenReady } from '../../../src/core/redis.ts';
import { statement } from '../../support/audit-records.ts';
import { inFlight, openRequestOf } from '../../support/limit-requests.ts';
import { openWorkerContext } from '../../support/worker-context.ts';

const log = createLog({ level: 'silent', process: 'test' });
let server: LocalRedis;
let redis: RedisClient;

beforeAll(async () => {
  server = await startRedis();
  redis = connectPatient({ urls: [server.url], log, name: 'test' });
  await whenReady(redis, 5000);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

it('the record of what was approved names the approvers, also of an order, which concerns no card yet', async () => {
  const { context, close } = await openWorkerContext(redis, server.url);
  await context.requests.add(openRequestOf({ inFlight: [inFlight('begun')] }));
  const made = { ...statement('act_ben'), acctId: null, cardId: null, alertId: null, channel: null };

  await context.audit.append({ ...made, verb: 'order-virtual' });
  await context.audit.append({ ...made, verb: 'order-virtual', actionId: 'act_alone' });

  const found = [];
  for await (const { record } of context.audit.read()) found.push(record?.approvers);
  expect(found).toEqual([['U0BEN'], undefined]);
  await close();
}, 30_000);
