import type { ActionTools } from '../actions/action-tools.ts';
import type { CardClient } from '../card-api/client.ts';
import { isSameRule, type LimitPeriod, limitPeriods, limitWindows, type SpendCategory } from '../card-api/rule.ts';
import { changesFrom, goalsOf, isLooser, type LimitGoal, limitGoals, limitOf } from '../card-api/rule-change.ts';
import type { RemainingLimit, RemainingLimits } from '../card-api/schema.ts';
import type { CardLimits, SpendRules } from '../card-api/spend-rules.ts';
import { declineCode } from '../core/event.ts';
import { formatCents } from '../core/money.ts';
import type { ChangeRequest } from './change-request.ts';
import { withRaisedAlong } from './contradiction.ts';
import type { FitsMerchant } from './merchant-fit.ts';
import type { LimitRaise, RaiseLimit } from './remedy-change.ts';
import { limitName } from './rule-words.ts';
import {
  fittingCategories,
  type LimitedCategory,
  limitedCategories,
  remainingAt,
  stoppingCategory,
} from './stopping-category.ts';
import type { RuleAction } from './verbs.ts';

interface DeclinedPurchase {
  /** `decline.rule.velocity` or `decline.rule.velocity.mcc`; other codes have no limit to raise. */
  readonly code: string;
  readonly amountCents: number;
  /** Whether the merchant belongs to a merchant category. */
  readonly fits?: (categoryName: string) => boolean;
  /** The period of the limit that the card service named. */
  readonly period?: LimitPeriod | null;
}

/**
 * Finds the limits that stopped a declined purchase. First the window with the least remaining, among those with too
 * little; then all other limits the purchase would hit next, of its category and of the card; then limits that must
 * rise with them. Falls back to the rules if the remaining limits could not be read.
 *
 * @param then what remained when the purchase was declined. It tells which category declined it.
 * @returns null when no limit was the reason, when no limit stops it any more, or when the category cannot be
 * determined.
 */
export function bindingLimit(
  purchase: DeclinedPurchase,
  remaining: RemainingLimits | null,
  rules: CardLimits | null,
  then: RemainingLimits | null = remaining,
): RaiseLimit | null {
  const isOfCategory = purchase.code === 'decline.rule.velocity.mcc';
  if (!isOfCategory && purchase.code !== 'decline.rule.velocity') return null;
  const overall = bindingOf(purchase, null, { windows: remaining?.overall ?? [], limits: rules?.limits ?? null });
  if (isOfCategory) {
    const ofCategory = bindingCategory(purchase, remaining, rules, then);
    return ofCategory === null ? null : together([...ofCategory, ...overall], rules);
  }
  const own = overall.length > 0 || isEnough(purchase, remaining) ? overall : guessed(purchase, rules?.limits ?? null);
  // The card's own limit was hit first. The category's limit is next, if the category is certain.
  const [next, ...others] = fittingCategories(purchase.fits ?? none, limitedCategories(remaining, rules));
  const further = next === undefined || others.length > 0 ? [] : bindingOf(purchase, next.category, next);
  return together([...own, ...further], rules);
}

const none = (): boolean => false;

/**
 * The limits of the category that declined the purchase which stop it now. Empty when its categories stop it no more, null
 * when the category cannot be determined.
 */
function bindingCategory(
  purchase: DeclinedPurchase,
  remaining: RemainingLimits | null,
  rules: CardLimits | null,
  then: RemainingLimits | null,
): LimitRaise[] | null {
  const { amountCents, fits = none } = purchase;
  const now = limitedCategories(remaining, rules);
  const found = stoppingCategory(amountCents, fits, limitedCategories(then, rules));
  const binding = now
    .filter(({ category }) => found === null || category.id === found.id)
    .map((one) => bindingOf(purchase, one.category, one));
  const stopping = binding.find((limits) => limits.length > 0);
  if (stopping === undefined) return knowsCategories(remaining, rules) ? [] : null;
  return found === null ? null : stopping;
}

/** The card's own limits now let the purchase pass. */
function isEnough({ amountCents }: DeclinedPurchase, remaining: RemainingLimits | null): boolean {
  const windows = remaining?.overall ?? [];
  return (
    windows.length > 0 &&
    windows.every(({ remainingCents }) => remainingCents !== null && remainingCents >= amountCents)
  );
}

/** True when no limit was found to stop the purchase, and all relevant limits were read. */
export function allPass(
  purchase: DeclinedPurchase,
  remaining: RemainingLimits | null,
  rules: CardLimits | null,
  then: RemainingLimits | null = remaining,
): boolean {
  if (bindingLimit(purchase, remaining, rules, then) !== null) return false;
  if (purchase.code === 'decline.rule.velocity.mcc') return bindingCategory(purchase, remaining, rules, then) !== null;
  return purchase.code === 'decline.rule.velocity' && isEnough(purchase, remaining);
}

function knowsCategories(remaining: RemainingLimits | null, rules: CardLimits | null): boolean {
  return remaining !== null && rules !== null && rules.categories.length > 0;
}

type Limited = Pick<LimitedCategory, 'windows' | 'limits'> & Partial<Pick<LimitedCategory, 'transactionLimitCents'>>;

/** Limits of one category, or of the card, that are too small, tightest first. */
function bindingOf(
  { amountCents }: DeclinedPurchase,
  category: SpendCategory | null,
  { windows, limits, transactionLimitCents = null }: Limited,
): LimitRaise[] {
  const ofWindows = (windows.length > 0 ? windows : NOTHING_READ).map((window) => ({
    ...window,
    limitCents: window.limitCents ?? limits?.[window.period] ?? null,
  }));
  // The complete amount is available for each purchase.
  const ofPurchase = {
    period: 'transaction',
    limitCents: transactionLimitCents,
    remainingCents: transactionLimitCents,
  } as const;
  return [ofPurchase, ...ofWindows]
    .flatMap(({ period, limitCents: from, remainingCents }) => {
      // If the remaining amount is unknown, only a purchase above the limit itself is certain to be stopped.
      const leftCents = remainingCents ?? from;
      if (leftCents === null || leftCents >= amountCents) return [];
      const to = remainingCents === null || from === null ? null : from - leftCents + amountCents;
      const rule = { kind: 'limit', period, category } as const;
      return [{ rule, from, to, remainingCents, isAdjustedToo: false, leftCents }];
    })
    .toSorted(
      (a, b) => a.leftCents - b.leftCents || limitWindows.indexOf(a.rule.period) - limitWindows.indexOf(b.rule.period),
    )
    .map(({ leftCents: _left, ...limit }) => limit);
}

function together(binding: readonly LimitRaise[], rules: CardLimits | null): RaiseLimit | null {
  const planned = binding.flatMap(({ rule, to }): LimitGoal[] => (to === null ? [] : [{ rule, to }]));
  const goals = rules === null ? planned : withRaisedAlong(rules, planned);
  const [first, ...others] = binding.map((limit) => {
    const goal = goals.find(({ rule }) => isSameRule(rule, limit.rule));
    return { ...limit, to: goal?.to ?? limit.to };
  });
  if (first === undefined) return null;
  const along = goals.slice(planned.length).map((goal) => alongOf(goal, rules));
  return { kind: 'raise_limit', limits: [first, ...others, ...along] };
}

function alongOf({ rule, to }: LimitGoal, rules: CardLimits | null): LimitRaise {
  return { rule, from: rules && limitOf(rules, rule), to, remainingCents: null, isAdjustedToo: true };
}

/** The limit that the service named is the best guess while nothing can be read, unless the card has no such limit. */
function guessed({ period: named = null }: DeclinedPurchase, limits: CardLimits['limits'] | null): LimitRaise[] {
  const likely = named === null ? limitPeriods : [named, ...limitPeriods];
  const period = likely.find((one) => limits === null || limits[one] !== null);
  if (period === undefined) return [];
  const rule = { kind: 'limit', period, category: null } as const;
  return [{ rule, from: limits?.[period] ?? null, to: null, remainingCents: null, isAdjustedToo: false }];
}

const NOTHING_READ: readonly RemainingLimit[] = limitPeriods.map((period) => ({
  period,
  limitCents: null,
  remainingCents: null,
}));

/**
 * Determines which limit is meant if the form could not: a purchase declined by a category's limit while the card could
 * not be read. The result is a limit that stops the purchase now, or none, because the person typed an amount for a
 * category without seeing the card's own limits.
 *
 * A change request with a known limit is unchanged, as is a request whose limit was determined before a crash.
 *
 * Returns the change request with its limit named, or one sentence: why nothing was changed, and what to do. Throws
 * CardApiError when the card still cannot be read.
 */
export type NameCategory = (action: RuleAction, acctId: number, rules: SpendRules) => Promise<ChangeRequest | string>;

interface NameDeps extends Pick<ActionTools, 'purchaseOf' | 'now'> {
  readonly fitsMerchant: FitsMerchant;
  readonly card: Pick<CardClient, 'getRemainingLimits'>;
  readonly progress: Pick<ActionTools['progress'], 'read'>;
}

export function createNameCategory({ card, progress, purchaseOf, fitsMerchant, now }: NameDeps): NameCategory {
  return async function nameCategory(action, acctId, rules) {
    const { isCategoryUnknown, ...changeRequest } = action.changeRequest;
    const { goals, term } = changeRequest;
    const event = isCategoryUnknown === true ? await purchaseOf(action) : null;
    const code = declineCode(event?.decline);
    const [goal] = limitGoals(goals);
    if (event === null || code !== 'decline.rule.velocity.mcc' || goal === undefined) return changeRequest;
    const sent = await progress.read(action.id);
    // With the sent change in effect the purchase would pass, so a limit that stops it now is not the intended one.
    if (sent?.state === 'sending' && sent.expects?.kind === 'rule')
      return { goals: goalsOf(sent.expects.changes), term };

    const amountCents = event.amountCents + event.paddingCents;
    const purchase = { code, amountCents, fits: (name: string) => fitsMerchant(name, event.mcc) };
    const remaining = await card.getRemainingLimits(acctId);
    const then = remainingAt(event.occurredAt, remaining, now());
    const found = bindingLimit(purchase, remaining, rules, then);
    if (found === null) return allPass(purchase, remaining, rules, then) ? passes : unclearCategory;
    const { category } = found.limits[0].rule;
    const stopping = found.limits.filter(
      ({ rule, isAdjustedToo }) => !isAdjustedToo && rule.category?.id === category?.id,
    );
    const meant: LimitGoal = { rule: { ...goal.rule, category }, to: goal.to };
    const isOneOfThem = stopping.some(({ rule }) => rule.period === goal.rule.period);
    const isEnough = isOneOfThem && isLooser(changesFrom(rules, [meant]));
    return isEnough ? { goals: [meant], term } : otherwise(meant, stopping);
  };
}

const passes = 'By now nothing stops this purchase: it can simply be tried again.';
export const unclearCategory =
  'I cannot tell which merchant category stopped this purchase. Change it in the card program’s portal.';

/** `By now the card's own weekly limit of $600.00 stops this purchase: …`. Raw. */
function otherwise({ rule, to }: LimitGoal, stopping: readonly LimitRaise[]): string {
  const names = stopping.map(({ rule: { period, category }, from }) => {
    const name =
      category === null ? `the card's own ${limitName(period, null)}` : `the ${limitName(period, category.name)}`;
    return from === null ? name : `${name} of ${formatCents(from)}`;
  });
  const what = `By now ${list.format(names)} ${names.length === 1 ? 'stops' : 'stop'} this purchase`;
  const asked = to === null ? 'none' : formatCents(to);
  return `${what}: a ${limitName(rule.period, null)} of ${asked} would not let it pass. Open the form again: it names what has to rise.`;
}

const list = new Intl.ListFormat('en-US');
