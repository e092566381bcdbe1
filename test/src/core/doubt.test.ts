import { afterEach, expect, it, vi } from 'vitest';
import { type LocalRedis, startRedis } from '../../../local/redis.ts';
import { createDoubt } from '../../../src/core/doubt.ts';
import { restoredKey, webKeys } from '../../../src/core/keys.ts';
import { createLog } from '../../../src/core/log.ts';
import { connectPatient, type RedisClient, whenReady } from '../../../src/core/redis.ts';

let server: LocalRedis;
let redis: RedisClient;

afterEach(async () => {
  vi.restoreAllMocks();
  redis.disconnect();
  await server.stop();
});

/** @param firstRanMs when Cardbell first ran, as a Redis that has just been started remembers it; null: it does not. */
async function start(firstRanMs: number | null) {
  server = await startRedis();
  redis = connectPatient({ urls: [server.url], log: createLog({ level: 'silent', process: 'test' }), name: 'test' });
  await whenReady(redis, 5000);
  if (firstRanMs !== null) await redis.set(webKeys.since, firstRanMs);
  return createDoubt(redis);
}

function later(ms: number): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ms);
}

it.each([
  ['has nothing', null, false],
  ['has what was written after its start', Date.now() + 60_000, false],
  ['has what was written before its start', Date.now() - 60_000, true],
])(
  'a process that has just started doubts a Redis that has just started and %s: %s, %s',
  async (_what, ms, isDoubted) => {
    const doubt = await start(ms);

    await doubt.look({ isOther: false, isNew: true });

    expect(doubt.sinceMs() !== null).toBe(isDoubted);
  },
);

it('a process that has run for longer doubts a Redis only when it is another one, for two minutes', async () => {
  const doubt = await start(Date.now() - 60_000);

  await doubt.look({ isOther: false, isNew: false });
  expect(doubt.sinceMs(), 'the same one').toBeNull();

  await doubt.look({ isOther: true, isNew: false });
  expect(doubt.sinceMs(), 'another one').not.toBeNull();

  later(121_000);
  expect(doubt.sinceMs(), 'after two minutes').toBeNull();
});

it('doubts what was posted since the backup that was restored, for as long as it says', async () => {
  const doubt = await start(null);
  await redis.set(restoredKey, 1_700_000_000_000, 'PX', 60_000);

  await doubt.look({ isOther: false, isNew: false });
  expect([doubt.restoredFromMs(), doubt.sinceMs() !== null]).toEqual([1_700_000_000_000, true]);
  const firstSince = doubt.sinceMs();
  await doubt.look({ isOther: false, isNew: false });
  expect(doubt.sinceMs(), 'noticed once').toBe(firstSince);

  later(61_000);
  expect([doubt.restoredFromMs(), doubt.sinceMs()]).toEqual([null, null]);
});
