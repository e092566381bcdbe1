import { z } from 'zod';
import { LimitRule, type LimitWindow, type Rule } from '../card-api/rule.ts';
import { inRuleOrder, type LimitGoal, limitOf, type RuleGoal } from '../card-api/rule-change.ts';
import type { CardLimits } from '../card-api/spend-rules.ts';
import { AlsoNeeds, alsoNeededKinds } from '../core/also-needs.ts';
import { withRaisedAlong } from './contradiction.ts';

/** A limit that has to rise for a purchase to pass. Whole cents; null if the card API did not return it. */
export const LimitRaise = z.strictObject({
  rule: LimitRule,
  from: z.int().nullable(),
  /** The lowest sufficient value. */
  to: z.int().nullable(),
  remainingCents: z.int().nullable(),
  /** What was left when it was read, of a limit that has reset since the decline. Absent: it has not, or nothing was read. */
  sinceReset: z.strictObject({ leftCents: z.int(), readAt: z.iso.datetime() }).optional(),
  /** It does not stop the purchase itself, but other limits would be above it. */
  isAdjustedToo: z.boolean(),
  /** It is not the card's own limit but that of its spending ruleset: raising the card's own does not help. */
  isOfRuleset: z.literal(true).optional(),
});
export type LimitRaise = z.infer<typeof LimitRaise>;

const besides = {
  /** Absent: nothing else is known. */
  alsoNeeds: AlsoNeeds.optional(),
};

/** What would let a declined purchase pass, as far as the card API can change it. */
export const Remedy = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('raise_limit'),
    /**
     * The limits that stopped the purchase, tightest first, then those that rise along. Raising only one does not help.
     */
    limits: z.tuple([LimitRaise], LimitRaise).readonly(),
    ...besides,
  }),
  z.strictObject({
    kind: z.literal('allow_category'),
    /** Null id: the card service's number for the category is unknown. */
    category: z.strictObject({ id: z.int().nullable(), name: z.string() }),
    ...besides,
  }),
  z.strictObject({ kind: z.literal('allow_international'), ...besides }),
  z.strictObject({ kind: z.literal('allow_card_not_present'), ...besides }),
  z.strictObject({ kind: z.literal('activate') }),
  z.strictObject({
    kind: z.literal('unblock'),
    /** The holder reported a purchase as fraud: the card should stay blocked. */
    hasFraudCase: z.literal(true).optional(),
  }),
  /** Nothing stops it any more: it only has to be tried again. */
  z.strictObject({ kind: z.literal('retry') }),
  /** The card's own rules allow it. Its ruleset or its balance may not, which only the card program's portal changes. */
  z.strictObject({ kind: z.literal('portal'), why: z.enum(['ruleset', 'balance']), ...besides }),
]);
export type Remedy = z.infer<typeof Remedy>;
/** What the card API can change, and people can do. */
export type RemedyChange = Exclude<Remedy, { readonly kind: 'retry' | 'portal' }>;
export type RaiseLimit = Extract<Remedy, { kind: 'raise_limit' }>;

/**
 * The change that lets a purchase pass. Null: none is known. If none was needed when its alert was made, that may have changed
 * since.
 */
export function changeIn(remedy: Remedy | null | undefined): RemedyChange | null {
  return remedy == null || remedy.kind === 'retry' || remedy.kind === 'portal' ? null : remedy;
}

/** A change of a card's limits or rules, not of its status. */
export function isOfRules(remedy: Remedy): remedy is Exclude<RemedyChange, { readonly kind: 'activate' | 'unblock' }> {
  return remedy.kind === 'raise_limit' || remedy.kind.startsWith('allow_');
}

/** What else the purchase needs, as far as is known. */
export function alsoNeeds(remedy: Remedy | null): AlsoNeeds {
  return (remedy !== null && (isOfRules(remedy) || remedy.kind === 'portal') && remedy.alsoNeeds) || [];
}

/** What a change of a rule is the remedy for. */
export const remedyOfRule = {
  limit: 'raise_limit',
  category: 'allow_category',
  international: 'allow_international',
  card_not_present: 'allow_card_not_present',
} as const satisfies Record<Rule['kind'], Remedy['kind']>;

/** All that a remedy says the purchase needs: what it is about as well. */
export function neededIn(remedy: Remedy): AlsoNeeds {
  const own = limitsToRaise(remedy).some(({ isOfRuleset }) => isOfRuleset === true) ? 'ruleset_limit' : remedy.kind;
  return alsoNeededKinds.filter((kind) => kind === own || alsoNeeds(remedy).includes(kind));
}

/** The same needs, with the card's balance as it is by now. */
export function withBalanceNow(needs: AlsoNeeds, isTooLow: boolean): AlsoNeeds {
  return alsoNeededKinds.filter((kind) => (kind === 'balance' ? isTooLow : needs.includes(kind)));
}

/** No rules that were read name the category, and the card service knows categories by their numbers only. */
export function lacksNumber(remedy: Remedy | null | undefined): boolean {
  return remedy?.kind === 'allow_category' && remedy.category.id === null;
}

/** The limits that have to rise; empty if something else would let the purchase pass. */
export function limitsToRaise(remedy: Remedy | null): readonly LimitRaise[] {
  return remedy?.kind === 'raise_limit' ? remedy.limits : [];
}

/**
 * The limit that a purchase was over. Null: not known. The code says of which kind it was: one of the other kind would stop
 * the purchase next.
 */
export function exceededLimit(
  remedy: Remedy | null,
  { isOfCategory }: { readonly isOfCategory: boolean },
): LimitRaise | null {
  const [first] = limitsToRaise(remedy);
  return first !== undefined && (first.rule.category !== null) === isOfCategory ? first : null;
}

/** The limits that stopped a purchase, with their present values: neither they nor anything else stops it any more. */
export function withLimitsNow(remedy: Remedy | null, rules: CardLimits): Remedy | null {
  if (remedy?.kind !== 'raise_limit') return remedy;
  const now = ({ sinceReset: _then, ...limit }: LimitRaise): LimitRaise => {
    const from = limitOf(rules, limit.rule);
    return { ...limit, from, to: from ?? limit.to, remainingCents: null };
  };
  const { alsoNeeds: _before, ...rest } = remedy;
  const [first, ...others] = rest.limits;
  return { ...rest, limits: [now(first), ...others.map(now)] };
}

/**
 * True when the remaining amount of a limit that stopped the purchase is unknown, but can still be read. Then more limits
 * may be involved.
 */
export function isIncomplete(remedy: Remedy, isSameWindow: (period: LimitWindow) => boolean): boolean {
  return limitsToRaise(remedy).some(
    ({ rule, remainingCents, isAdjustedToo }) => !isAdjustedToo && remainingCents === null && isSameWindow(rule.period),
  );
}

/**
 * True when the suggested value of a limit may be too low: the card service reports no remaining amount below zero, so a
 * card that spent more than its limit, for instance during a temporary raise, looks like one that spent all of it.
 */
export function mayNeedMore({ rule, to, remainingCents, sinceReset }: LimitRaise): boolean {
  return to !== null && (remainingCents ?? sinceReset?.leftCents) === 0 && rule.period !== 'transaction';
}

/**
 * The rules a card needs for a remedy: all its limits at once.
 *
 * @param amountCents the purchase that should pass.
 * @returns null if the remedy is not a rule of the card (a status, a ruleset), or if the value cannot be determined.
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
    case 'retry':
    case 'portal':
      return null;
  }
}

function raised(limits: readonly LimitRaise[], rules: CardLimits | null, amountCents: number): LimitGoal[] | null {
  if (limits.some(({ isOfRuleset }) => isOfRuleset === true)) return null;
  const goalOf = ({ rule, from, to }: LimitRaise): LimitGoal => {
    const current = rules === null ? from : limitOf(rules, rule);
    // If the remaining amount is unknown, adding the full purchase amount always lets it pass.
    return { rule, to: to ?? (current ?? 0) + amountCents };
  };
  if (rules === null) return inRuleOrder(limits.map(goalOf));
  const binding = inRuleOrder(limits.filter(({ isAdjustedToo }) => !isAdjustedToo).map(goalOf));
  return inRuleOrder(withRaisedAlong(rules, binding));
}
