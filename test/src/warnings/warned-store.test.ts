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
