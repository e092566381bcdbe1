import { type LimitPeriod, limitPeriods, type Remedy } from './alert.ts';
import { nameWords } from './card-query.ts';
import type { CardLimits } from './limit-change.ts';

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

/** The one limit that stopped a purchase, as far as it can be told. */
export interface BindingLimit {
  readonly remedy: Extract<Remedy, { kind: 'raise_limit' }>;
  /** By how much it was too small for this purchase; null when unknown. */
  readonly shortfallCents: number | null;
}

/**
 * Finds the limit that stopped a declined purchase: the window in which least remained, among those in which too little
 * did. Falls back to the rules when the remaining limits could not be read.
 *
 * @returns null when no limit was the reason, or when it cannot be told which category was.
 */
export function bindingLimit(
  purchase: DeclinedPurchase,
  remaining: Remaining | null,
  rules: CardLimits | null,
): BindingLimit | null {
  if (purchase.code === 'decline.rule.velocity') {
    const windows = remaining?.overall ?? [];
    return choose(purchase, null, windows, rules?.limits ?? null) ?? unreadable(null, rules?.limits ?? null);
  }
  if (purchase.code !== 'decline.rule.velocity.mcc') return null;

  const names = new Map<string, { id: number; name: string }>();
  for (const { id, name } of [...(rules?.categories ?? []), ...(remaining?.categories ?? [])]) {
    const known = names.get(fold(name));
    if (id !== null && known === undefined) names.set(fold(name), { id, name });
  }
  const candidates = [...names.values()].flatMap((category) => {
    const ofCategory = (remaining?.categories ?? []).filter(({ name }) => fold(name) === fold(category.name));
    const limits = rules?.categories.find(({ id }) => id === category.id)?.limits ?? null;
    const found = choose(purchase, category, ofCategory, limits);
    return found === null ? [] : [found];
  });
  const likely = candidates.filter(({ remedy }) =>
    sharesWord(remedy.category?.name ?? '', purchase.merchantKind ?? ''),
  );
  const [tightest] = (likely.length > 0 ? likely : candidates).toSorted(
    (a, b) => (b.shortfallCents ?? 0) - (a.shortfallCents ?? 0),
  );
  return tightest ?? null;
}

type Category = { id: number; name: string } | null;

function choose(
  purchase: DeclinedPurchase,
  category: Category,
  windows: readonly RemainingWindow[],
  limits: CardLimits['limits'] | null,
): BindingLimit | null {
  const known = windows.length > 0 ? windows : windowsOf(limits);
  const binding = known
    .flatMap(({ period, limitCents, remainingCents }) => {
      // Without what remains, only a purchase above the whole limit is certain.
      const leftCents = remainingCents ?? limitCents;
      return leftCents === null || leftCents >= purchase.amountCents
        ? []
        : [{ period, limitCents, remainingCents, leftCents }];
    })
    .toSorted((a, b) => a.leftCents - b.leftCents || limitPeriods.indexOf(a.period) - limitPeriods.indexOf(b.period));
  const [first, ...others] = binding.map(({ period, limitCents, remainingCents, leftCents }) => {
    const currentCents = limitCents ?? limits?.[period] ?? null;
    const isExact = remainingCents !== null && currentCents !== null;
    const suggestedCents = isExact ? currentCents - leftCents + purchase.amountCents : null;
    return { period, currentCents, remainingCents, suggestedCents };
  });
  if (first === undefined) return null;
  return {
    remedy: { kind: 'raise_limit', category, ...first, alsoBinding: others },
    shortfallCents: first.remainingCents === null ? null : purchase.amountCents - first.remainingCents,
  };
}

/** The service's words for this decline name the daily limit; it is the best guess while nothing can be read. */
function unreadable(category: Category, limits: CardLimits['limits'] | null): BindingLimit | null {
  const period = limits === null ? 'daily' : limitPeriods.find((one) => limits[one] !== null);
  if (period === undefined) return null;
  const currentCents = limits?.[period] ?? null;
  return {
    remedy: {
      kind: 'raise_limit',
      period,
      category,
      currentCents,
      remainingCents: null,
      suggestedCents: null,
      alsoBinding: [],
    },
    shortfallCents: null,
  };
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
