import { expect, it } from 'vitest';
import { countWithin, firstWithin } from '../../../src/core/time-window.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const MINUTE_MS = 60_000;

it('keeps the first value until its window ends', async () => {
  expect(await firstWithin(redis(), MINUTE_MS, 'key', 'a')).toBe('a');
  expect(await firstWithin(redis(), 10 * MINUTE_MS, 'key', 'b')).toBe('a');

  expect(await redis().pttl('key'), 'the window stays').toBeLessThanOrEqual(MINUTE_MS);
  await redis().del('key');
  expect(await firstWithin(redis(), MINUTE_MS, 'key', 'b')).toBe('b');
});

it('counts each value once, in a window that begins with the first', async () => {
  expect(await countWithin(redis(), MINUTE_MS, 'key', 'a')).toBe(1);
  expect(await countWithin(redis(), 10 * MINUTE_MS, 'key', 'b')).toBe(2);
  expect(await countWithin(redis(), MINUTE_MS, 'key', 'a')).toBe(2);

  expect(await redis().pttl('key'), 'the window stays').toBeLessThanOrEqual(MINUTE_MS);
});
