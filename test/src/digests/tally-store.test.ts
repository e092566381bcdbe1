import { describe, expect, it } from 'vitest';
import { added, createTallies, sumBy } from '../../../src/digests/tally-store.ts';
import { type CountedOver, countedDecline } from '../../support/counted-decline.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const now = (): number => Date.parse('2026-11-20T20:00:00Z');
const decline = (eventId: string, at: string, over: CountedOver = {}) =>
  countedDecline(eventId, at, { group: 'Field team', ...over });
const ms = Date.parse;
const none = { count: 0, attempts: 0, cents: 0 };
const all = () => createTallies(redis(), () => new Date(now())).sum(0, now() + 1);

describe('a decline in the tally', () => {
  it('is counted once, in its quarter hour', async () => {
    const tallies = createTallies(redis(), () => new Date(now()));
    for (const _twice of [1, 2]) {
      await tallies.count(decline('evt_1', '2026-11-20T14:14:59Z'));
      await tallies.count(decline('evt_2', '2026-11-20T14:15:00Z', { merchant: 'Kiosk', group: null }));
      await tallies.count(
        decline('evt_3', '2026-11-20T18:00:00Z', { reason: { code: 'decline.mcc', title: 'Never' } }),
      );
    }

    const rows = await tallies.sum(ms('2026-11-20T14:00:00Z'), ms('2026-11-20T20:00:00Z'));
    expect(rows.reduce(added, none)).toEqual({ count: 3, attempts: 3, cents: 3000 });
    expect(sumBy(rows, ({ code }) => code)).toMatchObject([
      { code: 'decline.rule.velocity', reason: 'Over the daily limit', count: 2, cents: 2000 },
      { code: 'decline.mcc', reason: 'Never', count: 1, cents: 1000 },
    ]);
    expect(sumBy(rows, ({ group }) => group)).toMatchObject([
      { group: 'Field team', cents: 2000 },
      { group: null, cents: 1000 },
    ]);
    expect(await tallies.sum(ms('2026-11-20T14:15:00Z'), ms('2026-11-20T18:00:00Z'))).toMatchObject([{ count: 1 }]);
  });

  it('is known for 15 days, however long ago the first of its quarter hour was counted', async () => {
    const tallies = createTallies(redis(), () => new Date(now()));
    await tallies.count(decline('evt_1', '2026-11-20T14:00:00Z'));
    const [events = ''] = await redis().keys('*tally:*:events');
    await redis().expire(events, 60);

    await tallies.count(decline('evt_late', '2026-11-20T14:00:00Z'));

    expect(await redis().ttl(events)).toBeGreaterThan(15 * 86_400 - 60);
  });

  it('with thirty attempts is one decline, and its dollars count once', async () => {
    const tallies = createTallies(redis(), () => new Date(now()));
    // Not in purchase order, because webhooks can overtake each other.
    for (const minute of Array.from({ length: 30 }, (_, index) => (index * 7) % 30))
      await tallies.count(decline(`evt_${minute}`, `2026-11-20T14:${String(minute).padStart(2, '0')}:00Z`));

    expect((await all()).reduce(added, none)).toEqual({ count: 1, attempts: 30, cents: 1000 });
  });

  it('that is tried again a day later is two, also if the attempts of the first day arrive last', async () => {
    const days = [
      ['2026-11-18T10:00:00Z', '2026-11-18T10:05:00Z'],
      ['2026-11-19T14:00:00Z', '2026-11-19T14:05:00Z'],
    ];
    const orders = [days.flat(), days.toReversed().flat(), days.flat().toReversed()];
    for (const [acctId, order] of orders.entries()) {
      const tallies = createTallies(redis(), () => new Date(now()));
      const declines = order.map((at) => decline(`evt_${acctId}_${at}`, at, { acctId }));
      // Each alone, and all in one batch.
      for (const one of declines) await tallies.count(one);
      const together = order.map((at) => decline(`evt_${acctId}_${at}_b`, at, { acctId: acctId + 50 }));
      await Promise.all(together.map(tallies.count));
    }

    expect((await all()).reduce(added, none)).toEqual({ count: 12, attempts: 24, cents: 12_000 });
  });

  it('is counted the same with many concurrent declines', async () => {
    const tallies = createTallies(redis(), () => new Date(now()));
    const at = (minute: number): string => `2026-11-20T14:${String(minute).padStart(2, '0')}:00Z`;
    const tries = Array.from({ length: 30 }, (_, minute) => decline(`evt_${minute}`, at(minute)));
    const others = Array.from({ length: 5 }, (_, acctId) =>
      decline(`evt_other_${acctId}`, at(20), { acctId, cents: 500 }),
    );

    await Promise.all([...tries, ...others, ...tries].map(tallies.count));

    const rows = await tallies.sum(ms('2026-11-20T14:15:00Z'), ms('2026-11-20T14:30:00Z'));
    expect(rows.reduce(added, none), 'from 14:15 to 14:30').toEqual({ count: 5, attempts: 20, cents: 2500 });
    expect((await all()).reduce(added, none)).toEqual({ count: 6, attempts: 35, cents: 3500 });
  });

  it('is counted once beside a decline that Redis rejects', async () => {
    const tallies = createTallies(redis(), () => new Date(now()));
    await tallies.count(decline('evt_0', '2026-11-20T14:00:00Z', { acctId: 99 }));
    const [first = ''] = await redis().keys('*tally-first*');
    await redis().del(first);
    await redis().rpush(first, 'no number');
    const others = Array.from({ length: 5 }, (_, acctId) =>
      decline(`evt_${acctId + 1}`, '2026-11-20T14:00:00Z', { acctId }),
    );
    const bad = decline('evt_9', '2026-11-20T14:00:00Z', { acctId: 99 });

    const counted = await Promise.allSettled([...others.slice(0, 2), bad, ...others.slice(2)].map(tallies.count));

    expect(counted.map(({ status }) => status === 'fulfilled')).toEqual([true, true, false, true, true, true]);
    expect((await all()).reduce(added, none)).toMatchObject({ count: 6, attempts: 6 });
  });

  it.each([
    ['another card', { acctId: 8 }],
    ['another amount', { cents: 1001 }],
    ['another reason', { reason: { code: 'decline', title: 'Do not honor' } }],
    ['another merchant', { merchant: 'Kiosk' }],
    ['another city', { city: 'Reno' }],
    ['another day', { at: '2026-11-20T14:00:00Z' }],
  ])('of %s is a separate decline', async (_what, over) => {
    const tallies = createTallies(redis(), () => new Date(now()));
    await tallies.count(decline('evt_1', '2026-11-19T14:00:00Z'));
    await tallies.count(decline('evt_2', '2026-11-19T14:01:00Z', over));

    expect((await all()).reduce(added, none)).toMatchObject({ count: 2, attempts: 2 });
  });

  it('at a merchant with several spellings is in one row and counts as one purchase', async () => {
    const tallies = createTallies(redis(), () => new Date(now()));
    for (const [index, merchant] of ['SQ *COFFEE BAR', 'COFFEE BAR #12', 'Coffee Bar'].entries())
      await tallies.count(decline(`evt_${index}`, '2026-11-20T14:00:00Z', { merchant }));

    expect(await all()).toMatchObject([{ count: 1, attempts: 3, cents: 1000 }]);
  });

  it('is in one row with those of the same reason, not with all of its code', async () => {
    const tallies = createTallies(redis(), () => new Date(now()));
    const over = (category: string) => ({
      reason: { code: 'decline.rule.velocity.mcc', title: `Over the daily limit for ${category}` },
    });
    for (const [index, category] of ['Restaurants', 'Hotels', 'Hotels'].entries())
      await tallies.count(decline(`evt_${index}`, '2026-11-20T14:00:00Z', { ...over(category), acctId: index }));

    expect(await all()).toMatchObject([
      { reason: 'Over the daily limit for Hotels', count: 2 },
      { reason: 'Over the daily limit for Restaurants', count: 1 },
    ]);
  });

  it('is forgotten when it is no longer needed to compare two months', async () => {
    const tallies = createTallies(redis(), () => new Date(now()));
    await tallies.count(decline('evt_old', '2026-08-01T14:00:00Z'));
    await tallies.count(decline('evt_new', '2026-10-01T14:00:00Z'));

    expect(await all()).toMatchObject([{ count: 1 }]);
    const ttls = await Promise.all((await redis().keys('*tally*:*')).map((key) => redis().ttl(key)));
    expect(ttls.every((ttl) => ttl > 0 && ttl <= 100 * 24 * 3600)).toBe(true);
  });
});
