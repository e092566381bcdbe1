import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { lastBeat } from '../../../bin/shards/last-beat.ts';
import { stateKey, webKeys } from '../../../src/core/keys.ts';
import { createLog } from '../../../src/core/log.ts';
import { startHeartbeat } from '../../../src/intake/heartbeat.ts';
import { createWorkers } from '../../../src/ops/health.ts';
import { useRedis } from '../../support/on-redis.ts';
import { until } from '../../support/until.ts';

const log = createLog({ level: 'silent', process: 'test' });
const redis = useRedis();

beforeEach(async () => {
  await redis().config('SET', 'maxmemory', '0');
});

afterEach(() => void vi.useRealTimers());

it('finds no process in an empty Redis, and none that went long ago', async () => {
  expect(await lastBeat(redis())).toBeNull();

  await redis().set(webKeys.alive, Date.now() - 60_000);

  expect(await lastBeat(redis())).toBeNull();
});

it('finds a web process', async () => {
  const atMs = Date.now();
  await redis().set(webKeys.alive, atMs);

  expect(await lastBeat(redis())).toBe(atMs);
});

it('finds a web process that takes nothing because Redis is full', async () => {
  await redis().config('SET', 'maxmemory', '1');
  const heart = startHeartbeat(redis(), log, { beatMs: 20, isTaking: () => false });

  await until(async () => (await lastBeat(redis())) !== null, 'it is found');

  heart.stop();
  expect(await redis().exists(webKeys.open)).toBe(0);
});

it('finds a web process whose beats a full Redis refuses', async () => {
  await redis().config('SET', 'maxmemory', '1');
  const heart = startHeartbeat(redis(), log, { beatMs: 20 });

  await until(async () => (await lastBeat(redis())) !== null, 'it is found');

  heart.stop();
});

it('finds a worker of a full Redis', async () => {
  await redis().config('SET', 'maxmemory', '1');
  await expect(redis().set(stateKey('anything'), 1)).rejects.toThrow('OOM');

  await createWorkers(redis()).beat('one', { isCardApiAway: false });

  expect(await lastBeat(redis())).toBeCloseTo(Date.now(), -4);
});

it.each([
  ['ahead', 3_600_000],
  ['behind', -3_600_000],
])('finds a worker although the clock of this machine is an hour %s', async (_how, ms) => {
  await createWorkers(redis()).beat('one', { isCardApiAway: false });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });

  expect(await lastBeat(redis())).not.toBeNull();
});
