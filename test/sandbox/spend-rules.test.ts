import { describe, expect, it } from 'vitest';
import { createRouter } from '../../sandbox/api/route.ts';
import { spendRuleRoutes } from '../../sandbox/api/spend-rules.ts';
import { assumptionsWith } from '../../sandbox/assumptions.ts';
import { defaultSpendRules } from '../../sandbox/engine/create-account.ts';
import { type SpendRulesWrite, writtenRules } from '../../sandbox/engine/write-spend-rules.ts';
import { allMerchantCategories, categoryOf, MERCHANT_CATEGORIES } from '../../sandbox/state/merchant-category.ts';
import { rulesOf } from '../../sandbox/state/world.ts';
import { bareWorld, oneHolder, onlyAccount } from './bare-world.ts';

const write = (given: SpendRulesWrite, before = defaultSpendRules()) => writtenRules(before, given, assumptionsWith());

describe('a write of spend rules', () => {
  it('replaces the given fields and keeps all others, even unknown ones', () => {
    const before = write({ DailySpendLimit: 100, MonthlySpendLimit: 900, FutureField: { keep: true } });

    const after = write({ DailySpendLimit: 200 }, before);

    expect(after).toMatchObject({
      DailySpendLimit: 200,
      MonthlySpendLimit: 900,
      FutureField: { keep: true },
      CardNotPresentUse: true,
    });
    expect(after.MerchantCategories).toEqual(allMerchantCategories());
  });

  it('removes a limit with null', () => {
    expect(write({ DailySpendLimit: null }, write({ DailySpendLimit: 100 })).DailySpendLimit).toBeNull();
  });

  it.each([
    [{ DailySpendLimit: 101, WeeklySpendLimit: 100 }, 'Shorter period'],
    [{ DailySpendLimit: 101, LifetimeSpendLimit: 100 }, 'Shorter period'],
    [{ MonthlySpendLimit: 2, YearlySpendLimit: 1 }, 'Shorter period'],
    [{ MerchantCategories: [{ Id: 9, WeeklySpendLimit: 5, MonthlySpendLimit: 4 }] }, 'Shorter period'],
    [
      { DailySpendLimit: 10, MerchantCategories: [{ Id: 9, DailySpendLimit: 10.01 }] },
      'Merchant spend limit exceeds overall spend limit',
    ],
    [{ MerchantCategories: [{ Id: 99 }] }, 'Invalid merchant category'],
    [{ MerchantCategories: [{ Id: 9 }, { Id: 9 }] }, 'Merchant categories duplicated'],
  ] as const)('refuses %j: %s', (given, message) => {
    expect(() => write(given as unknown as SpendRulesWrite)).toThrow(message);
  });

  it.each([
    [{ DailySpendLimit: 100, WeeklySpendLimit: 100 }],
    [{ DailySpendLimit: 0 }],
    [{ DailySpendLimit: 10, MerchantCategories: [{ Id: 9, DailySpendLimit: 10 }] }],
    [{ MerchantCategories: [] }],
  ])('accepts %j', (given) => {
    expect(() => write(given as SpendRulesWrite)).not.toThrow();
  });

  it('refuses a limit that contradicts one written before', () => {
    expect(() => write({ DailySpendLimit: 500 }, write({ WeeklySpendLimit: 400 }))).toThrow('Shorter period');
  });
});

describe('limits written together', () => {
  const card = write({
    DailySpendLimit: 100,
    WeeklySpendLimit: 200,
    MerchantCategories: [{ Id: 9, DailySpendLimit: 80, TransactionLimit: 50 }],
  });

  it('are checked in their final state: daily against weekly, category against card', () => {
    expect(() => write({ DailySpendLimit: 300 }, card)).toThrow('Shorter period');
    expect(write({ DailySpendLimit: 300, WeeklySpendLimit: 300 }, card)).toMatchObject({ WeeklySpendLimit: 300 });
    const categories = { MerchantCategories: [{ Id: 9, DailySpendLimit: 150 }] };
    expect(() => write(categories, card)).toThrow('Merchant spend limit exceeds overall spend limit');
    expect(write({ DailySpendLimit: 150, ...categories }, card).MerchantCategories).toMatchObject([
      { DailySpendLimit: 150, TransactionLimit: 50 },
    ]);
  });

  it('do not compare a single-purchase limit with any window', () => {
    const categories = { MerchantCategories: [{ Id: 9, TransactionLimit: 5000 }] };
    expect(write(categories, card).MerchantCategories).toMatchObject([{ TransactionLimit: 5000, DailySpendLimit: 80 }]);
  });
});

describe('merchant categories', () => {
  it('cover every merchant code exactly once', () => {
    for (let code = 0; code <= 9999; code += 1) {
      expect(MERCHANT_CATEGORIES).toContain(categoryOf(String(code).padStart(4, '0')));
    }
  });

  it.each([
    ['5812', 'Restaurants'],
    ['5251', 'Hardware Stores'],
    ['5542', 'Fuel Pump Only'],
    ['5541', 'Fuel and Convenience Stores'],
    ['3211', 'Travel and Transportation'],
    ['5411', 'Grocery Stores'],
    ['8062', 'Healthcare and Childcare Services'],
    ['5999', 'Retail Stores'],
    ['7922', 'Entertainment'],
  ])('%s is %s', (code, name) => {
    expect(categoryOf(code).name).toBe(name);
  });
});

it.each([
  [true, null, 70],
  [false, 1, 900],
])('rules written to a card of a ruleset take it out, if so assumed: %s', (isUnassigned, ruleset, limit) => {
  const bare = bareWorld({
    seed: {
      ...oneHolder(100, { ruleset: 1 }),
      rulesets: [{ id: 1, name: 'Field', rules: { DailySpendLimit: 900 } }],
    },
    assumptions: { ruleOfRulesetWriteUnassigns: isUnassigned },
  });
  const { acctId } = onlyAccount(bare);
  const found = createRouter(spendRuleRoutes)('PUT', `/Card/SpendRules/${acctId}/Advanced`);
  if (!('route' in found)) throw new Error('no such route');

  found.route.answer({ world: bare.world, params: found.params, body: { DailySpendLimit: 70 } } as never);

  expect(onlyAccount(bare).rulesetId).toBe(ruleset);
  expect(rulesOf(bare.world, onlyAccount(bare)).DailySpendLimit).toBe(limit);
});
