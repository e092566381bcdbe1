import { expect, it } from 'vitest';
import { isSameRule, type Rule, RuleValue, ruleKey } from '../../../src/card-api/rule.ts';
import { limitGoal } from '../../support/limit-goals.ts';

const fuel = { id: 5, name: 'Fuel' };
const limit = (...args: Parameters<typeof limitGoal>): Rule => limitGoal(...args).rule;

it('a rule of a category is the same whatever the category is called', () => {
  const renamed = { ...fuel, name: 'Gas stations' };

  expect(isSameRule(limit('daily', 1, fuel), limit('daily', 2, renamed))).toBe(true);
  expect(isSameRule({ kind: 'category', category: fuel }, { kind: 'category', category: renamed })).toBe(true);
});

it('no two different rules have the same key, so that a change never touches another rule', () => {
  const rules: Rule[] = [
    limit('daily', 1),
    limit('weekly', 1),
    limit('daily', 1, fuel),
    limit('daily', 1, { ...fuel, id: 0 }),
    limit('transaction', 1, fuel),
    { kind: 'category', category: fuel },
    { kind: 'category', category: { ...fuel, id: 6 } },
    { kind: 'international' },
    { kind: 'card_not_present' },
  ];

  expect(new Set(rules.map(ruleKey)).size).toBe(rules.length);
});

it('the value of a rule is never a negative amount or a part of a cent', () => {
  const isValue = (value: unknown): boolean => RuleValue.safeParse(value).success;

  expect([0, 45_000, null, true].every(isValue)).toBe(true);
  expect([-1, 0.5, '450', undefined].some(isValue)).toBe(false);
});
