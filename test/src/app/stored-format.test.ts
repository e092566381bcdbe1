import type { Redis } from 'ioredis';
import { expect, it, vi } from 'vitest';
import { EX_CONFIG } from '../../../src/app/config.ts';
import {
  claimFormat,
  FORMAT,
  readShards,
  watchFormat,
  whyNotShards,
  writeShards,
} from '../../../src/app/stored-format.ts';
import { stateKey } from '../../../src/core/keys.ts';
import { createLog } from '../../../src/core/log.ts';
import { whyUnusable } from '../../../src/core/redis.ts';
import { useRedis } from '../../support/on-redis.ts';
import { until } from '../../support/until.ts';

const redis = useRedis();
const stored = async (): Promise<string | null> => await redis().get(stateKey('format'));

it('writes the build’s format into an empty Redis and accepts it at the next start', async () => {
  await claimFormat(redis(), 1, 4);
  await claimFormat(redis(), 1, 4);

  expect(await stored()).toBe('4');
});

it.each([4, 5])('upgrades format %i to format 6', async (format) => {
  await redis().set(stateKey('format'), format);

  await claimFormat(redis(), 1, 6);

  expect(await stored()).toBe('6');
});

it.each([1, 2, 3])('rejects format %i, which was never released, and leaves it unchanged', async (format) => {
  await redis().set(stateKey('format'), format);

  await expect(claimFormat(redis())).rejects.toThrow(/expected data of format 4 or newer, .* before the first release/);

  expect(await stored()).toBe(String(format));
});

it('stores the number of shards at the first start, and treats data without one as unsharded', async () => {
  await claimFormat(redis(), 16);
  await claimFormat(redis(), 16);
  expect(await readShards(redis())).toBe(16);

  await redis().flushall();
  await claimFormat(redis());
  expect(await readShards(redis())).toBe(1);
  expect(await stored(), 'the same as before shards existed').toBe(String(FORMAT));
});

it.each([
  [16, 1],
  [1, 16],
  [4, 16],
])('rejects a process, without changes, if the data has %i shards and the process %i', async (there, its) => {
  await claimFormat(redis(), there);
  const before = await stored();

  await expect(claimFormat(redis(), its)).rejects.toThrow(
    new RegExp(`REDIS_SHARDS: expected ${there}, .*cardbell shards .*Nothing was changed`),
  );

  expect(await stored()).toBe(before);
});

it('accepts any number of shards on an empty Redis', async () => {
  expect(await whyNotShards(redis(), 16)).toBeNull();
  await claimFormat(redis());

  expect(await whyNotShards(redis(), 1)).toBeNull();
  expect(await whyNotShards(redis(), 16)).toMatch(/^REDIS_SHARDS: expected 1,/);
});

it('keeps the number of shards in a newer build, and reports the format to an older one', async () => {
  await claimFormat(redis(), 16, 4);
  await claimFormat(redis(), 16, 5);
  expect(await readShards(redis())).toBe(16);

  await expect(claimFormat(redis(), 16, 4)).rejects.toThrow(/a newer Cardbell wrote format 5/);
});

it('prevents a build without shards from starting on sharded data, by a number above any format', async () => {
  await claimFormat(redis(), 2);

  expect(Number(await stored())).toBeGreaterThan(100);
});

it('rejects an older build, naming the stored format, and changes nothing', async () => {
  await claimFormat(redis(), 1, 5);

  await expect(claimFormat(redis(), 1, 4)).rejects.toThrow(/a newer Cardbell wrote format 5.*Nothing was changed/);
  expect(await stored()).toBe('5');
});

it('rejects data more than two formats old, because a version in between has to read it first', async () => {
  await redis().set(stateKey('format'), 4);

  await expect(claimFormat(redis(), 1, 7)).rejects.toThrow(/it is format 4.*Start a version in between/);
  expect(await stored()).toBe('4');
});

it('ends with what was expected if Redis refuses the user, and changes nothing', async () => {
  const own = stateKey('worker-probe');
  await redis().call(
    'ACL',
    'SETUSER',
    'web',
    'on',
    'nopass',
    '~{cardbell:state}:format',
    '~{cardbell:in}:*',
    '+@all',
    '-@dangerous',
    '+info',
  );
  await redis().call('ACL', 'SETUSER', 'worker', 'on', 'nopass', '~{cardbell:*', '+@all', '-@dangerous', '+info');
  const [web, worker] = ['web', 'worker'].map((username) => redis().duplicate({ username, password: 'any' }));
  const log = createLog({ level: 'silent', process: 'test' });

  await expect(watchFormat(web as Redis, 1, log, [own])).rejects.toThrow(
    /REDIS_URL: expected a Redis user with the rights/,
  );
  expect(await stored()).toBeNull();
  expect(await whyUnusable(web as Redis)).toBeNull();
  expect(await whyUnusable(web as Redis, [own])).toBe('redis refuses this user');

  await watchFormat(worker as Redis, 1, log, [own]);
  expect(await stored()).toBe(String(FORMAT));
  expect(await whyUnusable(worker as Redis, [own])).toBeNull();
  for (const each of [web, worker]) each?.disconnect();
  await redis().call('ACL', 'DELUSER', 'web', 'worker');
});

it('reads the format again if Redis was too slow to say it, although the connection stayed open', async () => {
  const process = redis().duplicate() as Redis;
  const slow = vi.spyOn(process, 'select').mockRejectedValueOnce(new Error('Command timed out'));

  await watchFormat(process, 1, createLog({ level: 'silent', process: 'test' }));

  await until(async () => (await stored()) === String(FORMAT), 'the format is stored');
  expect(slow).toHaveBeenCalledTimes(2);
  process.disconnect();
});

it('exits once the data was moved to other shards while the connection stayed open', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const ended = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  const slept = redis().duplicate() as Redis;
  const log = createLog({ level: 'silent', process: 'test' });
  try {
    await watchFormat(slept, 1, log);
    await vi.advanceTimersByTimeAsync(5000);
    await slept.ping();
    expect(ended).not.toHaveBeenCalled();

    await writeShards(redis(), 4);
    await vi.advanceTimersByTimeAsync(5000);

    await until(() => ended.mock.calls.length > 0, 'the process exits');
    expect(ended).toHaveBeenCalledWith(EX_CONFIG);
    expect(await readShards(redis())).toBe(4);
  } finally {
    vi.useRealTimers();
    vi.restoreAllMocks();
    slept.disconnect();
  }
});
