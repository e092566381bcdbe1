import type { Remedy } from '../alerts/alert.ts';
import {
  isSameRule,
  type LimitPeriod,
  type LimitRule,
  type LimitWindow,
  limitPeriods,
  limitWindows,
  type SpendCategory,
} from '../card-api/rule.ts';
import { type LimitGoal, limitOf } from '../card-api/rule-change.ts';
import type { CardLimits } from '../card-api/spend-rules.ts';
import { nameWords } from '../directory/card-query.ts';
import { withRaisedAlong } from './contradiction.ts';

/** What remains in the running windows. */
export interface Remaining {
  readonly overall: readonly RemainingWindow[];
  readonly categories: readonly (RemainingWindow & { readonly id: number | null; readonly name: string })[];
}

interface RemainingWindow {
  readonly period: LimitPeriod;
  readonly limitCents: number | null;
  readonly remainingCents: number | null;
}

export interface DeclinedPurchase {
  /** `decline.rule.velocity` or `decline.rule.velocity.mcc`; any other code has no limit to raise. */
  readonly code: string;
  readonly amountCents: number;
  /** What kind of merchant it was, in words ("Hardware Stores"); tells categories apart when several bind. */
  readonly merchantKind?: string | null;
}

/** The limits that stopped a purchase, as far as they can be told. */
export interface BindingLimit {
  readonly remedy: Extract<Remedy, { kind: 'raise_limit' }>;
  /** By how much the first was too small for this purchase; null when unknown. */
  readonly shortfallCents: number | null;
}

/**
 * Finds the limits that stopped a declined purchase: first the window in which least remained, among those in which too
 * little did; then all others which it would meet next, of its category and of the card; then those that must rise with
 * them. Falls back to the rules when the remaining limits could not be read.
 *
 * @returns null when no limit was the reason, when none stops it by now, or when it cannot be told which category was.
 */
export function bindingLimit(
  purchase: DeclinedPurchase,
  remaining: Remaining | null,
  rules: CardLimits | null,
): BindingLimit | null {
  const isOfCategory = purchase.code === 'decline.rule.velocity.mcc';
  if (!isOfCategory && purchase.code !== 'decline.rule.velocity') return null;
  const overall = bindingOf(purchase, null, remaining?.overall ?? [], rules?.limits ?? null);
  const byCategory = bindingCategories(purchase, remaining, rules);
  if (isOfCategory) {
    const category = byCategory.likely ?? byCategory.tightest;
    // By now no category may stop it any more; the card's own limits are next.
    const isSure = category !== null || knowsCategories(remaining, rules);
    return isSure ? together(purchase, [...(category ?? []), ...overall], rules) : null;
  }
  const own = overall.length > 0 || isEnough(purchase, remaining) ? overall : guessed(rules?.limits ?? null);
  // The card's limit was met first; that of the category comes next, where it is plain which one it is.
  return together(purchase, [...own, ...(byCategory.likely ?? [])], rules);
}

/** The card's own limits let the purchase pass by now. */
function isEnough({ amountCents }: DeclinedPurchase, remaining: Remaining | null): boolean {
  const windows = remaining?.overall ?? [];
  return windows.length > 0 && windows.every(({ remainingCents }) => (remainingCents ?? 0) >= amountCents);
}

/** True when nothing that stops the purchase was found, and all that could have stopped it was read. */
export function allPass(purchase: DeclinedPurchase, remaining: Remaining | null, rules: CardLimits | null): boolean {
  if (bindingLimit(purchase, remaining, rules) !== null) return false;
  if (purchase.code === 'decline.rule.velocity.mcc') return knowsCategories(remaining, rules);
  return purchase.code === 'decline.rule.velocity' && isEnough(purchase, remaining);
}

/** All limits of categories, and what remains of them, could be read. */
function knowsCategories(remaining: Remaining | null, rules: CardLimits | null): boolean {
  return remaining !== null && rules !== null && rules.categories.length > 0;
}

/** A limit that is too small for the purchase. */
interface Binding {
  readonly period: LimitWindow;
  readonly category: SpendCategory | null;
  readonly currentCents: number | null;
  readonly remainingCents: number | null;
  readonly suggestedCents: number | null;
}

/** Limits of one category, or of the card, that are too small: tightest first. */
function bindingOf(
  { amountCents }: DeclinedPurchase,
  category: SpendCategory | null,
  windows: readonly RemainingWindow[],
  limits: CardLimits['limits'] | null,
  transactionLimitCents: number | null = null,
): Binding[] {
  const known = windows.length > 0 ? windows : windowsOf(limits);
  // All of it is there for each purchase.
  const ofPurchase = {
    period: 'transaction',
    limitCents: transactionLimitCents,
    remainingCents: transactionLimitCents,
  } as const;
  return [ofPurchase, ...known]
    .flatMap(({ period, limitCents, remainingCents }) => {
      // Without what remains, only a purchase above the whole limit is certain.
      const leftCents = remainingCents ?? limitCents;
      if (leftCents === null || leftCents >= amountCents) return [];
      const currentCents = limitCents ?? (period === 'transaction' ? null : (limits?.[period] ?? null));
      const isExact = remainingCents !== null && currentCents !== null;
      const suggestedCents = isExact ? currentCents - leftCents + amountCents : null;
      return [{ period, category, currentCents, remainingCents, suggestedCents, leftCents }];
    })
    .toSorted((a, b) => a.leftCents - b.leftCents || limitWindows.indexOf(a.period) - limitWindows.indexOf(b.period))
    .map(({ leftCents: _left, ...binding }) => binding);
}

type OfCategory = [Binding, ...Binding[]];

/** The category whose limit is missed by most: among those that sound like the merchant, and among all. */
function bindingCategories(
  purchase: DeclinedPurchase,
  remaining: Remaining | null,
  rules: CardLimits | null,
): { likely: OfCategory | null; tightest: OfCategory | null } {
  const names = new Map<string, SpendCategory>();
  for (const { id, name } of [...(rules?.categories ?? []), ...(remaining?.categories ?? [])]) {
    const known = names.get(fold(name));
    if (id !== null && known === undefined) names.set(fold(name), { id, name });
  }
  const candidates = [...names.values()].flatMap((category) => {
    const windows = (remaining?.categories ?? []).filter(({ name }) => fold(name) === fold(category.name));
    const own = rules?.categories.find(({ id }) => id === category.id);
    const limits = own?.limits ?? null;
    const [first, ...others] = bindingOf(purchase, category, windows, limits, own?.transactionLimitCents);
    return first === undefined ? [] : [[first, ...others] satisfies OfCategory];
  });
  const tightestOf = (some: readonly OfCategory[]): OfCategory | null =>
    some.toSorted(([a], [b]) => (shortfall(purchase, b) ?? 0) - (shortfall(purchase, a) ?? 0))[0] ?? null;
  const likely = candidates.filter(([{ category }]) => sharesWord(category?.name ?? '', purchase.merchantKind ?? ''));
  return { likely: tightestOf(likely), tightest: tightestOf(candidates) };
}

function shortfall({ amountCents }: DeclinedPurchase, { remainingCents }: Binding): number | null {
  return remainingCents === null ? null : amountCents - remainingCents;
}

/** All of them as one remedy, with what must rise along. */
function together(
  purchase: DeclinedPurchase,
  binding: readonly Binding[],
  rules: CardLimits | null,
): BindingLimit | null {
  const planned = binding.flatMap((limit): LimitGoal[] =>
    limit.suggestedCents === null ? [] : [{ rule: ruleOf(limit), to: limit.suggestedCents }],
  );
  const goals = rules === null ? planned : withRaisedAlong(rules, planned);
  const along = rules === null ? [] : goals.slice(planned.length).map((goal) => alongOf(goal, rules));
  const [first, ...others] = binding.map((limit) => {
    const goal = goals.find(({ rule }) => isSameRule(rule, ruleOf(limit)));
    return { ...limit, suggestedCents: goal?.to ?? limit.suggestedCents };
  });
  if (first === undefined) return null;
  const isOfOne = others.every(({ category }) => category?.id === first.category?.id);
  const alsoBinding = others.map(({ category, ...other }) => (isOfOne ? other : { ...other, category }));
  return { remedy: { kind: 'raise_limit', ...first, alsoBinding, along }, shortfallCents: shortfall(purchase, first) };
}

function ruleOf({ period, category }: Pick<Binding, 'period' | 'category'>): LimitRule {
  return { kind: 'limit', period, category };
}

function alongOf({ rule, to }: LimitGoal, rules: CardLimits): Binding {
  const { period, category } = rule;
  return { period, category, currentCents: limitOf(rules, rule), remainingCents: null, suggestedCents: to };
}

/** The service's words for this decline name the daily limit; it is the best guess while nothing can be read. */
function guessed(limits: CardLimits['limits'] | null): Binding[] {
  const period = limits === null ? 'daily' : limitPeriods.find((one) => limits[one] !== null);
  if (period === undefined) return [];
  const currentCents = limits?.[period] ?? null;
  return [{ period, category: null, currentCents, remainingCents: null, suggestedCents: null }];
}

function windowsOf(limits: CardLimits['limits'] | null): RemainingWindow[] {
  return limitPeriods.map((period) => ({ period, limitCents: limits?.[period] ?? null, remainingCents: null }));
}

const fold = (name: string): string => nameWords(name).join('');

/** `Hardware Stores` and `HardwareStores` and `Hardware` speak of one thing. */
function sharesWord(category: string, merchantKind: string): boolean {
  const weak = new Set(['and', 'stores', 'store', 'services', 'service', 'shops', 'places', 'other']);
  const stems = (text: string): string[] =>
    nameWords(text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2'))
      .filter((word) => !weak.has(word))
      .map((word) => word.slice(0, 5));
  const wanted = stems(merchantKind);
  return stems(category).some((stem) => wanted.includes(stem));
}
