import { expect, it } from 'vitest';
import { createDryRun } from '../../../bin/recover/dry-run.ts';
import { FETCHED_PATH, type TransactionEvent } from '../../../src/core/event.ts';
import { quarantine } from '../../../src/webhooks/quarantine.ts';
import { read } from '../../src/webhooks/read.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();

it('counts what was missed, not what the card service does not send, and stores nothing', async () => {
  const receivedAt = new Date().toISOString();
  const event = (NetworkTransactionId: number): TransactionEvent => ({
    ...(read('decline', { NetworkTransactionId }) as TransactionEvent),
    occurredAt: receivedAt,
    requestedAt: receivedAt,
  });
  const row = (a: number) => quarantine({ a }, { path: FETCHED_PATH, issues: ['x'], version: undefined, receivedAt });
  const { intake, recoveries } = createDryRun({ redisShards: 1 }, redis(), () => new Date());

  expect(await intake.take('gap_1', [event(1), event(2)], true)).toBe(2);
  expect(await intake.take('gap_1', [event(3)], false)).toBe(0);
  expect(await intake.quarantineRows('gap_1', [row(1)], true)).toBe(1);
  expect(await intake.quarantineRows('gap_1', [row(2)], false)).toBe(0);

  expect(await recoveries.read('gap_1')).toMatchObject({ recovered: 2, unreadable: 1 });
  expect(await redis().keys('*')).toEqual([]);
});
