import type { LimitWindow, Remedy, SpendCategory } from '../alerts/alert.ts';
import { inOrder } from './limit-change.ts';
import {
  type CardRules,
  currentOf,
  type LimitPart,
  limitChange,
  namedPart,
  plannedOf,
  type RuleChange,
} from './rule-change.ts';

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
 * The change of a card's rules that a remedy stands for: of all its limits at once.
 *
 * @param amountCents the purchase that should pass.
 * @returns null where it is no rule (a status), or where it cannot be told what it should be.
 */
export function changeOf(remedy: Remedy, rules: CardRules | null, amountCents: number): RuleChange | null {
  switch (remedy.kind) {
    case 'raise_limit':
      return raiseOf(remedy, rules, amountCents);
    case 'allow_category': {
      const { id, name } = remedy.category;
      return id === null ? null : { kind: 'category', category: { id, name }, isAllowed: true };
    }
    case 'allow_international':
      return { kind: 'international', isAllowed: true };
    case 'allow_card_not_present':
      return { kind: 'card_not_present', isAllowed: true };
    case 'activate':
    case 'unblock':
      return null;
  }
}

function raiseOf(remedy: RaiseLimit, rules: CardRules | null, amountCents: number): RuleChange {
  const [first, ...others] = limitsToRaise(remedy);
  const sure = ({ period, category, currentCents, suggestedCents }: LimitToRaise): LimitPart => {
    const place = { period, category, limitCents: null };
    const current = rules === null ? currentCents : currentOf(rules, { kind: 'limit', ...place });
    // Without what is left of it, the whole purchase on top lets it pass for sure.
    return {
      ...place,
      limitCents: suggestedCents ?? (typeof current === 'number' ? current + amountCents : amountCents),
    };
  };
  const parts = [sure(first), ...others.filter(({ isAlong }) => !isAlong).map(sure)] as const;
  if (rules === null) return limitChange([...parts, ...others.filter(({ isAlong }) => isAlong).map(sure)]);
  const change = limitChange(parts);
  const [one = sure(first), ...more] = inOrder(rules, plannedOf(change)).map((planned) => namedPart(planned, rules));
  return limitChange([one, ...more]);
}
