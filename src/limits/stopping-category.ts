import { limitPeriods, type SpendCategory } from '../card-api/rule.ts';
import type { RemainingLimit, RemainingLimits } from '../card-api/schema.ts';
import type { CardLimits } from '../card-api/spend-rules.ts';
import { foldName } from '../directory/card-query.ts';
import { hasReset } from './limit-window.ts';
import type { LimitRaise } from './remedy-change.ts';

/** What remained of a limit when a purchase was declined. Null if it has reset since: then only what is left now is known. */
export interface RemainedLimit extends RemainingLimit {
  readonly sinceReset?: LimitRaise['sinceReset'];
}
export interface RemainedLimits {
  readonly overall: readonly RemainedLimit[];
  readonly categories: readonly (RemainingLimits['categories'][number] & RemainedLimit)[];
}

/** A merchant category of a card with its limits: what is left of them, and the limits themselves. */
export interface LimitedCategory {
  readonly category: SpendCategory;
  readonly windows: readonly RemainedLimit[];
  readonly limits: CardLimits['limits'] | null;
  readonly transactionLimitCents: number | null;
}

/** Whether the merchant belongs to a merchant category. Null: it may, because the category is a company's own. */
export type Fits = (categoryName: string) => boolean | null;

/** Of a category that the card's own rules do not list. */
const noLimits = { daily: null, weekly: null, monthly: null, yearly: null, lifetime: null } as const;

/** The categories of a card. Without its number a category cannot be changed, so it is left out. */
export function limitedCategories(remaining: RemainedLimits | null, rules: CardLimits | null): LimitedCategory[] {
  const names = new Map<string, SpendCategory>();
  for (const { id, name } of [...(rules?.categories ?? []), ...(remaining?.categories ?? [])]) {
    const existing = names.get(foldName(name));
    if (id !== null && existing === undefined) names.set(foldName(name), { id, name });
  }
  return [...names.entries()].map(([key, category]) => {
    const own = rules?.categories.find(({ id }) => id === category.id);
    return {
      category,
      windows: (remaining?.categories ?? []).filter(({ name }) => foldName(name) === key),
      limits: own?.limits ?? (rules && noLimits),
      transactionLimitCents: own?.transactionLimitCents ?? null,
    };
  });
}

/** What remained at an earlier time: unknown if a new window has begun, because only its amounts can be read. */
export function remainingAt(then: string, { overall, categories }: RemainingLimits, now: Date): RemainedLimits {
  const asThen = <Limit extends RemainingLimit>(limit: Limit): Limit & RemainedLimit => {
    if (!hasReset(limit.period, then, now)) return limit;
    const { remainingCents: leftCents } = limit;
    const read = leftCents !== null && { sinceReset: { leftCents, readAt: now.toISOString() } };
    return { ...limit, remainingCents: null, ...read };
  };
  return { overall: overall.map(asThen), categories: categories.map(asThen) };
}

/**
 * The category whose limit declined a purchase: the card service does not name it. Only one that alone can have
 * had too little left is certain: of those that fit the merchant, or of all if none does.
 *
 * @param then the card's categories with what was left of their limits when the purchase was declined.
 * @returns null when it cannot be told.
 */
export function stoppingCategory(
  amountCents: number,
  fits: Fits,
  then: readonly LimitedCategory[],
): SpendCategory | null {
  const fitting = then.filter(({ category }) => fits(category.name));
  const [first, ...others] = suspectsOf(amountCents, fitting.length > 0 ? fitting : then);
  return first === undefined || others.length > 0 ? null : first.category;
}

/**
 * The categories that the merchant may belong to: all if none fits. The card service's own exclude each other.
 */
export function possibleCategories(fits: Fits, all: readonly LimitedCategory[]): readonly LimitedCategory[] {
  const isAnyFitting = all.some(({ category }) => fits(category.name) === true);
  return isAnyFitting ? all.filter(({ category }) => fits(category.name) !== false) : all;
}

function suspectsOf(amountCents: number, all: readonly LimitedCategory[]): LimitedCategory[] {
  return all.filter(({ windows, limits, transactionLimitCents }) => {
    const lefts = limitPeriods.flatMap((period) => {
      const window = windows.find((one) => one.period === period);
      const left = window?.remainingCents ?? null;
      if (left !== null) return [left];
      // Of a limit whose rest is not known, nothing may have been left.
      return (window?.limitCents ?? limits?.[period] ?? null) === null ? [] : [0];
    });
    return [...lefts, ...(transactionLimitCents === null ? [] : [transactionLimitCents])].some(
      (left) => left < amountCents,
    );
  });
}
