import { describe, expect, it } from 'vitest';
import { createRecentRaises, sumsIn } from '../../../src/limits/recent-raise-store.ts';
import { CAPPED_MS, RAISES_ADDED_MS } from '../../../src/policy/decide-action.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const nowMs = Date.parse('2026-11-20T15:00:00.000Z');
const raise = {
  actionId: 'act_1',
  acctId: 7,
  rule: 'limit:daily:',
  cents: 70_000,
  by: 'U0ANA',
  inPlaceOf: [],
  askedBy: 'U0HUGO',
  atMs: nowMs,
};

it('stores a raise for its card, for the person who allowed it alone, and for the program', async () => {
  const raises = createRecentRaises(redis());

  await raises.add(raise);

  for (const scope of [{ acctId: 7 }, { userId: 'U0ANA' }, 'program'] as const)
    expect(await raises.list(scope, nowMs + 1), JSON.stringify(scope)).toEqual([raise]);
  expect(await raises.list({ acctId: 8 }, nowMs + 1), 'raises of another card').toEqual([]);
  expect(await raises.list({ userId: 'U0HUGO' }, nowMs + 1), 'raises that a person only asked for').toEqual([]);
});

it("counts a delegate's raise also for the person they stand in for, until it is cancelled", async () => {
  const raises = createRecentRaises(redis());
  const byDelegate = { ...raise, by: 'U0DAN', inPlaceOf: ['U0ANA'] };
  await raises.add(byDelegate);

  expect(await raises.list({ userId: 'U0ANA' }, nowMs)).toEqual([byDelegate]);
  const { atMs: _at, ...cancelled } = byDelegate;
  await raises.cancel(cancelled);
  expect(await raises.list({ userId: 'U0ANA' }, nowMs)).toEqual([]);
});

it('counts a raise approved by several people for nobody alone, and an order for no card', async () => {
  const raises = createRecentRaises(redis());
  const approved = { ...raise, actionId: 'act_2', by: null };
  const order = { ...raise, actionId: 'act_3', acctId: null, rule: 'order' };

  await raises.add(approved);
  await raises.add(order);

  expect(await raises.list('program', nowMs)).toEqual([approved, order]);
  expect(await raises.list({ acctId: 7 }, nowMs)).toEqual([approved]);
  expect(await raises.list({ userId: 'U0ANA' }, nowMs)).toEqual([order]);
});

it('removes a raise with fields that another version stored with it', async () => {
  const raises = createRecentRaises(redis());
  await raises.add(raise);
  for (const key of await redis().keys('*recent-raises*')) {
    const [member = ''] = await redis().zrange(key, '0', '-1');
    await redis().zrem(key, member);
    await redis().zadd(key, nowMs, JSON.stringify({ ...JSON.parse(member), inOwnName: true }));
  }

  const [{ atMs: _at, ...stored } = raise] = await raises.list('program', nowMs);
  await raises.cancel(stored);

  expect(await raises.list('program', nowMs)).toEqual([]);
});

it('counts an action once, at its first time', async () => {
  const raises = createRecentRaises(redis());

  await raises.add(raise);
  await raises.add({ ...raise, atMs: nowMs + 5000 });

  expect(await raises.list({ acctId: 7 }, nowMs + 5000)).toEqual([raise]);
});

it('lists the raises of the last 30 days, oldest first', async () => {
  const raises = createRecentRaises(redis());
  const later = { ...raise, actionId: 'act_0', atMs: nowMs + 60_000 };

  await raises.add(raise);
  await raises.add(later);

  expect(await raises.list({ acctId: 7 }, nowMs + CAPPED_MS)).toEqual([raise, later]);
  expect(await raises.list({ acctId: 7 }, nowMs + CAPPED_MS + 1)).toEqual([later]);
});

it('removes everywhere a raise that was not made', async () => {
  const raises = createRecentRaises(redis());
  const { atMs: _at, ...cancelled } = raise;

  await raises.add(raise);
  await raises.cancel(cancelled);

  for (const scope of [{ acctId: 7 }, { userId: 'U0ANA' }, 'program'] as const)
    expect(await raises.list(scope, nowMs), JSON.stringify(scope)).toEqual([]);
});

describe('the sums of raises', () => {
  it('count each action once, with the rule that it raised most', () => {
    const weekly = { ...raise, rule: 'limit:weekly:', cents: 90_000 };

    expect(sumsIn([raise, weekly], ['act_now'], nowMs)).toEqual({ dayCents: 90_000, monthCents: 90_000 });
  });

  it('separate the last 24 hours from the last 30 days, and leave out the action being counted', () => {
    const yesterday = { ...raise, actionId: 'act_0', atMs: nowMs - RAISES_ADDED_MS - 1 };

    expect(sumsIn([yesterday, raise], ['act_now'], nowMs)).toEqual({ dayCents: 70_000, monthCents: 140_000 });
    expect(sumsIn([yesterday, raise], ['act_1'], nowMs)).toEqual({ dayCents: 0, monthCents: 70_000 });
  });
});

it('drops raises older than 30 days, and all of them if none is added for that long', async () => {
  const raises = createRecentRaises(redis());

  await raises.add(raise);
  await raises.add({ ...raise, actionId: 'act_2', atMs: nowMs + CAPPED_MS + 1 });

  expect(await raises.list({ acctId: 7 }, nowMs), 'asked about a time when the first one counted').toMatchObject([
    { actionId: 'act_2' },
  ]);
  for (const key of await redis().keys('*recent-raises*')) {
    expect(await redis().pttl(key), key).toBeGreaterThan(CAPPED_MS - 60_000);
    expect(await redis().pttl(key), key).toBeLessThanOrEqual(CAPPED_MS);
  }
});

it('counts an emergency override for 24 hours', async () => {
  await createRecentRaises(redis()).reserveOverride(7, 'act_1');

  const [key = ''] = await redis().keys('*emergency-override*');
  expect(await redis().pttl(key)).toBeGreaterThan(86_400_000 - 60_000);
  expect(await redis().pttl(key)).toBeLessThanOrEqual(86_400_000);
});

it('allows one emergency override per card, and another if it was not made', async () => {
  const raises = createRecentRaises(redis());

  expect(await raises.reserveOverride(7, 'act_1')).toBe(true);
  expect(await raises.reserveOverride(7, 'act_1'), 'the same click after a crash').toBe(true);
  expect(await raises.reserveOverride(7, 'act_2')).toBe(false);
  await raises.releaseOverride(7, 'act_2');
  expect(await raises.reserveOverride(7, 'act_2'), 'cancelled by someone else').toBe(false);
  await raises.releaseOverride(7, 'act_1');
  expect(await raises.reserveOverride(7, 'act_2')).toBe(true);
});
