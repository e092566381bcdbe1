import { z } from 'zod';
import { LimitPeriod } from './alert.ts';
import { type CardLimits, raiseCents } from './limit-change.ts';
import { formatCents } from './money.ts';

const Category = z.strictObject({ id: z.int(), name: z.string() });

/** One thing in a card's spend rules that people may have changed, and what it shall be. */
export const RuleChange = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('limit'),
    period: LimitPeriod,
    /** Null: the card's overall limit. */
    category: Category.nullable(),
    /** Whole cents; null takes the limit away. */
    limitCents: z.int().nonnegative().nullable(),
  }),
  z.strictObject({ kind: z.literal('category'), category: Category, isAllowed: z.boolean() }),
  z.strictObject({ kind: z.literal('international'), isAllowed: z.boolean() }),
  z.strictObject({ kind: z.literal('card_not_present'), isAllowed: z.boolean() }),
]);
export type RuleChange = z.infer<typeof RuleChange>;
export type LimitChange = Extract<RuleChange, { kind: 'limit' }>;

/** What a rule says: whole cents or null (no limit) for limits, allowed or not for the others. */
export const RuleValue = z.union([z.int(), z.boolean(), z.null()]);
export type RuleValue = z.infer<typeof RuleValue>;

/** A card's spend rules, as far as they can be changed here. */
export interface CardRules extends CardLimits {
  readonly isEveryCategoryAllowed: boolean;
  readonly isInternationalAllowed: boolean | null;
  readonly isCardNotPresentAllowed: boolean | null;
}

/** Which rule it is, whatever it shall be: equal for two changes of the same rule. */
export function targetOf(change: RuleChange): string {
  if (change.kind === 'limit') return `limit:${change.period}:${change.category?.id ?? ''}`;
  return change.kind === 'category' ? `category:${change.category.id}` : change.kind;
}

/** What the rule shall be after the change. */
export function wantedOf(change: RuleChange): RuleValue {
  return change.kind === 'limit' ? change.limitCents : change.isAllowed;
}

/** The same rule, with another value. */
export function withValue(change: RuleChange, value: RuleValue): RuleChange {
  if (change.kind === 'limit') return { ...change, limitCents: typeof value === 'number' ? value : null };
  return { ...change, isAllowed: value === true };
}

/** What the rule is now. */
export function currentOf(rules: CardRules, change: RuleChange): RuleValue {
  switch (change.kind) {
    case 'limit': {
      const { category, period } = change;
      const limits = category === null ? rules.limits : rules.categories.find(({ id }) => id === category.id)?.limits;
      return limits?.[period] ?? null;
    }
    case 'category':
      return rules.isEveryCategoryAllowed || rules.categories.some(({ id }) => id === change.category.id);
    case 'international':
      return rules.isInternationalAllowed ?? false;
    case 'card_not_present':
      return rules.isCardNotPresentAllowed ?? false;
  }
}

/** True when the card may do more afterwards than before. */
export function isLooser(before: RuleValue, after: RuleValue): boolean {
  if (typeof before === 'boolean' || typeof after === 'boolean') return after === true && before !== true;
  return raiseCents(before, after) > 0;
}

/** `daily limit`, `daily limit for Restaurants`, `purchases at Hardware Stores`: a noun. Raw. */
export function ruleName(change: RuleChange): string {
  switch (change.kind) {
    case 'limit':
      return `${change.period} limit${change.category === null ? '' : ` for ${change.category.name}`}`;
    case 'category':
      return `purchases at ${change.category.name}`;
    case 'international':
      return 'purchases abroad';
    case 'card_not_present':
      return 'online purchases';
  }
}

/** `$400.00`, `none`, `allowed`, `not allowed`. */
export function valueWord(value: RuleValue): string {
  if (typeof value === 'boolean') return value ? 'allowed' : 'not allowed';
  return value === null ? 'none' : formatCents(value);
}

/** `daily limit $400.00`, `purchases abroad allowed`: the rule and what it is. Raw. */
export function ruleState(change: RuleChange, value: RuleValue): string {
  return `${ruleName(change)} ${valueWord(value)}`;
}
