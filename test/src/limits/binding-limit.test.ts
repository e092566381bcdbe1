import { describe, expect, it } from 'vitest';
import type { LimitPeriod } from '../../../src/card-api/rule.ts';
import { limitGoals, ruleKeys } from '../../../src/card-api/rule-change.ts';
import type { RemainingLimits } from '../../../src/card-api/schema.ts';
import type { CardLimits } from '../../../src/card-api/spend-rules.ts';
import { checkLimits } from '../../../src/limits/binding-limit.ts';
import { contradiction } from '../../../src/limits/contradiction.ts';
import { goalsOfRemedy } from '../../../src/limits/remedy-change.ts';
import type { RemainedLimit } from '../../../src/limits/stopping-category.ts';
import { limitGoal, limitRaise, remedyOf } from '../../support/limit-goals.ts';

const none = { daily: null, weekly: null, monthly: null, yearly: null, lifetime: null };
const rules: CardLimits = {
  limits: { ...none, daily: 50_000, weekly: 150_000 },
  categories: [
    { id: 3, name: 'Restaurants', transactionLimitCents: null, limits: { ...none, daily: 20_000 } },
    { id: 13, name: 'HardwareStores', transactionLimitCents: null, limits: { ...none, weekly: 30_000 } },
  ],
};
const remaining: RemainingLimits = {
  overall: [
    { period: 'daily', limitCents: 50_000, remainingCents: 2_500 },
    { period: 'weekly', limitCents: 150_000, remainingCents: 90_000 },
  ],
  categories: [
    { id: null, name: 'Hardware Stores', period: 'weekly', limitCents: 30_000, remainingCents: 1_000 },
    { id: 3, name: 'Restaurants', period: 'daily', limitCents: 20_000, remainingCents: 5_000 },
  ],
};
const velocity = { amountCents: 8_410 };
const ofCategory = { isOfCategory: true, amountCents: 8_410 };

function bindingLimit(...args: Parameters<typeof checkLimits>) {
  const found = checkLimits(...args);
  return found === 'passes' ? null : found;
}
const allPass = (...args: Parameters<typeof checkLimits>): boolean => checkLimits(...args) === 'passes';
const eating = { fits: (name: string) => name === 'Restaurants' };

describe('the limit that stopped a purchase', () => {
  it('is the one with too little left; the minimum needed is the spending so far plus the purchase', () => {
    expect(bindingLimit(velocity, remaining, rules)).toEqual(
      remedyOf(limitRaise('daily', 50_000, 55_910, { remainingCents: 2_500 })),
    );
  });

  it('is the tightest one when several were too low, with the others listed', () => {
    const found = bindingLimit({ ...velocity, amountCents: 100_000 }, remaining, rules);

    expect(found?.limits).toEqual([
      limitRaise('daily', 50_000, 147_500, { remainingCents: 2_500 }),
      limitRaise('weekly', 150_000, 160_000, { remainingCents: 90_000 }),
    ]);
  });

  it('is a longer window if that had the least left', () => {
    const windows = {
      ...remaining,
      overall: remaining.overall.map((one) => ({ ...one, remainingCents: one.period === 'weekly' ? 100 : 5_000 })),
    };

    expect(bindingLimit(velocity, windows, rules)?.limits).toMatchObject([
      { rule: { period: 'weekly' }, from: 150_000, to: 158_310 },
      { rule: { period: 'daily' }, to: 53_410 },
    ]);
  });

  it('is not one of which too little is left only since it has reset, unless the service named that', () => {
    const sinceReset = { leftCents: 1_000, readAt: '2026-11-21T12:00:00.000Z' };
    const days = { period: 'daily', limitCents: 15_000, remainingCents: null, sinceReset } as const;
    const overall = [days, { period: 'weekly', limitCents: 30_000, remainingCents: 4_000 } as const];
    const limits = { limits: { ...none, daily: 15_000, weekly: 30_000 }, categories: [] };
    const daily = limitRaise('daily', 15_000, 22_410, { sinceReset });
    const weekly = limitRaise('weekly', 30_000, 34_410, { remainingCents: 4_000 });
    const found = (period: LimitPeriod | null, of: readonly RemainedLimit[]) =>
      bindingLimit({ ...velocity, period }, { overall: of, categories: [] }, limits)?.limits;

    expect(found('weekly', overall)).toEqual([weekly, daily]);
    expect(found(null, overall)).toEqual([weekly, daily]);
    // It may name the daily limit when a longer one stopped the purchase.
    expect(found('daily', overall)).toEqual([weekly, daily]);

    const weeks = { period: 'weekly', limitCents: 30_000, remainingCents: null, sinceReset } as const;
    const today = { period: 'daily', limitCents: 15_000, remainingCents: 4_000 } as const;
    expect(found('weekly', [today, weeks])?.map(({ rule }) => rule.period)).toEqual(['weekly', 'daily']);
  });

  it('follows from the rules alone if the purchase exceeds an entire limit', () => {
    expect(bindingLimit({ ...velocity, amountCents: 60_000 }, null, rules)?.limits).toEqual([
      limitRaise('daily', 50_000, null),
    ]);
  });

  it('defaults to the shortest limit when nothing more is known', () => {
    expect(bindingLimit(velocity, null, rules)?.limits).toEqual([limitRaise('daily', 50_000, null)]);
    expect(bindingLimit(velocity, null, null)?.limits).toEqual([limitRaise('daily', null, null)]);
    expect(bindingLimit(velocity, null, { limits: { ...none, monthly: 1 }, categories: [] })?.limits).toEqual([
      limitRaise('monthly', 1, null),
    ]);
    expect(bindingLimit(velocity, null, { limits: none, categories: [] })).toBeNull();
  });

  it('is the one that the service named when nothing more is known, if the card has it', () => {
    const named = { ...velocity, period: 'monthly' } as const;
    const guess = (limits: Partial<Record<LimitPeriod, number>> | null) =>
      bindingLimit(named, null, limits === null ? null : { limits: { ...none, ...limits }, categories: [] })?.limits;

    expect(guess({ daily: 50_000, monthly: 90_000 })).toEqual([limitRaise('monthly', 90_000, null)]);
    expect(guess({ daily: 50_000 })).toEqual([limitRaise('daily', 50_000, null)]);
    expect(guess(null)).toEqual([limitRaise('monthly', null, null)]);
  });

  it('is the one of the category that fits the merchant; if none does, of no category', () => {
    const limitsAt = (category: string) =>
      bindingLimit({ ...ofCategory, fits: (name) => name === category }, remaining, rules)?.limits[0];

    expect(limitsAt('Restaurants')).toMatchObject({
      rule: { category: { id: 3, name: 'Restaurants' }, period: 'daily' },
      to: 23_410,
    });
    expect(limitsAt('HardwareStores')?.rule.category).toEqual({ id: 13, name: 'HardwareStores' });
    expect(limitsAt('Fuel')).toBeUndefined();
    expect(allPass(ofCategory, remaining, rules)).toBe(false);
  });

  it('is the one of the only category that had too little left, whatever the merchant', () => {
    const hardware = remaining.categories.slice(0, 1);
    const ofRestaurants = { id: 3, name: 'Restaurants', period: 'daily', limitCents: 20_000 } as const;
    const withRestaurants = (remainingCents: number | null) => ({
      ...remaining,
      categories: [...hardware, { ...ofRestaurants, remainingCents }],
    });
    const idWhen = (now: RemainingLimits, then: RemainingLimits) =>
      bindingLimit(ofCategory, now, rules, then)?.limits[0].rule.category?.id;

    expect(idWhen(withRestaurants(8_410), withRestaurants(8_410))).toBe(13);
    // The day of the restaurants has begun anew, so they may have stopped it before.
    expect(idWhen(withRestaurants(8_410), withRestaurants(null))).toBeUndefined();
    expect(allPass(ofCategory, withRestaurants(8_410), rules, withRestaurants(null))).toBe(false);
  });

  it('is unknown for a category without a known id, which could not be changed', () => {
    expect(
      bindingLimit(
        ofCategory,
        { overall: [], categories: [{ id: null, name: 'Travel', period: 'daily', limitCents: 1, remainingCents: 0 }] },
        null,
      ),
    ).toBeNull();
  });

  it('is unknown for a category when no category is readable, even if the card itself has too little left', () => {
    const withoutCategories = { ...remaining, categories: [] };

    expect(bindingLimit(ofCategory, withoutCategories, null)).toBeNull();
    expect(bindingLimit(ofCategory, null, { ...rules, limits: { ...none, daily: 1 }, categories: [] })).toBeNull();
    expect(bindingLimit(ofCategory, withoutCategories, { ...rules, categories: [] })).toBeNull();
  });

  it('is known without the rules if the remaining amounts are known', () => {
    expect(bindingLimit(velocity, remaining, null)).toEqual(
      remedyOf(limitRaise('daily', 50_000, 55_910, { remainingCents: 2_500 })),
    );
  });

  it('is read from the rules if only its remaining amount is known', () => {
    const windows = {
      overall: [{ period: 'daily', limitCents: null, remainingCents: 2_500 } as const],
      categories: [],
    };

    expect(bindingLimit(velocity, windows, rules)?.limits[0]).toMatchObject({ from: 50_000, to: 55_910 });
  });

  it('may still be too low if the remaining amount is unknown', () => {
    const windows = {
      overall: [{ period: 'daily', limitCents: 50_000, remainingCents: null } as const],
      categories: [],
    };

    expect(allPass(velocity, windows, rules)).toBe(false);
    expect(bindingLimit(velocity, windows, rules)?.limits).toEqual([limitRaise('daily', 50_000, null)]);
  });

  it("is a category's limit, from the rules alone, if the purchase exceeds all of it", () => {
    expect(bindingLimit({ ...ofCategory, ...eating, amountCents: 25_000 }, null, rules)?.limits).toEqual([
      limitRaise('daily', 20_000, null, { category: { id: 3, name: 'Restaurants' } }),
    ]);
  });

  it('is not the card’s own if its ruleset has another one, or has the category alone', () => {
    const travel = { id: 7, name: 'Travel', period: 'daily', limitCents: 9_000, remainingCents: 1_000 } as const;
    const windows = { overall: remaining.overall, categories: [travel] };
    const found = bindingLimit(
      { ...ofCategory, fits: (name) => name === 'Travel', mayBeOverruled: true },
      windows,
      rules,
    );

    expect(found?.limits.map(({ from, to, isOfRuleset }) => ({ from, to, isOfRuleset }))).toEqual([
      { from: 9_000, to: null, isOfRuleset: true },
      { from: 50_000, to: 55_910, isOfRuleset: undefined },
    ]);
    expect(found === null ? null : goalsOfRemedy(found, rules, 8_410)).toBeNull();
  });
});

describe('a declined purchase', () => {
  const windowsWith = (remainingCents: number): RemainingLimits => ({
    overall: [{ period: 'daily', limitCents: 50_000, remainingCents }],
    categories: [{ id: 3, name: 'Restaurants', period: 'daily', limitCents: 20_000, remainingCents }],
  });
  const oneCategory = { limits: { ...none, daily: 50_000 }, categories: rules.categories.slice(0, 1) };

  it.each<[string, boolean, RemainingLimits | null, CardLimits | null]>([
    ['card', true, windowsWith(8_410), oneCategory],
    ['card', true, windowsWith(8_410), null],
    ['card', false, windowsWith(8_409), oneCategory],
    ['card', true, { overall: [], categories: [] }, { limits: none, categories: [] }],
    ['card', false, { overall: [], categories: [] }, { limits: { ...none, daily: 1 }, categories: [] }],
    ['card', false, { overall: [], categories: [] }, null],
    ['card', false, null, { limits: none, categories: [] }],
    ['category', true, windowsWith(8_410), oneCategory],
    ['category', false, windowsWith(8_409), oneCategory],
    ['category', false, windowsWith(8_410), null],
    ['category', false, null, oneCategory],
    ['category', false, windowsWith(8_410), { ...rules, categories: [] }],
  ])('with a limit of the %s would pass now: %s', (of, passes, windows, limits) => {
    expect(allPass({ isOfCategory: of === 'category', amountCents: 8_410 }, windows, limits)).toBe(passes);
  });
});

describe('a limit of $0', () => {
  const daily = { period: 'daily', limitCents: 0, remainingCents: 0 } as const;
  const windows = { overall: [daily], categories: [{ ...daily, id: 3, name: 'Restaurants' }] };
  const [eatingOut] = rules.categories.map((category) => ({ ...category, limits: none }));
  const unlimited = { limits: none, categories: eatingOut === undefined ? [] : [eatingOut] };

  it('stops each purchase, and is raised', () => {
    const nothing = { limits: { ...none, daily: 0 }, categories: [] };

    expect(bindingLimit(velocity, windows, nothing)?.limits).toEqual([
      limitRaise('daily', 0, 8_410, { remainingCents: 0 }),
    ]);
  });

  it('is none if the rules have no such limit', () => {
    expect(allPass(velocity, windows, unlimited)).toBe(true);
    expect(allPass({ ...ofCategory, ...eating }, windows, unlimited)).toBe(true);
    expect(allPass(velocity, { ...windows, overall: [daily, { ...daily, period: 'weekly' }] }, unlimited)).toBe(true);
  });

  it('may be that of the card’s ruleset', () => {
    const found = bindingLimit({ ...velocity, mayBeOverruled: true }, windows, unlimited);

    expect(found?.limits).toMatchObject([{ from: 0, to: null, remainingCents: 0, isOfRuleset: true }]);
  });
});

describe('a limit of the rules that the remaining limits leave out', () => {
  const year = { period: 'yearly', limitCents: 100_000, remainingCents: 90_000 } as const;
  const byRules = { limits: { ...none, daily: 5_000, yearly: 100_000 }, categories: [] };
  const windows = { overall: [year], categories: [] };

  it('stops a purchase above it, and is raised', () => {
    expect(bindingLimit(velocity, windows, byRules)?.limits).toEqual([limitRaise('daily', 5_000, null)]);
  });

  it('stops each purchase if it is $0', () => {
    const nothing = { ...byRules, limits: { ...none, daily: 0 } };

    expect(bindingLimit({ amountCents: 1 }, windows, nothing)?.limits).toEqual([limitRaise('daily', 0, null)]);
  });

  it('may stop a smaller purchase, because nobody knows what is left of it', () => {
    const small = { amountCents: 3_000 };

    expect(bindingLimit(small, windows, byRules)?.limits).toEqual([limitRaise('daily', 5_000, null)]);
    expect(allPass(small, windows, { ...byRules, limits: { ...none, yearly: 100_000 } })).toBe(true);
    expect(allPass(small, windows, null), 'nobody knows whether there is another limit').toBe(true);
  });

  it('is more likely to stop it than one with enough left, whichever the service named', () => {
    const limits = { ...byRules, limits: { ...none, daily: 5_000, monthly: 60_000, yearly: 100_000 } };
    const both = {
      ...windows,
      overall: [year, { period: 'daily', limitCents: 5_000, remainingCents: 4_000 } as const],
    };

    expect(bindingLimit({ amountCents: 3_000, period: 'daily' }, both, limits)?.limits).toEqual([
      limitRaise('monthly', 60_000, null),
    ]);
  });

  it('of the card leaves open whether a purchase passes that the limits of its category let pass', () => {
    const ofDay = { id: 3, name: 'Restaurants', period: 'daily', limitCents: 20_000, remainingCents: 9_000 } as const;
    const limits = { ...byRules, categories: rules.categories };
    const purchase = { ...ofCategory, ...eating, amountCents: 3_000, isLater: true };

    expect(checkLimits(purchase, { ...windows, categories: [ofDay] }, limits)).toBeNull();
  });

  it('means nothing for a card whose ruleset may have fewer limits', () => {
    expect(allPass({ ...velocity, mayBeOverruled: true }, windows, byRules)).toBe(true);
  });

  it.each([25_000, 8_410])('of a category may stop a purchase of %i cents', (amountCents) => {
    const month = {
      id: 3,
      name: 'Restaurants',
      period: 'monthly',
      limitCents: 90_000,
      remainingCents: 90_000,
    } as const;
    const ownless = { ...rules, limits: none };
    const purchase = { ...ofCategory, ...eating, amountCents, isLater: true };

    expect(allPass(purchase, { overall: [], categories: [month] }, ownless)).toBe(false);
    expect(allPass(purchase, { overall: [], categories: [] }, ownless)).toBe(false);
  });
});

it('may still be stopped by a company’s own category if the one that fits the merchant had enough left', () => {
  const roomy = remaining.categories.map((one) => (one.id === 3 ? { ...one, remainingCents: 20_000 } : one));
  const windows = { ...remaining, overall: [], categories: roomy };
  const ownless = { ...rules, limits: none };
  const tried = { ...ofCategory, fits: (name: string) => name === 'Restaurants' || null, isLater: true };

  expect(checkLimits(tried, windows, ownless)).toBeNull();
  expect(checkLimits({ ...tried, amountCents: 900 }, windows, ownless)).toBe('passes');
  // The card service's own categories exclude each other. The limit of the one that fits may have been raised since.
  expect(checkLimits({ ...ofCategory, ...eating, isLater: true }, windows, ownless)).toBe('passes');
  // Nothing was raised yet: the category that seems to fit did not decline it.
  expect(checkLimits({ ...ofCategory, ...eating }, windows, ownless)).toBeNull();
});

describe('all limits that a purchase meets', () => {
  type Windows = Partial<Record<LimitPeriod, [limit: number, left: number]>>;
  interface Card {
    readonly overall?: Windows;
    readonly restaurants?: Windows;
    readonly fuel?: Windows;
    readonly atOnce?: number;
  }
  /** A card with these limits in dollars, and the amount left of each. */
  function cardOf({ overall = {}, restaurants = {}, fuel = {}, atOnce }: Card): [RemainingLimits, CardLimits] {
    const rows = (windows: Windows) =>
      Object.entries(windows).map(([period, [limit, left]]) => ({
        period: period as LimitPeriod,
        limitCents: limit * 100,
        remainingCents: left * 100,
      }));
    const limitsOf = (windows: Windows) => ({
      ...none,
      ...Object.fromEntries(Object.entries(windows).map(([period, [limit]]) => [period, limit * 100])),
    });
    const categories = [
      { id: 3, name: 'Restaurants', windows: restaurants, transactionLimitCents: atOnce ? atOnce * 100 : null },
      { id: 7, name: 'Fuel', windows: fuel, transactionLimitCents: null },
    ];
    return [
      {
        overall: rows(overall),
        categories: categories.flatMap(({ id, name, windows }) => rows(windows).map((row) => ({ id, name, ...row }))),
      },
      {
        limits: limitsOf(overall),
        categories: categories.map(({ windows, ...one }) => ({ ...one, limits: limitsOf(windows) })),
      },
    ];
  }

  it.each<[string, Parameters<typeof checkLimits>[0], number, Card, string[]]>([
    ['a day', velocity, 50, { overall: { daily: [100, 30], weekly: [400, 200] } }, ['daily 120']],
    [
      'a day and a week, tightest first',
      velocity,
      50,
      { overall: { daily: [100, 30], weekly: [400, 20] } },
      ['weekly 430', 'daily 120'],
    ],
    [
      'all five',
      velocity,
      50,
      { overall: { daily: [10, 10], weekly: [20, 20], monthly: [30, 30], yearly: [40, 40], lifetime: [45, 45] } },
      ['daily 50', 'weekly 50', 'monthly 50', 'yearly 50', 'lifetime 50'],
    ],
    [
      'a week that began in another month: the month has room but would be below the week',
      velocity,
      50,
      { overall: { weekly: [600, 10], monthly: [610, 600] } },
      ['weekly 640', '+ monthly 640'],
    ],
    [
      'a week that began in another year: month and year rise along',
      velocity,
      50,
      { overall: { weekly: [600, 10], monthly: [610, 600], yearly: [630, 620], lifetime: [900, 100] } },
      ['weekly 640', '+ monthly 640', '+ yearly 640'],
    ],
    [
      'a week that began in another month, and a month with too little left: it rises as high as the week',
      velocity,
      50,
      { overall: { weekly: [600, 10], monthly: [610, 40] } },
      ['weekly 640', 'monthly 640'],
    ],
    [
      'of its category and of the card',
      ofCategory,
      50,
      { overall: { daily: [100, 40] }, restaurants: { daily: [60, 20], monthly: [500, 300] } },
      ['daily 90 for 3', 'daily 110'],
    ],
    [
      'of its category, which would exceed the card’s own',
      ofCategory,
      50,
      { overall: { daily: [80, 70] }, restaurants: { daily: [60, 20] } },
      ['daily 90 for 3', '+ daily 90'],
    ],
    ['a single purchase', ofCategory, 50, { restaurants: { daily: [500, 400] }, atOnce: 40 }, ['transaction 50 for 3']],
    [
      'a single purchase, the category’s day and the card’s week',
      { ...ofCategory, ...eating },
      50,
      { overall: { weekly: [300, 45] }, restaurants: { daily: [60, 30] }, fuel: { daily: [50, 1] }, atOnce: 40 },
      ['daily 80 for 3', 'transaction 50 for 3', 'weekly 305'],
    ],
    [
      'the card’s, then that of the category that sounds like the merchant',
      { ...velocity, ...eating },
      50,
      { overall: { daily: [100, 30] }, restaurants: { daily: [60, 20] }, fuel: { daily: [50, 1] } },
      ['daily 120', 'daily 90 for 3'],
    ],
    [
      'only the card’s, if the category is unclear',
      velocity,
      50,
      { overall: { daily: [100, 30] }, restaurants: { daily: [60, 20] } },
      ['daily 120'],
    ],
    [
      'only the card’s, if the category has room now',
      ofCategory,
      50,
      { overall: { daily: [100, 30] }, restaurants: { daily: [90, 60] } },
      ['daily 120'],
    ],
    ['of a category, when all have room now: none', ofCategory, 50, { restaurants: { daily: [90, 60] } }, []],
    [
      'two with the same amount left: the shorter one first',
      velocity,
      50,
      { overall: { weekly: [200, 10], daily: [150, 10] } },
      ['daily 190', 'weekly 240'],
    ],
    ['of exactly the amount left: none', velocity, 50, { overall: { daily: [100, 50] } }, []],
    [
      'of the category, if the card itself has room now',
      { ...velocity, ...eating },
      50,
      { overall: { daily: [400, 60] }, restaurants: { weekly: [300, 1] } },
      ['weekly 349 for 3'],
    ],
  ])('%s', (_what, purchase, dollars, card, found) => {
    const [remains, rules] = cardOf(card);
    const raised = bindingLimit({ ...purchase, amountCents: dollars * 100 }, remains, rules)?.limits ?? [];

    expect(
      raised.map(({ rule: { period, category }, to, isAdjustedToo }) => {
        const amount = to === null ? '?' : to / 100;
        return `${isAdjustedToo ? '+ ' : ''}${period} ${amount}${category === null ? '' : ` for ${category.id}`}`;
      }),
    ).toEqual(found);
  });

  it('are those of the rules, without amounts, when the remaining amounts are unknown', () => {
    const [, rules] = cardOf({ overall: { daily: [40, 0], weekly: [45, 0], monthly: [60, 0] }, atOnce: 30 });

    expect(bindingLimit({ ...velocity, amountCents: 5_000 }, null, rules)?.limits).toEqual([
      limitRaise('daily', 4_000, null),
      limitRaise('weekly', 4_500, null),
    ]);
    // A limit for a single purchase applies to each purchase in full, so its amount is certain.
    expect(bindingLimit({ ...ofCategory, amountCents: 5_000 }, null, rules)?.limits[0]).toMatchObject({
      rule: { period: 'transaction' },
      from: 3_000,
      to: 5_000,
    });
  });

  it.each<[string, number, Card, string[]]>([
    ['one', 50, { overall: { daily: [100, 30] } }, ['limit:daily:']],
    ['two', 50, { overall: { daily: [100, 30], weekly: [400, 20] } }, ['limit:daily:', 'limit:weekly:']],
    [
      'one and the limit that rises along',
      50,
      { overall: { weekly: [600, 10], monthly: [610, 600] } },
      ['limit:weekly:', 'limit:monthly:'],
    ],
  ])('are one change: %s', (_what, dollars, card, targets) => {
    const [remains, limits] = cardOf(card);
    const found = bindingLimit({ ...velocity, amountCents: dollars * 100 }, remains, limits);
    const all = {
      ...limits,
      isEveryCategoryAllowed: false,
      isInternationalAllowed: true,
      isCardNotPresentAllowed: true,
      usesBusinessBalance: null,
    };
    const goals = found === null ? null : goalsOfRemedy(found, all, dollars * 100);

    expect(ruleKeys(goals ?? [])).toEqual(targets);
    expect(contradiction(limits, limitGoals(goals ?? []))).toBeNull();
  });

  it('change to amounts that certainly let the purchase pass, in order, when the remaining amounts are unknown', () => {
    const [, limits] = cardOf({ overall: { daily: [40, 0], weekly: [45, 0], monthly: [80, 0] } });
    const all = {
      ...limits,
      isEveryCategoryAllowed: false,
      isInternationalAllowed: true,
      isCardNotPresentAllowed: true,
      usesBusinessBalance: null,
    };
    const found = bindingLimit({ ...velocity, amountCents: 5_000 }, null, limits);

    expect(found === null ? null : goalsOfRemedy(found, all, 5_000)).toEqual([
      limitGoal('daily', 9_000),
      limitGoal('weekly', 9_500),
      limitGoal('monthly', 9_500),
    ]);
  });
});
