import { z } from 'zod';

/** Windows of a spend limit, as people type them. Shortest first. */
export const limitPeriods = ['daily', 'weekly', 'monthly', 'yearly', 'lifetime'] as const;
export const LimitPeriod = z.enum(limitPeriods);
export type LimitPeriod = z.infer<typeof LimitPeriod>;

/** The same plus the limit for a single purchase, which merchant categories have. Shortest first. */
export const limitWindows = ['transaction', ...limitPeriods] as const;
export const LimitWindow = z.enum(limitWindows);
export type LimitWindow = z.infer<typeof LimitWindow>;

export const SpendCategory = z.strictObject({ id: z.int(), name: z.string() });
export type SpendCategory = z.infer<typeof SpendCategory>;

/** A spend limit of a merchant category, or (null) of the card itself. */
export const LimitRule = z.strictObject({
  kind: z.literal('limit'),
  period: LimitWindow,
  category: SpendCategory.nullable(),
});
export type LimitRule = z.infer<typeof LimitRule>;

/** A spend rule of a card that people may change. */
export const Rule = z.discriminatedUnion('kind', [
  LimitRule,
  /** Purchases at merchants of a category. */
  z.strictObject({ kind: z.literal('category'), category: SpendCategory }),
  z.strictObject({ kind: z.literal('international') }),
  z.strictObject({ kind: z.literal('card_not_present') }),
]);
export type Rule = z.infer<typeof Rule>;

/** The value of a rule: whole cents for a limit, null for no limit; allowed or not for all other rules. */
export const RuleValue = z.union([z.int().nonnegative(), z.boolean(), z.null()]);
export type RuleValue = z.infer<typeof RuleValue>;

/** `limit:daily:5812`, `international`: equal for the same rule, whatever its category is called. */
export function ruleKey(rule: Rule): string {
  switch (rule.kind) {
    case 'limit':
      return `limit:${rule.period}:${rule.category?.id ?? ''}`;
    case 'category':
      return `category:${rule.category.id}`;
    default:
      return rule.kind;
  }
}

export function isSameRule(a: Rule, b: Rule): boolean {
  return ruleKey(a) === ruleKey(b);
}

export interface OfRule {
  readonly rule: Rule;
}

/** The change of a rule; undefined: it is not among them. */
export function ofRule<T extends OfRule>(changes: readonly T[], rule: Rule): T | undefined {
  return changes.find((change) => isSameRule(change.rule, rule));
}

/** The changes of these rules. */
export function ofRules<T extends OfRule>(changes: readonly T[], others: readonly OfRule[]): T[] {
  return changes.filter(({ rule }) => ofRule(others, rule) !== undefined);
}

/** The changes of all other rules. */
export function without<T extends OfRule>(changes: readonly T[], others: readonly OfRule[]): T[] {
  return changes.filter(({ rule }) => ofRule(others, rule) === undefined);
}

/** The changes of rules that had another value before. */
export function movedSince<T extends OfRule & { readonly from: RuleValue }>(
  now: readonly T[],
  before: readonly T[],
): T[] {
  return now.filter(({ rule, from }) => before.some((seen) => isSameRule(seen.rule, rule) && seen.from !== from));
}
