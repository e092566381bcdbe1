import { expect, it } from 'vitest';
import { createLooks } from '../../../src/actions/record-limits.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const look = { id: 'act_1', verb: 'show', userId: 'U1', subject: 7 };

it('records one look per person, card and verb within an hour, even if its job runs again', async () => {
  const { isFirst } = createLooks(redis());

  expect(await isFirst(look)).toBe(true);
  expect(await isFirst({ ...look, id: 'act_2' })).toBe(false);
  expect(await isFirst(look), 'the same action again after a crash').toBe(true);
  expect(await redis().ttl('{cardbell:state}:looked:U1:show:7')).toBeGreaterThan(3500);
});

it.each([
  ['another person', { userId: 'U2' }],
  ['another card', { subject: 8 }],
  ['no card in particular', { subject: null }],
  ['an alert that concerns no card', { subject: 'evt_1' }],
  ['another verb', { verb: 'declines' }],
])('records a look with %s separately', async (_what, other) => {
  const { isFirst } = createLooks(redis());
  await isFirst(look);

  expect(await isFirst({ ...look, id: 'act_2', ...other })).toBe(true);
});
