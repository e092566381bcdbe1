import { afterEach, expect, it, vi } from 'vitest';
import { type LocalRedis, startRedis } from '../../../local/redis.ts';
import { createDataLossWindow, startRestoredTime } from '../../../src/core/data-loss-window.ts';
import { restoredKey, webKeys } from '../../../src/core/keys.ts';
import { createLog } from '../../../src/core/log.ts';
import { connectPatient, type RedisClient, whenReady } from '../../../src/core/redis.ts';
import { until } from '../../support/until.ts';

let server: LocalRedis;
let redis: RedisClient;

const [one, other] = [new Set(['a1b2']), new Set(['c3d4'])];

afterEach(async () => {
  vi.restoreAllMocks();
  redis.disconnect();
  await server.stop();
});

/** @param firstRanMs when Cardbell first ran according to a Redis that just started; null if Redis has no record of it. */
async function start(firstRanMs: number | null) {
  server = await startRedis();
  redis = connectPatient({ urls: [server.url], log: createLog({ level: 'silent', process: 'test' }), name: 'test' });
  await whenReady(redis, 5000);
  if (firstRanMs !== null) await redis.set(webKeys.since, firstRanMs);
  return createDataLossWindow(redis);
}

function later(ms: number): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ms);
}

it.each([
  ['has no data', null, false],
  ['has data written after its start', Date.now() + 60_000, false],
  ['has data written before its start', Date.now() - 60_000, true],
])('a new process doubts a new Redis that %s: %s, %s', async (_what, ms, isDoubted) => {
  const lossWindow = await start(ms);

  await lossWindow.check(false, one);

  expect(lossWindow.sinceMs() !== null).toBe(isDoubted);
});

it('a new process doubts a server that took over while no process ran, and so does each that starts in the next two minutes', async () => {
  const before = await start(null);
  await before.check(false, one);
  await until(async () => (await redis.exists(webKeys.servers)) === 1, 'the server is stored');

  const again = createDataLossWindow(redis);
  await again.check(false, one);
  expect(again.sinceMs(), 'the same server').toBeNull();

  const first = createDataLossWindow(redis);
  await first.check(false, other);
  await first.check(false, other);
  const second = createDataLossWindow(redis);
  await second.check(false, other);
  expect([first.sinceMs(), second.sinceMs()]).toEqual([expect.any(Number), expect.any(Number)]);

  later(121_000);
  expect(first.sinceMs(), 'after two minutes').toBeNull();
  await first.check(false, other);
  await until(async () => (await redis.get(webKeys.servers)) === 'c3d4', 'the new server is stored');
  const third = createDataLossWindow(redis);
  await third.check(false, other);
  expect(third.sinceMs()).toBeNull();
});

it('an older process doubts a Redis only if it is another server, for two minutes', async () => {
  const lossWindow = await start(null);
  await lossWindow.check(false, one);
  await redis.set(webKeys.since, Date.now() - 60_000);

  await lossWindow.check(false, one);
  expect(lossWindow.sinceMs(), 'the same server').toBeNull();

  await lossWindow.check(true, other);
  expect(lossWindow.sinceMs(), 'another server').not.toBeNull();

  later(121_000);
  expect(lossWindow.sinceMs(), 'after two minutes').toBeNull();
});

it('doubts messages posted since a restored backup, for as long as the restore marker lasts', async () => {
  const lossWindow = await start(null);
  await redis.set(restoredKey, 1_700_000_000_000, 'PX', 60_000);

  await lossWindow.check(false, one);
  expect([lossWindow.restoredFromMs(), lossWindow.sinceMs() !== null]).toEqual([1_700_000_000_000, true]);
  const firstSince = lossWindow.sinceMs();
  await lossWindow.check(false, one);
  expect(lossWindow.sinceMs(), 'noticed once').toBe(firstSince);

  later(61_000);
  expect([lossWindow.restoredFromMs(), lossWindow.sinceMs()]).toEqual([null, null]);
});

it('doubts messages posted since a restored backup until half an hour after a worker first started', async () => {
  const lossWindow = await start(null);
  await redis.set(restoredKey, 1_700_000_000_000);

  await lossWindow.check(false, one);
  expect(lossWindow.restoredFromMs()).toBe(1_700_000_000_000);

  startRestoredTime(redis);
  await until(async () => (await redis.pttl(restoredKey)) > 29 * 60_000, 'the time has begun');
  await redis.pexpire(restoredKey, 60_000);
  startRestoredTime(redis);
  await lossWindow.check(false, one);
  expect(await redis.pttl(restoredKey), 'another worker does not start it again').toBeLessThanOrEqual(60_000);
  later(61_000);
  expect(lossWindow.restoredFromMs()).toBeNull();
});

it('web does not end the doubt of a worker that starts long after it', async () => {
  const before = await start(null);
  await before.check(false, one);
  await until(async () => (await redis.exists(webKeys.servers)) === 1, 'the server is stored');

  const web = createDataLossWindow(redis, false);
  await web.check(false, other);
  later(121_000);
  await web.check(false, other);
  const worker = createDataLossWindow(redis);
  await worker.check(false, other);

  expect(worker.sinceMs()).not.toBeNull();
});
