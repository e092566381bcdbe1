import type { Redis } from 'ioredis';
import { afterEach, expect, it, vi } from 'vitest';
import { watchData } from '../../../src/app/watch-data.ts';
import { webKeys } from '../../../src/core/keys.ts';
import { createLog } from '../../../src/core/log.ts';
import { useRedis } from '../../support/on-redis.ts';
import { until } from '../../support/until.ts';

const redis = useRedis();
const opened: Redis[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const each of opened.splice(0)) each.disconnect();
});

async function watch(onGone: () => Promise<void> = async () => {}) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const lines: { level: string; msg: string }[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as (typeof lines)[number]);
  const own = redis().duplicate() as Redis;
  opened.push(own);
  const looks = vi.spyOn(own, 'get');
  const calls = vi.fn(onGone);
  watchData(own, createLog({ level: 'info', process: 'test', destination: { write } }), calls);
  const looked = async (): Promise<void> => {
    await until(() => looks.mock.calls.length > 0, 'it looks');
    await looks.mock.results.at(-1)?.value;
    await own.ping();
  };
  await looked();
  return {
    calls,
    fatal: () => lines.filter(({ level }) => level === 'fatal').length,
    lines,
    own,
    looked,
    async later() {
      looks.mockClear();
      await vi.advanceTimersByTimeAsync(5000);
      await looked();
    },
  };
}

it('says at a first start that Redis has no data yet, and nothing when the first data arrives', async () => {
  const { lines, calls, later } = await watch();
  await redis().set(webKeys.since, 1000);
  await later();
  await later();

  expect(lines).toMatchObject([{ level: 'info', msg: expect.stringContaining('redis has no data yet') }]);
  expect(calls).not.toHaveBeenCalled();
});

it.each([
  ['it is still empty', null],
  ['web has written to it again', 2000],
])('reports once that Redis was emptied while the connection stayed open, if %s', async (_what, sinceMs) => {
  await redis().set(webKeys.since, 1000);
  const { calls, fatal, later } = await watch();
  expect(fatal()).toBe(0);

  await redis().flushall();
  if (sinceMs !== null) await redis().set(webKeys.since, sinceMs);
  await later();
  await redis().set(webKeys.since, 2000);
  await later();

  expect(calls).toHaveBeenCalledTimes(1);
  expect(fatal()).toBe(1);
});

it('reports at once if an empty Redis answers after the connection was lost', async () => {
  await redis().set(webKeys.since, 1000);
  const { calls, own } = await watch();

  await redis().flushall();
  own.disconnect(true);

  await until(() => calls.mock.calls.length === 1, 'it is reported');
});

it('reports again later if the report failed', async () => {
  await redis().set(webKeys.since, 1000);
  const { calls, later } = await watch(async () => {
    if (calls.mock.calls.length === 1) throw new Error('Redis is away');
  });

  await redis().flushall();
  await later();
  await later();
  await later();

  expect(calls).toHaveBeenCalledTimes(2);
});

it('accepts a restored backup, which is older', async () => {
  await redis().set(webKeys.since, 1000);
  const { calls, later } = await watch();

  await redis().flushall();
  await later();
  await redis().set(webKeys.since, 2000);
  await later();
  await redis().set(webKeys.since, 1000);
  await later();

  expect(calls).toHaveBeenCalledTimes(1);
});
