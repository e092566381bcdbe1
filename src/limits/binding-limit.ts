import {
  type LimitPeriod,
  type LimitWindow,
  limitPeriods,
  limitWindows,
  ofRule,
  type SpendCategory,
} from '../card-api/rule.ts';
import { type LimitGoal, limitOf } from '../card-api/rule-change.ts';
import type { CardLimits } from '../card-api/spend-rules.ts';
import { withoutNoLimits } from '../directory/no-limit-rows.ts';
import { withRaisedAlong } from './contradiction.ts';
import type { LimitRaise, RaiseLimit, Remedy } from './remedy-change.ts';
import {
  type Fits,
  type LimitedCategory,
  limitedCategories,
  possibleCategories,
  type RemainedLimit,
  type RemainedLimits,
  stoppingCategory,
} from './stopping-category.ts';

export interface DeclinedPurchase {
  readonly amountCents: number;
  /** A limit of a merchant category declined it. Otherwise one of the card's own limits did, or none. */
  readonly isOfCategory?: boolean;
  readonly fits?: Fits;
  /**
   * Its limits may have been raised, or have reset, since it was declined. Otherwise a category with enough left did not
   * decline it.
   */
  readonly isLater?: boolean;
  /** The period of the limit that the card service named. */
  readonly period?: LimitPeriod | null;
  /** The card follows a spending ruleset, whose limits may be in force instead of its own. */
  readonly mayBeOverruled?: boolean;
}

/**
 * Finds the limits that stopped a declined purchase. First the window with the least remaining, among those with too
 * little; then all other limits the purchase would hit next, of its category and of the card; then limits that must
 * rise with them. Falls back to the rules if the remaining limits could not be read.
 *
 * @param listedThen what remained when the purchase was declined. It tells which category declined it.
 * @returns `passes` when no limit stops it any more, and all that matter were read; null when no limit was the reason, or
 * when it cannot be told.
 */
export function checkLimits(
  purchase: DeclinedPurchase,
  listed: RemainedLimits | null,
  rules: CardLimits | null,
  listedThen: RemainedLimits | null = listed,
): RaiseLimit | 'passes' | null {
  const { fits = none, isOfCategory = false, mayBeOverruled = false } = purchase;
  const remaining = withoutNoLimits(listed, rules, mayBeOverruled);
  const then = withoutNoLimits(listedThen, rules, mayBeOverruled);
  const ofCard = { windows: remaining?.overall ?? [], limits: rules?.limits ?? null };
  const overall = bindingOf(purchase, null, ofCard);
  const enough = remaining !== null && isEnough(purchase, ofCard);
  if (isOfCategory) {
    const ofCategory = bindingCategory(purchase, remaining, rules, then);
    return ofCategory === null ? null : (together([...ofCategory, ...overall], rules) ?? (enough ? 'passes' : null));
  }
  const own = overall.length > 0 || enough ? overall : guessed(purchase.period, rules, ofCard.windows);
  // The card's own limit was hit first. The category's limit is next, if the category is certain.
  const [next, ...others] = limitedCategories(remaining, rules).filter(({ category }) => fits(category.name));
  const further = next === undefined || others.length > 0 ? [] : bindingOf(purchase, next.category, next);
  return together([...own, ...further], rules) ?? (enough ? 'passes' : null);
}

const none = (): boolean => false;

/**
 * The limits of the category that declined the purchase which stop it now. Empty when its categories stop it no more, null
 * when the category cannot be determined.
 */
function bindingCategory(
  purchase: DeclinedPurchase,
  remaining: RemainedLimits | null,
  rules: CardLimits | null,
  then: RemainedLimits | null,
): LimitRaise[] | null {
  const { amountCents, fits = none, isLater = false } = purchase;
  const now = limitedCategories(remaining, rules);
  const found = stoppingCategory(amountCents, fits, limitedCategories(then, rules));
  const possible = (isLater ? possibleCategories(fits, now) : now).filter(
    ({ category }) => found === null || category.id === found.id,
  );
  const stopping = possible.map((one) => bindingOf(purchase, one.category, one)).find((limits) => limits.length > 0);
  if (stopping === undefined) {
    const isRead = remaining !== null && rules !== null && rules.categories.length > 0;
    return isRead && possible.every((one) => isEnough(purchase, one)) ? [] : null;
  }
  return found === null ? null : stopping;
}

/** The limits of the card, or of one category, now let the purchase pass: what is left of each was read, or it has none. */
function isEnough(purchase: DeclinedPurchase, limited: Limited): boolean {
  const { amountCents, isLater = false } = purchase;
  return windowsOf(purchase, limited).every(({ period, limitCents, remainingCents, sinceReset }) => {
    const leftCents = remainingCents ?? (isLater ? sinceReset?.leftCents : undefined);
    if (leftCents !== undefined) return leftCents >= amountCents;
    return limitCents === null && limited.limits !== null && limited.limits[period] === null;
  });
}

type Limited = Pick<LimitedCategory, 'windows' | 'limits'> & Partial<Pick<LimitedCategory, 'transactionLimitCents'>>;

/** Those that the answer lists, and as unread the others that the rules limit: the service may list only some. */
function windowsOf(
  { mayBeOverruled = false }: DeclinedPurchase,
  { windows, limits }: Limited,
): readonly RemainedLimit[] {
  if (windows.length === 0) return NOTHING_READ;
  // A ruleset may have fewer limits than the card's own rules.
  if (mayBeOverruled || limits === null) return windows;
  const isListed = (period: LimitPeriod): boolean => windows.some((one) => one.period === period);
  return [...windows, ...NOTHING_READ.filter(({ period }) => limits[period] !== null && !isListed(period))];
}

/** Limits of one category, or of the card, that are too small: those that declined it first, then tightest first. */
function bindingOf(purchase: DeclinedPurchase, category: SpendCategory | null, limited: Limited): LimitRaise[] {
  const { amountCents, mayBeOverruled = false, period: named } = purchase;
  const { limits, transactionLimitCents = null } = limited;
  const ofWindows = windowsOf(purchase, limited).map((window) => ({
    ...window,
    limitCents: window.limitCents ?? limits?.[window.period] ?? null,
  }));
  // The complete amount is available for each purchase.
  const ofPurchase = {
    period: 'transaction',
    limitCents: transactionLimitCents,
    remainingCents: transactionLimitCents,
    sinceReset: undefined,
  } as const;
  return [ofPurchase, ...ofWindows]
    .flatMap(({ period, limitCents: from, remainingCents, sinceReset }) => {
      // If the remaining amount is unknown, only a purchase above the limit itself is certain to be stopped.
      const restCents = remainingCents ?? sinceReset?.leftCents ?? null;
      const leftCents = restCents ?? from;
      if (leftCents === null || leftCents >= amountCents) return [];
      const rule = { kind: 'limit', period, category } as const;
      const limit = { rule, from, remainingCents, ...(sinceReset && { sinceReset }), isAdjustedToo: false, leftCents };
      const isOwn = period === 'transaction' || limits === null || limits[period] === from;
      if (mayBeOverruled && !isOwn) return [{ ...limit, to: null, isOfRuleset: true as const }];
      return [{ ...limit, to: restCents === null || from === null ? null : from - leftCents + amountCents }];
    })
    .toSorted(
      (a, b) =>
        Number(isOnlyLater(a)) - Number(isOnlyLater(b)) ||
        a.leftCents - b.leftCents ||
        limitWindows.indexOf(a.rule.period) - limitWindows.indexOf(b.rule.period),
    )
    .map(({ leftCents: _left, ...limit }) => limit);

  /**
   * It is too small now. Whether it was when the purchase was declined, nothing tells: the service may name the daily limit
   * when a longer one stopped the purchase.
   */
  function isOnlyLater({ rule, sinceReset }: Pick<LimitRaise, 'rule' | 'sinceReset'>): boolean {
    return sinceReset !== undefined && (rule.period !== named || named === 'daily');
  }
}

function together(binding: readonly LimitRaise[], rules: CardLimits | null): RaiseLimit | null {
  const planned = binding.flatMap(({ rule, to }): LimitGoal[] => (to === null ? [] : [{ rule, to }]));
  const goals = rules === null ? planned : withRaisedAlong(rules, planned);
  const [first, ...others] = binding.map((limit) => {
    const goal = ofRule(goals, limit.rule);
    return { ...limit, to: goal?.to ?? limit.to };
  });
  if (first === undefined) return null;
  const along = goals.slice(planned.length).map(({ rule, to }) => {
    return { rule, from: rules && limitOf(rules, rule), to, remainingCents: null, isAdjustedToo: true };
  });
  return { kind: 'raise_limit', limits: [first, ...others, ...along] };
}

/** The limit that the service named is the best guess, unless the card has no such limit, or enough is left of it. */
function guessed(
  named: LimitWindow | null | undefined,
  rules: CardLimits | null,
  enough: readonly RemainedLimit[] = [],
): LimitRaise[] {
  const isLikely = (one: LimitPeriod): boolean =>
    (rules === null || rules.limits[one] !== null) &&
    !enough.some(({ period, remainingCents }) => period === one && remainingCents !== null);
  const period = limitPeriods.find((one) => one === named && isLikely(one)) ?? limitPeriods.find(isLikely);
  if (period === undefined) return [];
  const rule = { kind: 'limit', period, category: null } as const;
  return [{ rule, from: rules?.limits[period] ?? null, to: null, remainingCents: null, isAdjustedToo: false }];
}

/** The limit that a decline asks to raise while nothing was read. */
export const unreadRaise = (named: LimitPeriod | null): RaiseLimit | null => together(guessed(named, null), null);

/** The same remedy, but a limit that was only guessed is one that the card has. Null: it has none. */
export function withLikelyLimit(remedy: Remedy | null, rules: CardLimits): Remedy | null {
  if (remedy?.kind !== 'raise_limit') return remedy;
  const [{ rule, from, to, remainingCents }, ...further] = remedy.limits;
  if (rule.category !== null || from !== null || to !== null || remainingCents !== null) return remedy;
  const [first, ...others] = [...guessed(rule.period, rules), ...further];
  return first === undefined ? null : { ...remedy, limits: [first, ...others] };
}

const NOTHING_READ: readonly RemainedLimit[] = limitPeriods.map((period) => ({
  period,
  limitCents: null,
  remainingCents: null,
}));
