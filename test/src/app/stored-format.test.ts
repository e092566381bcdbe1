import { expect, it } from 'vitest';
import { claimFormat, FORMAT, readShards, whyNotShards } from '../../../src/app/stored-format.ts';
import { stateKey } from '../../../src/core/keys.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const stored = async (): Promise<string | null> => await redis().get(stateKey('format'));

it('a build writes its format into an empty Redis, and starts again with it', async () => {
  await claimFormat(redis(), 1, 3);
  await claimFormat(redis(), 1, 3);

  expect(await stored()).toBe('3');
});

it.each([3, 4])('a build of format 5 reads format %i and makes it its own', async (format) => {
  await redis().set(stateKey('format'), format);

  await claimFormat(redis(), 1, 5);

  expect(await stored()).toBe('5');
});

it.each([1, 2])('format %i was never released: it is refused, and left as it is', async (format) => {
  await redis().set(stateKey('format'), format);

  await expect(claimFormat(redis())).rejects.toThrow(/expected data of format 3 or newer, .* before the first release/);

  expect(await stored()).toBe(String(format));
});

it('the number of shards is stored at the first start; what is there without one is not split', async () => {
  await claimFormat(redis(), 16);
  await claimFormat(redis(), 16);
  expect(await readShards(redis())).toBe(16);

  await redis().flushall();
  await claimFormat(redis());
  expect(await readShards(redis())).toBe(1);
  expect(await stored(), 'as before there were shards').toBe(String(FORMAT));
});

it.each([
  [16, 1],
  [1, 16],
  [4, 16],
])('a process is refused where there are %i shards and it has %i, and changes nothing', async (there, its) => {
  await claimFormat(redis(), there);
  const before = await stored();

  await expect(claimFormat(redis(), its)).rejects.toThrow(
    new RegExp(`REDIS_SHARDS: expected ${there}, .*cardbell shards .*Nothing was changed`),
  );

  expect(await stored()).toBe(before);
});

it('an empty Redis takes any number of shards', async () => {
  expect(await whyNotShards(redis(), 16)).toBeNull();
  await claimFormat(redis());

  expect(await whyNotShards(redis(), 1)).toBeNull();
  expect(await whyNotShards(redis(), 16)).toMatch(/^REDIS_SHARDS: expected 1,/);
});

it('a newer build keeps the number of shards, and an older one is told of the format', async () => {
  await claimFormat(redis(), 16, 3);
  await claimFormat(redis(), 16, 4);
  expect(await readShards(redis())).toBe(16);

  await expect(claimFormat(redis(), 16, 3)).rejects.toThrow(/a newer Cardbell wrote format 4/);
});

it('a build that knows no shards does not start on data that is split: its number is higher than any format', async () => {
  await claimFormat(redis(), 2);

  expect(Number(await stored())).toBeGreaterThan(100);
});

it('an older build is refused with the format that it would need, and changes nothing', async () => {
  await claimFormat(redis(), 1, 4);

  await expect(claimFormat(redis(), 1, 3)).rejects.toThrow(/a newer Cardbell wrote format 4.*Nothing was changed/);
  expect(await stored()).toBe('4');
});

it('data of more than two formats ago is refused: a version in between has to read it first', async () => {
  await redis().set(stateKey('format'), 3);

  await expect(claimFormat(redis(), 1, 6)).rejects.toThrow(/it is format 3.*Start a version in between/);
  expect(await stored()).toBe('3');
});
