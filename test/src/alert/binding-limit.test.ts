import { describe, expect, it } from 'vitest';
import { bindingLimit, type Remaining } from '../../../src/alert/binding-limit.ts';
import type { CardLimits } from '../../../src/alert/limit-change.ts';

const none = { daily: null, weekly: null, monthly: null, yearly: null, lifetime: null };
const rules: CardLimits = {
  limits: { ...none, daily: 50_000, weekly: 150_000 },
  categories: [
    { id: 3, name: 'Restaurants', transactionLimitCents: null, limits: { ...none, daily: 20_000 } },
    { id: 13, name: 'HardwareStores', transactionLimitCents: null, limits: { ...none, weekly: 30_000 } },
  ],
};
const remaining: Remaining = {
  overall: [
    { period: 'daily', limitCents: 50_000, remainingCents: 2_500 },
    { period: 'weekly', limitCents: 150_000, remainingCents: 90_000 },
  ],
  categories: [
    { id: null, name: 'Hardware Stores', period: 'weekly', limitCents: 30_000, remainingCents: 1_000 },
    { id: 3, name: 'Restaurants', period: 'daily', limitCents: 20_000, remainingCents: 5_000 },
  ],
};
const velocity = { code: 'decline.rule.velocity', amountCents: 8_410 };
const ofCategory = { code: 'decline.rule.velocity.mcc', amountCents: 8_410 };

describe('the limit that stopped a purchase', () => {
  it('is the one with too little left, and the least that would have sufficed is what was spent plus the purchase', () => {
    expect(bindingLimit(velocity, remaining, rules)).toEqual({
      remedy: {
        kind: 'raise_limit',
        period: 'daily',
        category: null,
        currentCents: 50_000,
        remainingCents: 2_500,
        suggestedCents: 55_910,
        alsoBinding: [],
      },
      shortfallCents: 5_910,
    });
  });

  it('is the tightest when several were too small, and the others are told', () => {
    const found = bindingLimit({ ...velocity, amountCents: 100_000 }, remaining, rules);

    const weekly = { period: 'weekly', currentCents: 150_000, remainingCents: 90_000, suggestedCents: 160_000 };
    expect(found?.remedy).toMatchObject({ period: 'daily', suggestedCents: 147_500, alsoBinding: [weekly] });
  });

  it('is a longer window when least remained there', () => {
    const windows = {
      ...remaining,
      overall: remaining.overall.map((one) => ({ ...one, remainingCents: one.period === 'weekly' ? 100 : 5_000 })),
    };

    expect(bindingLimit(velocity, windows, rules)).toMatchObject({
      remedy: {
        period: 'weekly',
        currentCents: 150_000,
        suggestedCents: 158_310,
        alsoBinding: [{ period: 'daily', suggestedCents: 53_410 }],
      },
    });
  });

  it('is told from the rules alone where the purchase exceeds a whole limit', () => {
    expect(bindingLimit({ ...velocity, amountCents: 60_000 }, null, rules)).toMatchObject({
      remedy: { period: 'daily', currentCents: 50_000, remainingCents: null, suggestedCents: null },
      shortfallCents: null,
    });
  });

  it('is the shortest limit there is while nothing more can be told', () => {
    expect(bindingLimit(velocity, null, rules)).toMatchObject({
      remedy: { period: 'daily', currentCents: 50_000, suggestedCents: null },
    });
    expect(bindingLimit(velocity, null, null)).toMatchObject({
      remedy: { period: 'daily', currentCents: null, suggestedCents: null },
    });
    expect(bindingLimit(velocity, null, { limits: { ...none, monthly: 1 }, categories: [] })).toMatchObject({
      remedy: { period: 'monthly' },
    });
    expect(bindingLimit(velocity, null, { limits: none, categories: [] })).toBeNull();
  });

  it('is that of the category that fits the merchant, else of the tightest', () => {
    expect(
      bindingLimit({ ...ofCategory, merchantKind: 'Eating Places and Restaurants' }, remaining, rules),
    ).toMatchObject({
      remedy: { category: { id: 3, name: 'Restaurants' }, period: 'daily', suggestedCents: 23_410 },
      shortfallCents: 3_410,
    });
    expect(bindingLimit({ ...ofCategory, merchantKind: 'Hardware Stores' }, remaining, rules)?.remedy.category).toEqual(
      { id: 13, name: 'HardwareStores' },
    );
    expect(bindingLimit(ofCategory, remaining, rules)?.remedy.category?.id).toBe(13);
  });

  it('is unknown for a category whose id nobody names: it could not be changed', () => {
    expect(
      bindingLimit(
        ofCategory,
        { overall: [], categories: [{ id: null, name: 'Travel', period: 'daily', limitCents: 1, remainingCents: 0 }] },
        null,
      ),
    ).toBeNull();
  });

  it('is nothing for declines that have no limit to raise', () => {
    for (const code of ['decline', 'decline.mcc', 'decline.balance.card', 'decline.card.status']) {
      expect(bindingLimit({ code, amountCents: 1 }, remaining, rules)).toBeNull();
    }
  });
});
