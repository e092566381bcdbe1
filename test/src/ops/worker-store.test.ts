import { expect, it } from 'vitest';
import { createWorkers } from '../../../src/ops/worker-store.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const START_MS = Date.parse('2026-11-20T15:00:00Z');

it('lists the workers that beat within the last 45 seconds, with what each sees', async () => {
  let nowMs = START_MS;
  const workers = createWorkers(redis(), () => nowMs);
  await workers.beat('one', { atMs: nowMs, isCardApiAway: false });
  nowMs += 40_000;
  await workers.beat('two', { atMs: nowMs, isCardApiAway: true });

  expect(await workers.all()).toHaveLength(2);
  nowMs += 6000;
  expect(await workers.all()).toEqual([{ atMs: START_MS + 40_000, isCardApiAway: true }]);
});

it('forgets a worker that was silent, also when the clock is put back', async () => {
  let nowMs = START_MS;
  const workers = createWorkers(redis(), () => nowMs);
  await workers.beat('one', { atMs: nowMs, isCardApiAway: false });
  nowMs += 45_001;
  await workers.all();
  nowMs = START_MS;

  expect(await workers.all()).toEqual([]);
});

it('forgets a worker that says goodbye at once', async () => {
  const workers = createWorkers(redis(), () => START_MS);
  await workers.beat('one', { atMs: START_MS, isCardApiAway: false });

  await workers.gone('one');

  expect(await workers.all()).toEqual([]);
});
