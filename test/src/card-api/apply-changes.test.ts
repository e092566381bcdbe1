import { describe, expect, it } from 'vitest';
import { parseAssumptions } from '../../../src/card-api/assumptions.ts';
import type { RuleGoal } from '../../../src/card-api/rule-change.ts';
import { applyChanges } from '../../../src/card-api/spend-rules.ts';
import { limitGoal } from '../../support/limit-goals.ts';

const fuel = { id: 5, name: 'Fuel' };
const books = { id: 8, name: 'Books' };
const rules = {
  MerchantCategories: [{ Id: 5, Name: 'Fuel', Note: 'kept' }, 'an entry of another shape', { Id: '6', Name: 'Travel' }],
  InternationalSpendEnabled: false,
  CardNotPresentUse: true,
  Unknown: 1,
};
const categoryGoal = (category: typeof fuel, to: boolean): RuleGoal => ({ rule: { kind: 'category', category }, to });

describe('a category', () => {
  it('is allowed by adding an entry without limits', () => {
    expect(applyChanges(rules, [categoryGoal(books, true)])).toEqual({
      ...rules,
      MerchantCategories: [
        ...rules.MerchantCategories,
        {
          Id: 8,
          Name: 'Books',
          TransactionLimit: null,
          DailySpendLimit: null,
          WeeklySpendLimit: null,
          MonthlySpendLimit: null,
          YearlySpendLimit: null,
          LifetimeSpendLimit: null,
        },
      ],
    });
  });

  it('is added with zeros if the service uses zero for no limit', () => {
    const changed = applyChanges({}, [categoryGoal(books, true)], { ...parseAssumptions(), noLimit: 0 });

    expect(changed.MerchantCategories).toEqual([expect.objectContaining({ TransactionLimit: 0, DailySpendLimit: 0 })]);
  });

  it('that is already allowed stays unchanged, including its limits', () => {
    expect(applyChanges(rules, [categoryGoal(fuel, true)])).toEqual(rules);
    expect(applyChanges(rules, [categoryGoal({ id: 6, name: 'Travel' }, true)])).toEqual(rules);
  });

  it('is disallowed by removing its entry, and the others stay', () => {
    expect(applyChanges(rules, [categoryGoal(fuel, false)])).toEqual({
      ...rules,
      MerchantCategories: rules.MerchantCategories.slice(1),
    });
  });

  it('is not removed if it is the last one and its removal would allow all', () => {
    const last = { MerchantCategories: [{ Id: 5, Name: 'Fuel' }] };

    expect(() => applyChanges(last, [categoryGoal(fuel, false)])).toThrow('the last spend category');
    const assumptions = { ...parseAssumptions(), noCategoryAllowsAll: false };
    expect(applyChanges(last, [categoryGoal(fuel, false)], assumptions)).toEqual({ MerchantCategories: [] });
  });
});

describe('a switch', () => {
  it.each<[RuleGoal, object]>([
    [{ rule: { kind: 'international' }, to: true }, { InternationalSpendEnabled: true }],
    [{ rule: { kind: 'card_not_present' }, to: false }, { CardNotPresentUse: false }],
  ])('%j leaves everything else unchanged', (goal, changed) => {
    expect(applyChanges(rules, [goal])).toEqual({ ...rules, ...changed });
  });
});

describe('a limit', () => {
  it.each([
    [{}, {}],
    [{ IsDailySpendLimitEnabled: false }, { IsDailySpendLimitEnabled: true }],
    [{ IsDailySpendLimitEnabled: null }, { IsDailySpendLimitEnabled: null }],
  ])('per day also sets its switch, if it has one: %j', (before, after) => {
    expect(applyChanges(before, [limitGoal('daily', 4_550)])).toEqual({ ...after, DailySpendLimit: 45.5 });
  });

  it('of another period leaves the daily switch unchanged', () => {
    expect(applyChanges({ IsDailySpendLimitEnabled: false }, [limitGoal('weekly', 100)])).toEqual({
      IsDailySpendLimitEnabled: false,
      WeeklySpendLimit: 1,
    });
  });

  it('of a category leaves the card’s daily switch unchanged', () => {
    const before = { IsDailySpendLimitEnabled: false, MerchantCategories: [{ Id: 5, Name: 'Fuel' }] };

    expect(applyChanges(before, [limitGoal('daily', 100, fuel)])).toEqual({
      IsDailySpendLimitEnabled: false,
      MerchantCategories: [{ Id: 5, Name: 'Fuel', DailySpendLimit: 1 }],
    });
  });

  it('that is removed is written the way the service does', () => {
    const goal = limitGoal('weekly', null);

    expect(applyChanges({}, [goal])).toEqual({ WeeklySpendLimit: null });
    expect(applyChanges({}, [goal], { ...parseAssumptions(), noLimit: 0 })).toEqual({ WeeklySpendLimit: 0 });
  });

  it('of zero is refused where the service reads zero as no limit', () => {
    const goals = [limitGoal('daily', 0)];

    expect(() => applyChanges(rules, goals, { ...parseAssumptions(), noLimit: 0 })).toThrow('would mean no limit');
    expect(applyChanges({}, goals)).toEqual({ DailySpendLimit: 0 });
  });

  it('is refused without a call if the card has no limit of that kind', () => {
    const refused = { operation: 'applyChanges', status: null, outcome: 'not_sent', code: 'refused', apiMessage: null };

    expect(() => applyChanges(rules, [limitGoal('transaction', 100)])).toThrow(
      expect.objectContaining({ ...refused, message: 'a card has no limit for a single purchase' }),
    );
    expect(() => applyChanges(rules, [limitGoal('daily', 100, books)])).toThrow(
      expect.objectContaining({ ...refused, message: 'the card has no such spend category' }),
    );
  });
});
