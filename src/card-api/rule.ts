import { z } from 'zod';

/** Windows of a spend limit, as people type them. Shortest first. */
export const limitPeriods = ['daily', 'weekly', 'monthly', 'yearly', 'lifetime'] as const;
export const LimitPeriod = z.enum(limitPeriods);
export type LimitPeriod = z.infer<typeof LimitPeriod>;

/** The same, and the limit for a single purchase, which merchant categories have. Shortest first. */
export const limitWindows = ['transaction', ...limitPeriods] as const;
export const LimitWindow = z.enum(limitWindows);
export type LimitWindow = z.infer<typeof LimitWindow>;

export const SpendCategory = z.strictObject({ id: z.int(), name: z.string() });
export type SpendCategory = z.infer<typeof SpendCategory>;

/** A spend limit: of a merchant category, or (null) of the card as a whole. */
export const LimitRule = z.strictObject({
  kind: z.literal('limit'),
  period: LimitWindow,
  category: SpendCategory.nullable(),
});
export type LimitRule = z.infer<typeof LimitRule>;

/** One of a card's spend rules that people may change. */
export const Rule = z.discriminatedUnion('kind', [
  LimitRule,
  /** Purchases at merchants of a category. */
  z.strictObject({ kind: z.literal('category'), category: SpendCategory }),
  z.strictObject({ kind: z.literal('international') }),
  z.strictObject({ kind: z.literal('card_not_present') }),
]);
export type Rule = z.infer<typeof Rule>;

/** What a rule says: whole cents for a limit, null where there is no limit; allowed or not for every other rule. */
export const RuleValue = z.union([z.int().nonnegative(), z.boolean(), z.null()]);
export type RuleValue = z.infer<typeof RuleValue>;

/** `limit:daily:5812`, `international`: equal for the same rule, whatever the name of its category. */
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
