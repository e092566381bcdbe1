import { describe, expect, it } from 'vitest';
import { reverse, settle } from '../../sandbox/engine/after-purchase.ts';
import { purchase, releaseExpiredHolds } from '../../sandbox/engine/purchase.ts';
import { remainingLimits } from '../../sandbox/engine/remaining-limit.ts';
import { toCallbackTime, toServiceTime, WINDOWS, type Window, windowName } from '../../sandbox/service-time.ts';
import { limitField } from '../../sandbox/state/spend-rules.ts';
import { bareWorld, oneHolder, onlyAccount } from './bare-world.ts';

/** Edges of calendar windows, including those around the days with 23 and 25 hours. */
const EDGES: readonly (readonly [window: Window, lastInside: string, firstOutside: string, what: string])[] = [
  ['Daily', '2026-03-05T04:59:59Z', '2026-03-05T05:00:00Z', 'midnight in winter'],
  ['Daily', '2026-07-05T03:59:59Z', '2026-07-05T04:00:00Z', 'midnight in summer'],
  ['Daily', '2026-03-08T04:59:59Z', '2026-03-08T05:00:00Z', 'the midnight before the clocks go forward'],
  ['Daily', '2026-03-09T03:59:59Z', '2026-03-09T04:00:00Z', 'the end of the day of 23 hours'],
  ['Daily', '2026-11-01T03:59:59Z', '2026-11-01T04:00:00Z', 'the midnight before the clocks go back'],
  ['Daily', '2026-11-02T04:59:59Z', '2026-11-02T05:00:00Z', 'the end of the day of 25 hours'],
  ['Weekly', '2026-03-08T04:59:59Z', '2026-03-08T05:00:00Z', 'Saturday to Sunday before the clocks go forward'],
  ['Weekly', '2026-11-01T03:59:59Z', '2026-11-01T04:00:00Z', 'Saturday to Sunday before the clocks go back'],
  ['Monthly', '2026-04-01T03:59:59Z', '2026-04-01T04:00:00Z', 'the end of March'],
  ['Monthly', '2026-12-01T04:59:59Z', '2026-12-01T05:00:00Z', 'the end of November'],
  ['Yearly', '2027-01-01T04:59:59Z', '2027-01-01T05:00:00Z', 'the end of the year'],
];

describe('limit windows', () => {
  it.each(EDGES)('%s: %s is the last second and %s the first of the next (%s)', (window, lastInside, firstOutside) => {
    const bare = bareWorld({ seed: oneHolder(1000, { rules: { [limitField(window)]: 100 } }) });
    const { acctId } = onlyAccount(bare);
    const buy = (Amount: number): boolean => purchase(bare.world, { AcctId: acctId, Amount }).Approved;
    bare.at(new Date(Date.parse(lastInside) - 60_000));
    expect(buy(100)).toBe(true);

    bare.at(lastInside);
    expect(buy(0.01)).toBe(false);

    bare.at(firstOutside);
    expect(buy(100)).toBe(true);
    expect(buy(0.01)).toBe(false);
  });

  it.each([
    ['2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z', 'the hour that exists twice'],
    ['2026-03-08T06:59:59Z', '2026-03-08T07:00:00Z', 'the hour that does not exist'],
  ])('%s and %s are the same day (%s)', (one, other) => {
    expect(windowName('Daily', new Date(one))).toBe(windowName('Daily', new Date(other)));
  });

  it('a lifetime limit never resets', () => {
    const bare = bareWorld({ seed: oneHolder(1000, { rules: { LifetimeSpendLimit: 100 } }) });
    const { acctId } = onlyAccount(bare);
    settle(bare.world, purchase(bare.world, { AcctId: acctId, Amount: 100 }));

    bare.at('2040-01-01T00:00:00Z');

    expect(purchase(bare.world, { AcctId: acctId, Amount: 0.01 }).MessageCode).toBe('decline.rule.velocity');
  });

  it('write wall time without an offset and callback time with one, in winter and summer', () => {
    expect(toServiceTime(new Date('2026-01-15T12:00:00Z'))).toBe('2026-01-15T07:00:00');
    expect(toServiceTime(new Date('2026-07-15T12:00:00Z'))).toBe('2026-07-15T08:00:00');
    expect(toCallbackTime(new Date('2026-01-15T12:00:00.573Z'), 8865)).toBe('2026-01-15T07:00:00.5738865-05:00');
    expect(toCallbackTime(new Date('2026-07-15T12:00:00.573Z'), 8865)).toBe('2026-07-15T08:00:00.5738865-04:00');
  });
});

describe('usage of a limit', () => {
  const bare = () => bareWorld({ seed: oneHolder(1000, { rules: { DailySpendLimit: 100 } }) });
  const left = (world: ReturnType<typeof bare>): number | undefined =>
    remainingLimits(world.world, onlyAccount(world), world.world.now())[0]?.remainingCents;

  it('is reduced by partial and full reversals', () => {
    const on = bare();
    const { NetworkTransactionId } = purchase(on.world, { AcctId: onlyAccount(on).acctId, Amount: 80 });

    reverse(on.world, { NetworkTransactionId, Amount: 30 });
    expect(left(on)).toBe(5000);

    reverse(on.world, { NetworkTransactionId });
    expect(left(on)).toBe(10_000);
  });

  it('counts the settled amount, not the held one', () => {
    const on = bare();
    const { NetworkTransactionId } = purchase(on.world, { AcctId: onlyAccount(on).acctId, Amount: 80 });

    settle(on.world, { NetworkTransactionId, Amount: 92.5 });

    expect(left(on)).toBe(750);
  });

  it.each([
    [1, '2026-03-09T16:59:59Z', 8000, 'a second before five days'],
    [1, '2026-03-09T17:00:00Z', 0, 'after five days'],
    [60, '2026-03-04T18:59:59Z', 8000, 'a second before two hours at time scale 60'],
    [60, '2026-03-04T19:00:00Z', 0, 'after two hours at time scale 60'],
  ])('at time scale %i the hold at %s is %i cents (%s)', (timeScale, instant, heldCents) => {
    const on = bareWorld({ seed: oneHolder(1000, { rules: { LifetimeSpendLimit: 100 } }), timeScale });
    purchase(on.world, { AcctId: onlyAccount(on).acctId, Amount: 80 });

    on.at(instant);
    releaseExpiredHolds(on.world);

    expect(onlyAccount(on).heldCents).toBe(heldCents);
    expect(left(on)).toBe(10_000 - heldCents);
    expect(on.emitted).toHaveLength(1);
  });

  it.each(WINDOWS)('does not count a decline in the %s window', (window) => {
    const on = bareWorld({ seed: oneHolder(1000, { rules: { [limitField(window)]: 100 } }) });

    purchase(on.world, { AcctId: onlyAccount(on).acctId, Amount: 100.01 });

    expect(left(on)).toBe(10_000);
  });
});
