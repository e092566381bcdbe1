import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitPeriods } from '../../../src/alert/alert.ts';
import { type CardLimits, contradiction, isRaise, raiseCents } from '../../../src/alert/limit-change.ts';

const none = { daily: null, weekly: null, monthly: null, yearly: null, lifetime: null };
const current: CardLimits = {
  limits: { ...none, daily: 50_000, weekly: 150_000, monthly: 400_000 },
  categories: [
    { id: 3, name: 'Restaurants', transactionLimitCents: null, limits: { ...none, daily: 20_000, weekly: 60_000 } },
  ],
};

describe('how much a change raises', () => {
  it.each([
    [50_000, 80_000, 30_000],
    [50_000, 50_000, 0],
    [50_000, 10_000, 0],
    [50_000, null, Number.POSITIVE_INFINITY],
    [null, 50_000, 0],
    [null, null, 0],
    [0, 1, 1],
  ])('%s → %s is %s', (from, to, expected) => {
    expect(raiseCents(from, to)).toBe(expected);
    expect(isRaise(from, to)).toBe(expected > 0);
  });
});

describe('limits that contradict each other', () => {
  it.each([
    [
      'daily',
      null,
      200_000,
      'The daily limit of $2,000.00 would be above the weekly limit, $1,500.00. Raise the weekly limit first.',
    ],
    [
      'weekly',
      null,
      40_000,
      'The weekly limit of $400.00 would be below the daily limit, $500.00. Lower the daily limit first.',
    ],
    [
      'daily',
      3,
      70_000,
      'The daily limit for Restaurants of $700.00 would be above the weekly limit for Restaurants, $600.00. Raise the weekly limit for Restaurants first.',
    ],
    [
      'daily',
      3,
      55_000,
      "The daily limit for Restaurants of $550.00 would be above the card's overall daily limit, $500.00. Raise the overall limit first.",
    ],
    [
      'daily',
      null,
      10_000,
      'The daily limit of $100.00 would be below the daily limit for Restaurants, $200.00. Lower that one first.',
    ],
  ] as const)('%s of category %s to %s cents', (period, category, limitCents, sentence) => {
    expect(contradiction(current, { period, category, limitCents })).toBe(sentence);
  });

  it.each([
    ['daily', null, 150_000],
    ['daily', null, null],
    ['lifetime', null, 400_000],
    ['yearly', null, 9_900_000],
    ['daily', 3, 50_000],
    ['monthly', 3, 60_000],
  ] as const)('does not mind %s of category %s at %s cents', (period, category, limitCents) => {
    expect(contradiction(current, { period, category, limitCents })).toBeNull();
  });

  it('never says that what was accepted is out of order', () => {
    const amount = fc.option(fc.integer({ min: 0, max: 10_000_00 }), { nil: null });
    const limits = fc.record({ daily: amount, weekly: amount, monthly: amount, yearly: amount, lifetime: amount });
    fc.assert(
      fc.property(limits, fc.constantFrom(...limitPeriods), amount, (overall, period, limitCents) => {
        const said = contradiction({ limits: overall, categories: [] }, { period, category: null, limitCents });
        const after = { ...overall, [period]: limitCents };
        const place = limitPeriods.indexOf(period);
        const isOutOfOrder = limitPeriods.some((other, index) => {
          const one = after[other];
          if (one === null || limitCents === null || index === place) return false;
          return index > place ? limitCents > one : limitCents < one;
        });
        expect(said !== null).toBe(isOutOfOrder);
      }),
    );
  });
});
