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
