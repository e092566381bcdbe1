import type { ActionTools } from '../actions/action-tools.ts';
import type { CardClient } from '../card-api/client.ts';
import { isSameRule, type LimitPeriod, limitPeriods, limitWindows, type SpendCategory } from '../card-api/rule.ts';
import { changesFrom, goalsOf, isLooser, type LimitGoal, limitGoals, limitOf } from '../card-api/rule-change.ts';
import type { RemainingLimit, RemainingLimits } from '../card-api/schema.ts';
import type { CardLimits, SpendRules } from '../card-api/spend-rules.ts';
import { declineCode } from '../core/event.ts';
import { merchantCategory } from '../core/merchant-category.ts';
import { formatCents } from '../core/money.ts';
import { foldName, nameWords } from '../directory/card-query.ts';
import type { ChangeRequest } from './change-request.ts';
import { withRaisedAlong } from './contradiction.ts';
import type { LimitRaise, RaiseLimit } from './remedy-change.ts';
import { limitName } from './rule-words.ts';
import type { RuleAction } from './verbs.ts';

interface DeclinedPurchase {
  /** `decline.rule.velocity` or `decline.rule.velocity.mcc`; other codes have no limit to raise. */
  readonly code: string;
  readonly amountCents: number;
  /** The kind of merchant, in words ("Hardware Stores"). Distinguishes categories when several are binding. */
  readonly merchantKind?: string | null;
  /** The period of the limit that the card service named. */
  readonly period?: LimitPeriod | null;
}

/**
 * Finds the limits that stopped a declined purchase. First the window with the least remaining, among those with too
 * little; then all other limits the purchase would hit next, of its category and of the card; then limits that must
 * rise with them. Falls back to the rules if the remaining limits could not be read.
 *
 * @returns null when no limit was the reason, when no limit stops it any more, or when the category cannot be
 * determined.
 */
export function bindingLimit(
  purchase: DeclinedPurchase,
  remaining: RemainingLimits | null,
  rules: CardLimits | null,
): RaiseLimit | null {
  const isOfCategory = purchase.code === 'decline.rule.velocity.mcc';
  if (!isOfCategory && purchase.code !== 'decline.rule.velocity') return null;
  const overall = bindingOf(purchase, null, remaining?.overall ?? [], rules?.limits ?? null);
  const byCategory = bindingCategories(purchase, remaining, rules);
  if (isOfCategory) {
    const category = byCategory.likely ?? byCategory.tightest;
    // Categories may not stop it any more; the card's own limits are next.
    const isSure = category !== null || knowsCategories(remaining, rules);
    return isSure ? together([...(category ?? []), ...overall], rules) : null;
  }
  const own = overall.length > 0 || isEnough(purchase, remaining) ? overall : guessed(purchase, rules?.limits ?? null);
  // The card's own limit was hit first. The category's limit is next, if the category is certain.
  return together([...own, ...(byCategory.likely ?? [])], rules);
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
): boolean {
  if (bindingLimit(purchase, remaining, rules) !== null) return false;
  if (purchase.code === 'decline.rule.velocity.mcc') return knowsCategories(remaining, rules);
  return purchase.code === 'decline.rule.velocity' && isEnough(purchase, remaining);
}

function knowsCategories(remaining: RemainingLimits | null, rules: CardLimits | null): boolean {
  return remaining !== null && rules !== null && rules.categories.length > 0;
}

/** Limits of one category, or of the card, that are too small, tightest first. */
function bindingOf(
  { amountCents }: DeclinedPurchase,
  category: SpendCategory | null,
  windows: readonly RemainingLimit[],
  limits: CardLimits['limits'] | null,
  transactionLimitCents: number | null = null,
): LimitRaise[] {
  const known = (windows.length > 0 ? windows : NOTHING_READ).map((window) => ({
    ...window,
    limitCents: window.limitCents ?? limits?.[window.period] ?? null,
  }));
  // The complete amount is available for each purchase.
  const ofPurchase = {
    period: 'transaction',
    limitCents: transactionLimitCents,
    remainingCents: transactionLimitCents,
  } as const;
  return [ofPurchase, ...known]
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

/** An unknown remaining amount sorts last. */
const UNKNOWN = Number.MAX_SAFE_INTEGER;

type OfCategory = [LimitRaise, ...LimitRaise[]];

/** The category whose limit is exceeded by most: among those that match the merchant's kind, and among all. */
function bindingCategories(
  purchase: DeclinedPurchase,
  remaining: RemainingLimits | null,
  rules: CardLimits | null,
): { likely: OfCategory | null; tightest: OfCategory | null } {
  const names = new Map<string, SpendCategory>();
  for (const { id, name } of [...(rules?.categories ?? []), ...(remaining?.categories ?? [])]) {
    const known = names.get(foldName(name));
    if (id !== null && known === undefined) names.set(foldName(name), { id, name });
  }
  const candidates = [...names.values()].flatMap((category) => {
    const windows = (remaining?.categories ?? []).filter(({ name }) => foldName(name) === foldName(category.name));
    const own = rules?.categories.find(({ id }) => id === category.id);
    const limits = own?.limits ?? null;
    const [first, ...others] = bindingOf(purchase, category, windows, limits, own?.transactionLimitCents);
    return first === undefined ? [] : [[first, ...others] satisfies OfCategory];
  });
  const tightestOf = (some: readonly OfCategory[]): OfCategory | null =>
    some.toSorted(([a], [b]) => (a.remainingCents ?? UNKNOWN) - (b.remainingCents ?? UNKNOWN))[0] ?? null;
  const likely = candidates.filter(([{ rule }]) => sharesWord(rule.category?.name ?? '', purchase.merchantKind ?? ''));
  return { likely: tightestOf(likely), tightest: tightestOf(candidates) };
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

/** `Hardware Stores`, `HardwareStores` and `Hardware` match. */
function sharesWord(category: string, merchantKind: string): boolean {
  const weak = new Set(['and', 'stores', 'store', 'services', 'service', 'shops', 'places', 'other']);
  const stems = (text: string): string[] =>
    nameWords(text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2'))
      .filter((word) => !weak.has(word))
      .map((word) => word.slice(0, 5));
  const wanted = stems(merchantKind);
  return stems(category).some((stem) => wanted.includes(stem));
}

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

interface NameDeps extends Pick<ActionTools, 'purchaseOf'> {
  readonly card: Pick<CardClient, 'getRemainingLimits'>;
  readonly progress: Pick<ActionTools['progress'], 'read'>;
}

export function createNameCategory({ card, progress, purchaseOf }: NameDeps): NameCategory {
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
    const purchase = { code, amountCents, merchantKind: merchantCategory(event.mcc) };
    const remaining = await card.getRemainingLimits(acctId);
    const found = bindingLimit(purchase, remaining, rules);
    if (found === null) return allPass(purchase, remaining, rules) ? passes : unclear;
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
const unclear = 'I cannot tell which merchant category stopped this purchase. Change it in the card program’s portal.';

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
