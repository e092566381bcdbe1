import { expect, it } from 'vitest';
import { createRecentRaises } from '../../../src/limits/recent-raise-store.ts';
import { COUNTED_MS } from '../../../src/policy/decide.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const nowMs = Date.parse('2026-11-20T15:00:00.000Z');
const raise = { actionId: 'act_1', rule: 'limit:daily:', cents: 70_000, by: 'U0ANA', askedBy: 'U0HUGO', atMs: nowMs };

it('keeps who allowed a raise, for whom, how much and when', async () => {
  const raises = createRecentRaises(redis());

  await raises.add(7, raise);

  expect(await raises.list(7, 'limit:daily:', nowMs + 1)).toEqual([raise]);
  expect(await raises.list(7, 'limit:weekly:', nowMs + 1), 'raises of another limit').toEqual([]);
  expect(await raises.list(8, 'limit:daily:', nowMs + 1), 'raises of another card').toEqual([]);
});

it('counts the same action once, at its first time', async () => {
  const raises = createRecentRaises(redis());

  await raises.add(7, raise);
  await raises.add(7, { ...raise, atMs: nowMs + 5000 });

  expect(await raises.list(7, 'limit:daily:', nowMs + 5000)).toEqual([raise]);
});

it('lists the raises of the last 24 hours, oldest first', async () => {
  const raises = createRecentRaises(redis());
  const later = { ...raise, actionId: 'act_0', atMs: nowMs + 60_000 };

  await raises.add(7, raise);
  await raises.add(7, later);

  expect(await raises.list(7, 'limit:daily:', nowMs + COUNTED_MS)).toEqual([raise, later]);
  expect(await raises.list(7, 'limit:daily:', nowMs + COUNTED_MS + 1)).toEqual([later]);
});

it('forgets what is older than 24 hours, and all of it when nothing is added for so long', async () => {
  const raises = createRecentRaises(redis());

  await raises.add(7, raise);
  await raises.add(7, { ...raise, actionId: 'act_2', atMs: nowMs + COUNTED_MS + 1 });

  expect(await raises.list(7, 'limit:daily:', nowMs), 'asked for a time when the first one counted').toMatchObject([
    { actionId: 'act_2' },
  ]);
  const [key = ''] = await redis().keys('*recent-raises*');
  expect(await redis().pttl(key)).toBeGreaterThan(COUNTED_MS - 60_000);
  expect(await redis().pttl(key)).toBeLessThanOrEqual(COUNTED_MS);
});

it('counts an emergency override for 24 hours', async () => {
  await createRecentRaises(redis()).overrideRequest(7, 'act_1');

  const [key = ''] = await redis().keys('*emergency-override*');
  expect(await redis().pttl(key)).toBeGreaterThan(COUNTED_MS - 60_000);
});

it('lets one emergency override through for each card, again after it came to nothing', async () => {
  const raises = createRecentRaises(redis());

  expect(await raises.overrideRequest(7, 'act_1')).toBe(true);
  expect(await raises.overrideRequest(7, 'act_1'), 'the same click after a crash').toBe(true);
  expect(await raises.overrideRequest(7, 'act_2')).toBe(false);
  await raises.cancelOverride(7, 'act_2');
  expect(await raises.overrideRequest(7, 'act_2'), 'cancelled by somebody else').toBe(false);
  await raises.cancelOverride(7, 'act_1');
  expect(await raises.overrideRequest(7, 'act_2')).toBe(true);
});
