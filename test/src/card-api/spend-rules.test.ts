import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAssumptions } from '../../../src/card-api/assumptions.ts';
import { limitPeriods } from '../../../src/card-api/rule.ts';
import { applyChanges, readSpendRules, toSpendRulesBody } from '../../../src/card-api/spend-rules.ts';
import { CardApiError } from '../../../src/core/errors.ts';
import { limitGoal } from '../../support/limit-goals.ts';

const fields = {
  daily: 'DailySpendLimit',
  weekly: 'WeeklySpendLimit',
  monthly: 'MonthlySpendLimit',
  yearly: 'YearlySpendLimit',
  lifetime: 'LifetimeSpendLimit',
};

const rules = {
  MerchantCategories: [
    {
      Id: 3,
      Name: 'Restaurants',
      Description: 'Eating places',
      TransactionLimit: 99.5,
      DailySpendLimit: 200,
      WeeklySpendLimit: null,
      Later: { a: 1 },
    },
    { Id: 5, Name: 'Fuel', Description: null, DailySpendLimit: 50.25 },
  ],
  InternationalSpendEnabled: false,
  IsDailySpendLimitEnabled: true,
  DailySpendLimit: 500,
  WeeklySpendLimit: 1500.1,
  MonthlySpendLimit: null,
  CardNotPresentUse: true,
  UseCustomerAuthDecision: false,
  SomethingNew: ['kept'],
};
const wrapped = { AdvancedSpendRules: rules };
const none = { daily: null, weekly: null, monthly: null, yearly: null, lifetime: null };

describe('several limits changed at once', () => {
  const changes = [
    limitGoal('transaction', 12_050, { id: 3, name: 'Restaurants' }),
    limitGoal('weekly', 70_000, { id: 3, name: 'Restaurants' }),
    limitGoal('daily', null),
  ];
  const [restaurants, fuel] = rules.MerchantCategories;
  const expected = {
    ...rules,
    MerchantCategories: [{ ...restaurants, TransactionLimit: 120.5, WeeklySpendLimit: 700 }, fuel],
    DailySpendLimit: null,
    IsDailySpendLimitEnabled: false,
  };

  it('leave everything else unchanged, including unknown fields', () => {
    expect(applyChanges(rules, changes)).toEqual(expected);
    expect(applyChanges(wrapped, changes)).toEqual({ AdvancedSpendRules: expected });
  });

  it('are all refused if one of them is for a category that the card does not have', () => {
    const unlisted = [limitGoal('daily', 1), limitGoal('transaction', 1, { id: 99, name: 'Travel' })];

    expect(() => applyChanges(rules, unlisted)).toThrow(CardApiError);
    expect(() => applyChanges(rules, [limitGoal('transaction', 1)])).toThrow(CardApiError);
  });
});

describe('reading spend rules', () => {
  it.each([
    ['with the wrapper', wrapped],
    ['without it', rules],
  ])('works %s', (_what, raw) => {
    expect(readSpendRules(raw)).toEqual({
      limits: { ...none, daily: 50_000, weekly: 150_010 },
      apartCents: 0,
      categories: [
        { id: 3, name: 'Restaurants', transactionLimitCents: 9_950, limits: { ...none, daily: 20_000 } },
        { id: 5, name: 'Fuel', transactionLimitCents: null, limits: { ...none, daily: 5_025 } },
      ],
      isEveryCategoryAllowed: false,
      isInternationalAllowed: false,
      isCardNotPresentAllowed: true,
      usesBusinessBalance: null,
    });
  });

  it.each([
    [true, [], true],
    [true, null, true],
    [true, [{ Id: 3, Name: 'Restaurants' }], false],
    [false, [], false],
  ])(
    'reads an empty category list as all categories, depending on the assumption %j',
    (noCategoryAllowsAll, MerchantCategories, all) => {
      const read = readSpendRules({ MerchantCategories }, { ...parseAssumptions(), noCategoryAllowsAll });
      expect(read?.isEveryCategoryAllowed).toBe(all);
    },
  );

  it('reads null, a missing field and a disabled daily limit as no limit, and zero as zero', () => {
    expect(readSpendRules({ DailySpendLimit: null })?.limits).toEqual(none);
    for (const DailySpendLimit of [0, 500])
      expect(readSpendRules({ IsDailySpendLimitEnabled: false, DailySpendLimit })?.limits).toEqual(none);
    expect(readSpendRules({ IsDailySpendLimitEnabled: true, DailySpendLimit: 0 })?.limits).toEqual({
      ...none,
      daily: 0,
    });
    expect(readSpendRules({ WeeklySpendLimit: 0 })?.limits).toEqual({ ...none, weekly: 0 });
  });

  it('reads limits that are written as text, and writes them back as they were', () => {
    const sent = {
      DailySpendLimit: '400.00',
      WeeklySpendLimit: 900,
      MerchantCategories: [{ Id: 3, Name: 'Restaurants', TransactionLimit: '99.50' }],
    };

    const read = readSpendRules(sent);

    expect(read?.limits).toEqual({ ...none, daily: 40_000, weekly: 90_000 });
    expect(read?.categories).toMatchObject([{ transactionLimitCents: 9_950 }]);
    expect(applyChanges(sent, [limitGoal('weekly', 100_000)])).toEqual({ ...sent, WeeklySpendLimit: 1000 });
    expect(
      readSpendRules({ DailySpendLimit: '0.00' }, { ...parseAssumptions(), noLimit: 0 })?.limits,
      'the value that means no limit',
    ).toEqual(none);
  });

  it('reads zero as no limit if the service is assumed to mean that', () => {
    const assumptions = {
      ...parseAssumptions(),
      spendRulesWrapper: 'Rules',
      noLimit: 0 as const,
    };

    expect(readSpendRules({ Rules: { DailySpendLimit: 0, WeeklySpendLimit: 5 } }, assumptions)?.limits).toEqual({
      ...none,
      weekly: 500,
    });
    expect(applyChanges({ Rules: { DailySpendLimit: 7 } }, [limitGoal('daily', null)], assumptions)).toEqual({
      Rules: { DailySpendLimit: 0 },
    });
  });

  it.each([
    ['UseBusinessBalanceForAuths', true, true],
    ['PaysFromBusiness', false, false],
    ['PaysFromBusiness', undefined, null],
  ])('reads from %s = %j whether the business pays', (businessBalanceField, flag, usesBusinessBalance) => {
    const raw = { DailySpendLimit: 5, [businessBalanceField]: flag };

    expect(readSpendRules(raw, { ...parseAssumptions(), businessBalanceField })).toMatchObject({
      usesBusinessBalance,
    });
  });

  it.each([
    ['true, under the service’s own name', { UseAcmeAccountBalanceForAuths: true }, true],
    ['false, under the service’s own name', { UseAcmeAccountBalanceForAuths: false }, false],
    ['not sent', {}, null],
    ['another balance', { UseAcmeCardBalanceForAuths: true, UseCustomerAuthDecision: true }, null],
    ['contradictory', { UseAcmeBalanceForAuths: true, UseOtherBalanceForAuths: false }, null],
  ])('recognizes the flag that the business pays by the form of its name: %s', (_what, flags, usesBusinessBalance) => {
    expect(readSpendRules({ DailySpendLimit: 5, ...flags })).toMatchObject({ usesBusinessBalance });
  });

  it('reads only the named flag if a name is configured, even one that looks like the service’s', () => {
    const configured = (businessBalanceField: string) =>
      readSpendRules(
        { DailySpendLimit: 5, UseAcmeAccountBalanceForAuths: true },
        { ...parseAssumptions(), businessBalanceField },
      );

    expect(configured('PaysFromBusiness')).toMatchObject({ usesBusinessBalance: null });
    expect(configured('UseBusinessBalanceForAuths')).toMatchObject({ usesBusinessBalance: null });
  });

  it.each([[null], ['rules'], [[1]], [{ DailySpendLimit: 'much' }]])('is null for %j', (raw) => {
    expect(readSpendRules(raw)).toBeNull();
  });
});

describe('changing one limit', () => {
  const json = fc.jsonValue() as fc.Arbitrary<unknown>;
  const amount = fc.option(fc.integer({ min: 0, max: 1_000_000_00 }), { nil: null });
  const decimals = fc.option(
    amount.map((cents) => (cents === null ? null : cents / 100)),
    { nil: undefined },
  );
  const limits = fc.record(
    {
      DailySpendLimit: decimals,
      WeeklySpendLimit: decimals,
      MonthlySpendLimit: decimals,
      YearlySpendLimit: decimals,
      LifetimeSpendLimit: decimals,
    },
    { requiredKeys: [] },
  );
  const unknownFields = fc.dictionary(
    fc.string({ minLength: 1, maxLength: 8 }).map((name) => `Unknown${name}`),
    json,
    { maxKeys: 4 },
  );
  const category = fc
    .tuple(limits, unknownFields, fc.record({ Name: fc.string(), Description: fc.string() }))
    .map(([a, b, c]) => ({ ...c, ...a, ...b }));
  const anyRules = fc
    .tuple(limits, unknownFields, fc.array(category, { minLength: 1, maxLength: 4 }), fc.boolean(), fc.boolean())
    .map(([a, b, categories, isWrapped, isEnabled]) => {
      const inner = {
        ...b,
        IsDailySpendLimitEnabled: isEnabled,
        ...a,
        MerchantCategories: categories.map((one, Id) => ({ Id, ...one })),
      };
      return isWrapped ? { Beside: 1, AdvancedSpendRules: inner } : inner;
    })
    // Data from the wire contains no undefined.
    .map((raw) => JSON.parse(JSON.stringify(raw)) as Record<string, unknown>);

  it('sets that limit and leaves everything else unchanged and in order', () => {
    fc.assert(
      fc.property(
        anyRules,
        fc.constantFrom(...limitPeriods),
        fc.option(fc.nat({ max: 3 }), { nil: null }),
        amount,
        (raw, period, wanted, limitCents) => {
          const before = structuredClone(raw);
          const count = readSpendRules(raw)?.categories.length ?? 0;
          const category = wanted === null ? null : wanted % count;

          const ofCategory = category === null ? null : { id: category, name: 'any' };
          const changed = applyChanges(raw, [limitGoal(period, limitCents, ofCategory)]);

          expect(raw).toEqual(before);
          const view = readSpendRules(changed);
          const own = category === null ? view?.limits : view?.categories.find(({ id }) => id === category)?.limits;
          expect(own?.[period]).toBe(limitCents);
          // Revert the change. Everything else must be equal, including the order.
          const where = (all: Record<string, unknown>): Record<string, unknown> => {
            const inner = (all.AdvancedSpendRules ?? all) as Record<string, unknown>;
            return category === null
              ? inner
              : ((inner.MerchantCategories as Record<string, unknown>[]).find(({ Id }) => Id === category) ?? {});
          };
          const undone = structuredClone(changed);
          const field = fields[period];
          if (field in where(raw)) where(undone)[field] = where(raw)[field];
          else delete where(undone)[field];
          // The switch of the daily limit changes with it.
          if (field === 'DailySpendLimit' && category === null) {
            expect(where(changed).IsDailySpendLimitEnabled).toBe(limitCents !== null);
            where(undone).IsDailySpendLimitEnabled = where(raw).IsDailySpendLimitEnabled;
          }
          expect(JSON.stringify(undone)).toBe(JSON.stringify(raw));
        },
      ),
    );
  });

  it('writes back everything it read, without the wrapper', () => {
    fc.assert(
      fc.property(anyRules, (raw) => {
        expect(toSpendRulesBody(raw)).toEqual(raw.AdvancedSpendRules ?? raw);
      }),
    );
  });

  it('omits fields that an override names as read-only', () => {
    const assumptions = parseAssumptions(
      JSON.stringify({ readOnlyRuleFields: ['IsDailySpendLimitEnabled'], readOnlyCategoryFields: ['Description'] }),
    );
    const raw = { IsDailySpendLimitEnabled: true, Odd: 1, MerchantCategories: [{ Id: 1, Description: 'x', New: 2 }] };

    const body = toSpendRulesBody(raw, assumptions);

    expect(body).toEqual({ Odd: 1, MerchantCategories: [{ Id: 1, New: 2 }] });
  });

  it('is refused for a response of another shape, which would read as "no limits"', () => {
    expect(readSpendRules({ SpendRules: { DailySpendLimit: 400 } })).toBeNull();
    expect(readSpendRules({ AdvancedSpendRules: {} })?.limits.daily).toBeNull();
  });

  it('is refused for a category that the card does not have', () => {
    expect(() => applyChanges(wrapped, [limitGoal('daily', 1, { id: 77, name: 'Travel' })])).toThrow(CardApiError);
    expect(() => applyChanges({}, [limitGoal('daily', 1, { id: 1, name: 'Fuel' })])).toThrow('no such spend category');
  });
});
