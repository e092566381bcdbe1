import { z } from 'zod';
import { End } from '../core/end-time.ts';
import {
  isSameRule,
  type LimitPeriod,
  type LimitRule,
  limitPeriods,
  limitWindows,
  type OfRule,
  ofRule,
  Rule,
  RuleValue,
  ruleKey,
} from './rule.ts';
import type { CardLimits, SpendRules } from './spend-rules.ts';

/** The target value of a rule: a change for which the current value has not been read yet. */
export const RuleGoal = z
  .strictObject({ rule: Rule, to: RuleValue })
  .refine(({ rule, to }) => fits(rule, to), 'not a value of this rule');
export type RuleGoal = z.infer<typeof RuleGoal>;

export const RuleChange = z
  .strictObject({ rule: Rule, from: RuleValue, to: RuleValue })
  .refine(({ rule, from, to }) => fits(rule, from) && fits(rule, to), 'not values of this rule');
export type RuleChange = z.infer<typeof RuleChange>;

/** Rules that are changed together in one write. */
export const RuleGoals = z.array(RuleGoal).min(1).readonly();
export const RuleChanges = z.array(RuleChange).min(1).readonly();

/** How long a change lasts. Days end at midnight on the service's clock, when its daily limits reset. */
export const Term = z.discriminatedUnion('kind', [
  End,
  /** Until the purchase it was made for is authorized, at most 15 minutes. */
  z.strictObject({ kind: z.literal('purchase') }),
]);
export type Term = z.infer<typeof Term>;

export interface LimitGoal {
  readonly rule: LimitRule;
  /** Whole cents. Null: no limit. */
  readonly to: number | null;
}

function fits(rule: Rule, value: RuleValue): boolean {
  return (typeof value === 'boolean') !== (rule.kind === 'limit');
}

/** True when all of them are limits and none is about what is allowed. */
export function isAboutLimits(goals: readonly OfRule[]): boolean {
  return goals.every(({ rule }) => rule.kind === 'limit');
}

export function limitGoals(goals: readonly RuleGoal[]): LimitGoal[] {
  return goals.flatMap(({ rule, to }) => (rule.kind === 'limit' ? [{ rule, to: centsOf(to) }] : []));
}

/**
 * Category limits before the card's, shorter windows before longer ones: the order for showing and writing several
 * limits.
 */
export function inRuleOrder<T extends { readonly rule: LimitRule }>(limits: readonly T[]): T[] {
  return limits.toSorted(
    ({ rule: a }, { rule: b }) =>
      Number(a.category === null) - Number(b.category === null) ||
      (a.category?.id ?? 0) - (b.category?.id ?? 0) ||
      limitWindows.indexOf(a.period) - limitWindows.indexOf(b.period),
  );
}

/** Whole cents. Null: there is no limit like this. */
export function limitOf({ limits, categories }: CardLimits, { period, category }: LimitRule): number | null {
  const own = category === null ? undefined : categories.find(({ id }) => id === category.id);
  if (period === 'transaction') return own?.transactionLimitCents ?? null;
  return (category === null ? limits : own?.limits)?.[period] ?? null;
}

/** Whether a card can have this rule: a limit of a category needs the category. */
export function isOnCard({ categories }: CardLimits, rule: Rule): boolean {
  return rule.kind !== 'limit' || rule.category === null || categories.some(({ id }) => id === rule.category?.id);
}

/** All limits that a card can have, also those that it has not: they may be without an amount only for a time. */
export function limitsOf({ limits, categories }: CardLimits): LimitGoal[] {
  const overall = limitPeriods.map((period) => ({ rule: limitRule(period, null), to: limits[period] }));
  const ofCategories = categories.flatMap(({ id, name, limits }) =>
    limitPeriods.map((period) => ({ rule: limitRule(period, { id, name }), to: limits[period] })),
  );
  return [...overall, ...ofCategories];
}

export function limitRule(period: LimitPeriod, category: LimitRule['category']): LimitRule {
  return { kind: 'limit', period, category };
}

export function ruleValue(rules: SpendRules, rule: Rule): RuleValue {
  switch (rule.kind) {
    case 'limit':
      return limitOf(rules, rule);
    case 'category':
      return rules.isEveryCategoryAllowed || rules.categories.some(({ id }) => id === rule.category.id);
    case 'international':
      return rules.isInternationalAllowed ?? false;
    case 'card_not_present':
      return rules.isCardNotPresentAllowed ?? false;
  }
}

/** The changes from the card's current rules to the goals. */
export function changesFrom(rules: SpendRules, goals: readonly RuleGoal[]): RuleChange[] {
  return goals.map(({ rule, to }) => ({ rule, from: ruleValue(rules, rule), to }));
}

export function goalsOf(changes: readonly RuleChange[]): RuleGoal[] {
  return changes.map(({ rule, to }) => ({ rule, to }));
}

/** The changes that undo these. */
export function reversed(changes: readonly RuleChange[]): RuleChange[] {
  return changes.map(({ rule, from, to }) => ({ rule, from: to, to: from }));
}

/** The same changes with other target values. */
export function withGoals<T extends RuleGoal>(changes: readonly T[], goals: readonly RuleGoal[]): T[] {
  return changes.map((change) => {
    const goal = ofRule(goals, change.rule);
    return goal === undefined ? change : { ...change, to: goal.to };
  });
}

/** True when nothing is left to change. */
export function isMade(changes: readonly RuleChange[]): boolean {
  return changes.every(({ from, to }) => from === to);
}

export function isSameGoals(a: readonly RuleGoal[], b: readonly RuleGoal[]): boolean {
  return a.length === b.length && a.every((goal) => hasGoal(b, goal));
}

export function ruleKeys(changes: readonly OfRule[]): string[] {
  return changes.map(({ rule }) => ruleKey(rule));
}

/** Whether one of them gives a rule this value. */
export function hasGoal(goals: readonly RuleGoal[], { rule, to }: RuleGoal): boolean {
  return goals.some((goal) => isSameRule(goal.rule, rule) && goal.to === to);
}

/** True when any of the rules allows more afterwards. */
export function isLooser(changes: readonly RuleChange[]): boolean {
  return changes.some(({ rule, from, to }) =>
    rule.kind === 'limit' ? raiseCents(centsOf(from), centsOf(to)) > 0 : to === true && from !== true,
  );
}

/** How much more a card may spend: 0 when the limit falls or there was none, Infinity when it is removed. Whole cents. */
export function raiseCents(fromCents: number | null, toCents: number | null): number {
  if (fromCents === null) return 0;
  if (toCents === null) return Number.POSITIVE_INFINITY;
  return Math.max(0, toCents - fromCents);
}

/** The value of a limit, in whole cents. Null: no limit. */
export function centsOf(value: RuleValue): number | null {
  return typeof value === 'number' ? value : null;
}
