import { expect, it } from 'vitest';
import { createWarned } from '../../../src/warnings/warned-store.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();

it('remembers a warning for the given time', async () => {
  const warned = createWarned(redis());

  expect(await warned.has('limit_1')).toBe(false);
  await warned.add('limit_1', 60_000);

  expect(await warned.has('limit_1')).toBe(true);
  expect(await redis().pttl('{cardbell:state}:warned:limit_1')).toBeGreaterThan(50_000);
});

it('gives a warning in the message that was chosen first', async () => {
  const warned = createWarned(redis());
  const chosen = await Promise.all(['one', 'other'].map((id) => warned.messageOf('limit_1', id, 60_000)));

  expect(new Set(chosen).size).toBe(1);
  expect(await redis().pttl('{cardbell:state}:warning-message:limit_1')).toBeGreaterThan(50_000);
});
