import { expect, it } from 'vitest';
import { createCountNew } from '../../../bin/recover/dry-run.ts';
import { createLateIntake } from '../../../src/intake/take-late.ts';
import { read } from '../../src/webhooks/read.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const event = (NetworkTransactionId: number) => read('decline', { NetworkTransactionId });

it.each([1, 16])('counts the events that were not stored, over %i shards, and stores nothing', async (shards) => {
  const countNew = createCountNew(redis(), shards);
  const late = createLateIntake(redis(), () => true, shards);
  await late.take('gap_1', [event(1)]);

  expect(await countNew([event(1), event(61)])).toBe(1);
  expect(await countNew([event(1), event(61)])).toBe(1);
  await late.take('gap_1', [event(61)]);
  expect(await countNew([event(1), event(61)])).toBe(0);
});
