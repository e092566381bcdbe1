import { expect, it } from 'vitest';
import { createDryRun } from '../../../bin/recover/dry-run.ts';
import { FETCHED_PATH, type TransactionEvent } from '../../../src/core/event.ts';
import { quarantine } from '../../../src/webhooks/quarantine.ts';
import { read } from '../../src/webhooks/read.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();

it('counts what would be recovered, and of that what the card service does not send, and stores nothing', async () => {
  const receivedAt = new Date().toISOString();
  const event = (NetworkTransactionId: number): TransactionEvent => ({
    ...(read('decline', { NetworkTransactionId }) as TransactionEvent),
    occurredAt: receivedAt,
    requestedAt: receivedAt,
  });
  const row = (a: number) => quarantine({ a }, { path: FETCHED_PATH, issues: ['x'], version: undefined, receivedAt });
  const { intake, recoveries } = createDryRun({ redisShards: 1 }, redis(), () => new Date());

  expect(await intake.take('gap_1', [event(1), event(2)], () => false)).toBe(2);
  expect(await intake.take('gap_1', [event(3)], () => true)).toBe(1);
  expect(await intake.quarantineRows('gap_1', [row(1)])).toBe(1);

  expect(await recoveries.read('gap_1')).toMatchObject({ recovered: 3, unsent: 1, unreadable: 1 });
  expect(await redis().keys('*')).toEqual([]);
});
