import { expect, it } from 'vitest';
import { createLooks } from '../../../src/actions/record-limits.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const look = { id: 'act_1', verb: 'show', userId: 'U1', acctId: 7 };

it('one person looks at one card in one way: one record within an hour, also when its job runs again', async () => {
  const { isFirst } = createLooks(redis());

  expect(await isFirst(look)).toBe(true);
  expect(await isFirst({ ...look, id: 'act_2' })).toBe(false);
  expect(await isFirst(look), 'the same again after a crash').toBe(true);
  expect(await redis().ttl('{cardbell:state}:looked:U1:show:7')).toBeGreaterThan(3500);
});

it.each([
  ['somebody else', { userId: 'U2' }],
  ['another card', { acctId: 8 }],
  ['no card in particular', { acctId: null }],
  ['another way', { verb: 'declines' }],
])('%s is a record of its own', async (_what, other) => {
  const { isFirst } = createLooks(redis());
  await isFirst(look);

  expect(await isFirst({ ...look, id: 'act_2', ...other })).toBe(true);
});
