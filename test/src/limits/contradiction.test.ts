import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LimitPeriod, type LimitWindow, limitPeriods, without } from '../../../src/card-api/rule.ts';
import {
  type LimitGoal,
  limitGoals,
  limitOf,
  limitsOf,
  type RuleChange,
  reversed,
} from '../../../src/card-api/rule-change.ts';
import type { CardLimits } from '../../../src/card-api/spend-rules.ts';
import { contradiction, withAcceptedReturns, withRaisedAlong } from '../../../src/limits/contradiction.ts';
import { limitChange, limitGoal } from '../../support/limit-goals.ts';

const none = { daily: null, weekly: null, monthly: null, yearly: null, lifetime: null };
const current: CardLimits = {
  limits: { ...none, daily: 50_000, weekly: 150_000, monthly: 400_000 },
  categories: [
    { id: 3, name: 'Restaurants', transactionLimitCents: null, limits: { ...none, daily: 20_000, weekly: 60_000 } },
  ],
};

const named = (category: number | null) => (category === null ? null : { id: category, name: 'Restaurants' });

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
    const goal = limitGoal(period, limitCents, named(category));
    expect(contradiction(current, [goal])).toEqual({ goal, why: sentence });
  });

  it.each([
    ['daily', null, 150_000],
    ['daily', null, null],
    ['lifetime', null, 400_000],
    ['yearly', null, 9_900_000],
    ['daily', 3, 50_000],
    ['monthly', 3, 60_000],
  ] as const)('accepts %s of category %s at %s cents', (period, category, limitCents) => {
    expect(contradiction(current, [limitGoal(period, limitCents, named(category))])).toBeNull();
  });

  it('agrees with the order of the windows for any limits', () => {
    const amount = fc.option(fc.integer({ min: 0, max: 10_000_00 }), { nil: null });
    const limits = fc.record({ daily: amount, weekly: amount, monthly: amount, yearly: amount, lifetime: amount });
    fc.assert(
      fc.property(limits, fc.constantFrom(...limitPeriods), amount, (overall, period, limitCents) => {
        const said = contradiction({ limits: overall, categories: [] }, [limitGoal(period, limitCents)]);
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

const change = (period: LimitWindow, dollars: number, category: number | null = null): LimitGoal =>
  limitGoal(period, dollars * 100, named(category));

describe('limits that are changed together', () => {
  it.each<[string, LimitGoal[], string | null]>([
    ['a day above the week, together with the week', [change('daily', 2000), change('weekly', 2000)], null],
    ['a lower day and a lower week', [change('daily', 300), change('weekly', 700)], null],
    ['a category above the card, together with the card', [change('daily', 550, 3), change('daily', 550)], null],
    ['a limit for a single purchase above everything', [change('transaction', 9000, 3)], null],
    [
      'a day above a week that changes with it',
      [change('daily', 2500), change('weekly', 2000)],
      'The daily limit of $2,500.00 would be above the weekly limit, $2,000.00. Change one of the two.',
    ],
    [
      'a week above a month that does not change',
      [change('daily', 5000), change('weekly', 5000)],
      'The daily limit of $5,000.00 would be above the monthly limit, $4,000.00. Raise the monthly limit first.',
    ],
    [
      'a category above the lowered limit of the card',
      [change('weekly', 550, 3), change('weekly', 520)],
      "The weekly limit for Restaurants of $550.00 would be above the card's overall weekly limit, $520.00. Change one of the two.",
    ],
  ])('%s', (_what, changes, sentence) => {
    expect(contradiction(current, changes)?.why ?? null).toBe(sentence);
  });
});

describe('limits that rise along', () => {
  it.each<[string, LimitGoal[], LimitGoal[]]>([
    ['none if the longer window has room', [change('daily', 1500)], []],
    ['the week with the day', [change('daily', 2000)], [change('weekly', 2000)]],
    ['week and month with the day', [change('daily', 5000)], [change('weekly', 5000), change('monthly', 5000)]],
    ['none besides those that are changed anyway', [change('daily', 2000), change('weekly', 1800)], []],
    ['no shorter window', [change('weekly', 2000)], []],
    ['the card’s day with the category’s', [change('daily', 550, 3)], [change('daily', 550)]],
    [
      'the category’s week, and the card’s day and week',
      [change('daily', 1600, 3)],
      [change('weekly', 1600, 3), change('daily', 1600), change('weekly', 1600)],
    ],
    [
      'a limit below two others, to the higher of them',
      [change('daily', 1700), change('weekly', 1600, 3)],
      [change('weekly', 1700)],
    ],
    ['none with a limit for a single purchase', [change('transaction', 9000, 3)], []],
    ['none with a removed limit', [limitGoal('daily', null)], []],
  ])('%s', (_what, changes, along) => {
    expect(withRaisedAlong(current, changes).slice(changes.length)).toEqual(along);
  });

  it('also rise if they are changed anyway, but not enough', () => {
    expect(withRaisedAlong(current, [change('daily', 2000), change('weekly', 1800)])).toEqual([
      change('daily', 2000),
      change('weekly', 2000),
    ]);
  });

  it('stay a cent apart per window if equal limits are not allowed; a category may equal the card', () => {
    const apart: CardLimits = { ...current, apartCents: 1 };

    expect(withRaisedAlong(apart, [change('daily', 4000)]).map(({ to }) => to)).toEqual([400_000, 400_001, 400_002]);
    expect(withRaisedAlong(apart, [change('daily', 500, 3)])).toHaveLength(1);
    expect(contradiction(apart, [change('daily', 500, 3)])).toBeNull();
    expect(contradiction(apart, [change('daily', 1500)])?.why).toBe(
      'The daily limit of $1,500.00 would be too close to the weekly limit, $1,500.00. Raise the weekly limit first.',
    );
    expect(contradiction(apart, [change('weekly', 600), change('daily', 600)])?.why).toContain(
      'Change one of the two.',
    );
    expect(contradiction(apart, [change('daily', 1499.99)])).toBeNull();
    expect(contradiction(apart, [change('weekly', 500)])?.why).toBe(
      'The weekly limit of $500.00 would be too close to the daily limit, $500.00. Lower the daily limit first.',
    );
    expect(contradiction({ ...apart, categories: [] }, [change('weekly', 500.01)])).toBeNull();
  });

  it('do not rise with a removed limit, even if they are zero', () => {
    const closed: CardLimits = { ...current, limits: { ...none, daily: 0, weekly: 0 }, apartCents: 1 };

    expect(withRaisedAlong(closed, [limitGoal('daily', null)])).toEqual([limitGoal('daily', null)]);
  });

  it('leave no contradiction, and each is as low as possible', () => {
    const steps = fc.record({
      daily: fc.option(fc.integer({ min: 0, max: 90 }), { nil: null }),
      weekly: fc.option(fc.integer({ min: 0, max: 90 }), { nil: null }),
      monthly: fc.option(fc.integer({ min: 0, max: 90 }), { nil: null }),
      yearly: fc.option(fc.integer({ min: 0, max: 90 }), { nil: null }),
      lifetime: fc.option(fc.integer({ min: 0, max: 90 }), { nil: null }),
    });
    /** Each window exceeds the previous one by the given step. */
    const ordered = (by: Record<LimitPeriod, number | null>, most: Record<LimitPeriod, number | null> = none) => {
      let last = 0;
      const limits = { ...none } as Record<LimitPeriod, number | null>;
      for (const period of limitPeriods) {
        const step = by[period];
        if (step === null) continue;
        last = Math.min(
          last + step,
          ...limitPeriods.slice(limitPeriods.indexOf(period)).map((one) => most[one] ?? 1e9),
        );
        limits[period] = last;
      }
      return limits;
    };
    const raise = fc.tuple(
      fc.constantFrom(...limitPeriods),
      fc.constantFrom(null, 3),
      fc.integer({ min: 0, max: 400 }),
    );
    fc.assert(
      fc.property(steps, steps, raise, (overall, own, [period, category, by]) => {
        const limits = ordered(overall);
        const card: CardLimits = {
          limits,
          categories: [{ id: 3, name: 'Restaurants', transactionLimitCents: null, limits: ordered(own, limits) }],
        };
        const { rule } = limitGoal(period, null, named(category));
        const limitCents = (limitOf(card, rule) ?? 0) + by;
        const changes = [{ rule, to: limitCents }];
        // Not a raise: a window without a limit gets one below a shorter window.
        fc.pre(limitOf(card, rule) !== null);
        const along = withRaisedAlong(card, changes).slice(changes.length);

        expect(contradiction(card, [...changes, ...along])).toBeNull();
        for (const one of along) {
          expect(one.to).toBe(limitCents);
          const lower = along.map((other) => (other === one ? { ...one, to: limitCents - 1 } : other));
          expect(contradiction(card, [...changes, ...lower])).not.toBeNull();
        }
      }),
    );
  });
});

describe('limits that go back', () => {
  const raised: CardLimits = { limits: { ...none, daily: 10_000, weekly: 10_000, monthly: 40_000 }, categories: [] };
  const back = (period: LimitPeriod, from: number | null) => limitChange(period, from, 10_000);

  it.each([
    ['no further than a longer one', [back('daily', 20_000)], [back('daily', 10_000)]],
    [
      'as far as a longer one that goes back, too',
      [back('daily', 20_000), back('weekly', 30_000)],
      [back('daily', 20_000), back('weekly', 30_000)],
    ],
    [
      'no further than a longer one that goes back to less',
      [back('daily', 20_000), back('weekly', 10_004)],
      [back('daily', 10_004), back('weekly', 10_004)],
    ],
    [
      'all the way beside a longer one that goes back to none, up to the next one',
      [back('weekly', null), back('daily', 50_000)],
      [back('weekly', null), back('daily', 40_000)],
    ],
  ])('go back %s', (_how, changes, accepted) => {
    expect(withAcceptedReturns(raised, changes, [])).toEqual(accepted);
  });

  it('also beside a longer one that must stay a cent below yet another', () => {
    const apart: CardLimits = {
      limits: { ...none, daily: 5_000, weekly: 9_000, monthly: 9_500 },
      categories: [],
      apartCents: 1,
    };

    const accepted = withAcceptedReturns(apart, [back('daily', 50_000), back('weekly', 60_000)], []);

    expect(accepted.map(({ from }) => from)).toEqual([9_498, 9_499]);
  });

  it('never go back below $0 beside a longer one of $0 that must stay a cent above', () => {
    const closed: CardLimits = { limits: { ...none, daily: 0, weekly: 0 }, categories: [], apartCents: 1 };

    expect(withAcceptedReturns(closed, [back('daily', 50_000)], []).map(({ from }) => from)).toEqual([0]);
  });

  it('of a category go back no further than the card’s, which goes back only up to its week', () => {
    const card: CardLimits = {
      limits: { ...none, daily: 10_000, weekly: 30_000 },
      categories: [{ id: 3, name: 'Restaurants', transactionLimitCents: null, limits: { ...none, daily: 10_000 } }],
    };
    const changes = [limitChange('daily', 35_000, 10_000, named(3)), back('daily', 40_000)];

    expect(withAcceptedReturns(card, changes, []).map(({ from }) => from)).toEqual([30_000, 30_000]);
  });

  it('leave no contradiction, whichever go back', () => {
    /** Undefined: it does not go back. Null: it was not limited before. */
    const goesBackTo = fc.option(fc.option(fc.integer({ min: 0, max: 400 }), { nil: null }), { nil: undefined });
    const window = fc.record({
      /** Above the window before, and of the card above the category's. Null: not limited. */
      step: fc.integer({ min: 1, max: 30 }),
      above: fc.integer({ min: 0, max: 30 }),
      isOnCard: fc.boolean(),
      isOnCategory: fc.boolean(),
      back: fc.tuple(goesBackTo, goesBackTo),
    });
    fc.assert(
      fc.property(fc.tuple(window, window, window, window, window), fc.constantFrom(0, 1), (windows, apartCents) => {
        const limits = { ...none } as Record<LimitPeriod, number | null>;
        const own = { ...limits };
        const changes: RuleChange[] = [];
        let [cardCents, categoryCents] = [0, 0];
        for (const [
          index,
          {
            step,
            above,
            isOnCard,
            isOnCategory,
            back: [onCard, onCategory],
          },
        ] of windows.entries()) {
          const period = limitPeriods[index] ?? 'daily';
          categoryCents += step;
          cardCents += step + above;
          if (isOnCard) limits[period] = cardCents;
          if (isOnCategory) own[period] = categoryCents;
          if (isOnCard && onCard !== undefined) changes.push(limitChange(period, onCard, cardCents));
          if (isOnCategory && onCategory !== undefined)
            changes.push(limitChange(period, onCategory, categoryCents, named(3)));
        }
        const card: CardLimits = {
          limits,
          categories: [{ id: 3, name: 'Restaurants', transactionLimitCents: null, limits: own }],
          apartCents,
        };

        const accepted = withAcceptedReturns(card, changes, without(limitsOf(card), changes));

        expect(contradiction(card, limitGoals(reversed(accepted)))).toBeNull();
      }),
    );
  });
});
