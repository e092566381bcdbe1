import { expect, it } from 'vitest';
import { claimFormat } from '../../../src/app/stored-format.ts';
import { stateKey } from '../../../src/core/keys.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const stored = async (): Promise<string | null> => await redis().get(stateKey('format'));

it('a build writes its format into an empty Redis, and starts again with it', async () => {
  await claimFormat(redis(), 3);
  await claimFormat(redis(), 3);

  expect(await stored()).toBe('3');
});

it.each([1, 2])('a build of format 3 reads format %i and makes it its own', async (format) => {
  await redis().set(stateKey('format'), format);

  await claimFormat(redis(), 3);

  expect(await stored()).toBe('3');
});

it('an older build is refused with the format that it would need, and changes nothing', async () => {
  await claimFormat(redis(), 4);

  await expect(claimFormat(redis(), 3)).rejects.toThrow(/a newer Cardbell wrote format 4.*Nothing was changed/);
  expect(await stored()).toBe('4');
});

it('data of more than two formats ago is refused: a version in between has to read it first', async () => {
  await redis().set(stateKey('format'), 1);

  await expect(claimFormat(redis(), 4)).rejects.toThrow(/it is format 1.*Start a version in between/);
  expect(await stored()).toBe('1');
});
