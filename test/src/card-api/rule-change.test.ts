import { describe, expect, it } from 'vitest';
import { type Rule, type RuleValue, without } from '../../../src/card-api/rule.ts';
import {
  changesFrom,
  goalsOf,
  inRuleOrder,
  isAboutLimits,
  isLooser,
  isMade,
  isSameGoals,
  RuleChange,
  raiseCents,
  reversed,
  ruleKeys,
  withGoals,
} from '../../../src/card-api/rule-change.ts';
import { limitChange, limitGoal } from '../../support/limit-goals.ts';

const restaurants = { id: 9, name: 'Restaurants' };
const none = { daily: null, weekly: null, monthly: null, yearly: null, lifetime: null };
const rules = {
  limits: { ...none, daily: 40_000, weekly: 150_000 },
  categories: [{ ...restaurants, transactionLimitCents: 2_500, limits: none }],
  apartCents: 0,
  isEveryCategoryAllowed: false,
  isInternationalAllowed: false,
  isCardNotPresentAllowed: true,
  usesBusinessBalance: null,
};
const goals = [limitGoal('transaction', 4_000, restaurants), limitGoal('daily', 45_000), limitGoal('weekly', 160_000)];
const abroad: Rule = { kind: 'international' };

describe('limits changed together', () => {
  it('have the same order, however they are named', () => {
    expect(inRuleOrder([...goals].toReversed())).toEqual(goals);
    expect(ruleKeys(goals)).toEqual(['limit:transaction:9', 'limit:daily:', 'limit:weekly:']);
    expect(isSameGoals(goals, goals.toReversed())).toBe(true);
    expect(isSameGoals(goals, goals.slice(1))).toBe(false);
    expect(isSameGoals(goals, goals.with(0, limitGoal('transaction', 1, restaurants)))).toBe(false);
  });

  it('start from the card’s current rules, and can be reversed', () => {
    const changes = changesFrom(rules, goals);

    expect(changes.map(({ from }) => from)).toEqual([2_500, 40_000, 150_000]);
    expect(goalsOf(changes)).toEqual(goals);
    expect(reversed(reversed(changes))).toEqual(changes);
    expect(isMade(changes)).toBe(false);
    expect(isMade(changesFrom(rules, reversed(changes)))).toBe(true);
    expect(without(changes, goals.slice(1))).toEqual([limitChange('transaction', 2_500, 4_000, restaurants)]);
    expect(withGoals(changes, [limitGoal('daily', 1)])[1]).toEqual(limitChange('daily', 40_000, 1));
    expect(changes.map((change) => RuleChange.parse(change))).toEqual(changes);
  });
});

describe('rules that allow something', () => {
  it.each<[Rule, boolean]>([
    [abroad, false],
    [{ kind: 'card_not_present' }, true],
    [{ kind: 'category', category: restaurants }, true],
    [{ kind: 'category', category: { id: 10, name: 'Fuel' } }, false],
  ])('%j is allowed: %s', (rule, isAllowed) => {
    expect(changesFrom(rules, [{ rule, to: true }])).toEqual([{ rule, from: isAllowed, to: true }]);
    expect(isAboutLimits([{ rule }])).toBe(false);
  });

  it('have no amount, and a limit has no allowed flag', () => {
    expect(RuleChange.safeParse({ rule: abroad, from: false, to: 400 }).success).toBe(false);
    expect(RuleChange.safeParse({ rule: limitGoal('daily', 1).rule, from: null, to: true }).success).toBe(false);
  });
});

it.each<[(readonly [RuleValue, RuleValue])[], boolean]>([
  [
    [
      [1, 1],
      [2, 3],
    ],
    true,
  ],
  [
    [
      [1, 0],
      [2, 2],
    ],
    false,
  ],
  [
    [
      [1, 0],
      [2, null],
    ],
    true,
  ],
  [
    [
      [null, 5],
      [2, 2],
    ],
    false,
  ],
  [[[400, 450]], true],
  [[[false, true]], true],
  [[[true, true]], false],
  [[[true, false]], false],
])('decides whether %j loosens the card: %s', (sides, isMore) => {
  const changes = sides.map(([from, to]) => ({
    rule: typeof to === 'boolean' ? abroad : limitGoal('daily', null).rule,
    from,
    to,
  }));

  expect(isLooser(changes)).toBe(isMore);
});

it.each([
  [50_000, 80_000, 30_000],
  [50_000, 50_000, 0],
  [50_000, 10_000, 0],
  [50_000, null, Number.POSITIVE_INFINITY],
  [null, 50_000, 0],
  [null, null, 0],
  [0, 1, 1],
])('%s → %s raises a limit by %s', (from, to, expected) => {
  expect(raiseCents(from, to)).toBe(expected);
});
