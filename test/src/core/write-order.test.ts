import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createLock } from '../../../src/core/lock.ts';
import { createWriteOrder } from '../../../src/core/write-order.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const create = () => createWriteOrder(redis(), createLock(redis()));

it('numbers the writes of a subject in order, even within a millisecond', async () => {
  const { note } = create();

  const numbers = await Promise.all(Array.from({ length: 20 }, () => note('a')));

  expect(new Set(numbers).size).toBe(20);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
});

it.each([
  ['the older one first', ['older', 'newer']],
  ['the newer one first', ['newer', 'older']],
])('keeps the newest write, whichever is repeated first: %s', async (_what, order) => {
  const { note, ifNewest } = create();
  const numbers: Record<string, number> = { older: await note('a'), newer: await note('a') };
  // Redis comes back older, so the order is lost too.
  await redis().flushall();

  for (const write of order) await ifNewest('a', numbers[write] ?? 0, () => redis().set('a', write));

  expect(await redis().get('a')).toBe('newer');
});

it('keeps the newest write even if Redis was down for longer than numbers are kept', async () => {
  const { note, ifNewest } = create();
  const longAgo = Date.now() - 20 * 60_000;

  await ifNewest('a', longAgo + 1, () => redis().set('a', 'newer'));
  // Other processes have finished and work again.
  await note('b');
  await ifNewest('a', longAgo, () => redis().set('a', 'older'));

  expect(await redis().get('a')).toBe('newer');
});

it('treats writes since Redis came back as newer than the lost ones', async () => {
  const { note, ifNewest } = create();
  const lost = await note('a');
  // Numbers are milliseconds.
  await sleep(2);
  await redis().flushall();
  await redis().set('a', 'since');
  await note('a');

  await ifNewest('a', lost, () => redis().set('a', 'lost'));
  await ifNewest('b', lost, () => redis().set('b', 'lost'));

  expect(await redis().mget('a', 'b')).toEqual(['since', 'lost']);
});
