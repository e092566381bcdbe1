import type { Remedy } from '../alerts/alert.ts';
import type { LimitRule, LimitWindow, SpendCategory } from '../card-api/rule.ts';
import { inRuleOrder, type LimitGoal, limitOf, type RuleGoal } from '../card-api/rule-change.ts';
import type { CardLimits } from '../card-api/spend-rules.ts';
import { withRaisedAlong } from './contradiction.ts';

export type RaiseLimit = Extract<Remedy, { kind: 'raise_limit' }>;

/** A limit that must be higher for a purchase to pass. Cents; null where they are not known. */
export interface LimitToRaise {
  readonly period: LimitWindow;
  readonly category: SpendCategory | null;
  readonly currentCents: number | null;
  readonly remainingCents: number | null;
  /** The lowest that will do. */
  readonly suggestedCents: number | null;
  /** It stops nothing itself, but others would be above it. */
  readonly isAlong: boolean;
}

/** All limits that a remedy raises: what stopped the purchase, tightest first, then what rises along. */
export function limitsToRaise({ period, category, currentCents, remainingCents, suggestedCents, ...more }: RaiseLimit) {
  const { alsoBinding, along } = more;
  const first = { period, category, currentCents, remainingCents, suggestedCents, isAlong: false };
  const others = [
    ...alsoBinding.map((one) => ({ ...one, isAlong: false })),
    ...along.map((one) => ({ ...one, isAlong: true })),
  ];
  return [
    first,
    ...others.map((one) => ({ ...one, category: one.category === undefined ? category : one.category })),
  ] satisfies [LimitToRaise, ...LimitToRaise[]];
}

/** True when it is not known what was left of a limit that stopped the purchase: then there may be more of them. */
export function isIncomplete(remedy: Remedy): boolean {
  if (remedy.kind !== 'raise_limit') return false;
  return limitsToRaise(remedy).some(({ remainingCents, isAlong }) => !isAlong && remainingCents === null);
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
      return raised(remedy, rules, amountCents);
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

function raised(remedy: RaiseLimit, rules: CardLimits | null, amountCents: number): LimitGoal[] {
  const goalOf = ({ period, category, currentCents, suggestedCents }: LimitToRaise): LimitGoal => {
    const rule: LimitRule = { kind: 'limit', period, category };
    const current = rules === null ? currentCents : limitOf(rules, rule);
    // Without what is left of it, the whole purchase on top lets it pass for sure.
    return { rule, to: suggestedCents ?? (current ?? 0) + amountCents };
  };
  const limits = limitsToRaise(remedy);
  if (rules === null) return inRuleOrder(limits.map(goalOf));
  const binding = inRuleOrder(limits.filter(({ isAlong }) => !isAlong).map(goalOf));
  return inRuleOrder(withRaisedAlong(rules, binding));
}
