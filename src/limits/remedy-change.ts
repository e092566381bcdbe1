import { z } from 'zod';
import { LimitRule } from '../card-api/rule.ts';
import { inRuleOrder, type LimitGoal, limitOf, type RuleGoal } from '../card-api/rule-change.ts';
import type { CardLimits } from '../card-api/spend-rules.ts';
import { withRaisedAlong } from './contradiction.ts';

/** A limit that has to rise for a purchase to pass. Whole cents; null where the card API did not say. */
export const LimitRaise = z.strictObject({
  rule: LimitRule,
  /** What it is now. */
  from: z.int().nullable(),
  /** The lowest that will do. */
  to: z.int().nullable(),
  remainingCents: z.int().nullable(),
  /** It stops nothing itself, but others would be above it. */
  isAdjustedToo: z.boolean(),
});
export type LimitRaise = z.infer<typeof LimitRaise>;

/** What would let a declined purchase pass, as far as the card API can do it. */
export const Remedy = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('raise_limit'),
    /** What stopped the purchase, tightest first, then what rises along: raising one alone does not help. */
    limits: z.tuple([LimitRaise], LimitRaise).readonly(),
  }),
  z.strictObject({
    kind: z.literal('allow_category'),
    /** Null id: the card service's number of the category is not known. */
    category: z.strictObject({ id: z.int().nullable(), name: z.string() }),
  }),
  z.strictObject({ kind: z.literal('allow_international') }),
  z.strictObject({ kind: z.literal('allow_card_not_present') }),
  z.strictObject({ kind: z.literal('activate') }),
  z.strictObject({ kind: z.literal('unblock') }),
]);
export type Remedy = z.infer<typeof Remedy>;
export type RaiseLimit = Extract<Remedy, { kind: 'raise_limit' }>;

/** The limits that have to rise; none where something else would let the purchase pass. */
export function limitsOf(remedy: Remedy | null): readonly LimitRaise[] {
  return remedy?.kind === 'raise_limit' ? remedy.limits : [];
}

/** True when it is not known what was left of a limit that stopped the purchase: then there may be more of them. */
export function isIncomplete(remedy: Remedy): boolean {
  return limitsOf(remedy).some(({ remainingCents, isAdjustedToo }) => !isAdjustedToo && remainingCents === null);
}

/**
 * What a card's rules shall be for a remedy: all its limits at once.
 *
 * @param amountCents the purchase that should pass.
 * @returns null where it is no rule (a status), or where it cannot be told what it should be.
 */
export function goalsOfRemedy(remedy: Remedy, rules: CardLimits | null, amountCents: number): RuleGoal[] | null {
  switch (remedy.kind) {
    case 'raise_limit':
      return raised(remedy.limits, rules, amountCents);
    case 'allow_category': {
      const { id, name } = remedy.category;
      return id === null ? null : [{ rule: { kind: 'category', category: { id, name } }, to: true }];
    }
    case 'allow_international':
      return [{ rule: { kind: 'international' }, to: true }];
    case 'allow_card_not_present':
      return [{ rule: { kind: 'card_not_present' }, to: true }];
    case 'activate':
    case 'unblock':
      return null;
  }
}

function raised(limits: readonly LimitRaise[], rules: CardLimits | null, amountCents: number): LimitGoal[] {
  const goalOf = ({ rule, from, to }: LimitRaise): LimitGoal => {
    const current = rules === null ? from : limitOf(rules, rule);
    // Without what is left of it, the whole purchase on top lets it pass for sure.
    return { rule, to: to ?? (current ?? 0) + amountCents };
  };
  if (rules === null) return inRuleOrder(limits.map(goalOf));
  const binding = inRuleOrder(limits.filter(({ isAdjustedToo }) => !isAdjustedToo).map(goalOf));
  return inRuleOrder(withRaisedAlong(rules, binding));
}
