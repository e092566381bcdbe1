import { type LimitPeriod, limitPeriods } from './alert.ts';
import { formatCents } from './money.ts';

/** A card's limits as the card API's rules hold them: whole cents, null where there is no limit. */
export interface CardLimits {
  readonly limits: Readonly<Record<LimitPeriod, number | null>>;
  readonly categories: readonly CategoryLimits[];
}

export interface CategoryLimits {
  readonly id: number;
  readonly name: string;
  readonly transactionLimitCents: number | null;
  readonly limits: Readonly<Record<LimitPeriod, number | null>>;
}

/** How much more a card may spend after a change: 0 when it is lower or there was no limit, Infinity when the limit goes. */
export function raiseCents(fromCents: number | null, toCents: number | null): number {
  if (fromCents === null) return 0;
  if (toCents === null) return Number.POSITIVE_INFINITY;
  return Math.max(0, toCents - fromCents);
}

export function isRaise(fromCents: number | null, toCents: number | null): boolean {
  return raiseCents(fromCents, toCents) > 0;
}

export interface PlannedChange {
  readonly period: LimitPeriod;
  /** Id of a category; null for the overall limit. */
  readonly category: number | null;
  readonly limitCents: number | null;
}

/**
 * Says in one sentence why the card service would refuse a limit, before it does: a shorter window above a longer one,
 * a category above the card's overall limit. Null when nothing speaks against it.
 *
 * Only what the change itself brings about: contradictions that were there before are not its fault.
 */
export function contradiction(current: CardLimits, change: PlannedChange): string | null {
  const { period, limitCents } = change;
  if (limitCents === null) return null;
  const category =
    change.category === null ? null : (current.categories.find(({ id }) => id === change.category) ?? null);
  const own = change.category === null ? current.limits : category?.limits;
  const what = (of: LimitPeriod, where = category?.name): string =>
    where === undefined ? `the ${of} limit` : `the ${of} limit for ${where}`;
  const planned = `${capitalised(what(period))} of ${formatCents(limitCents)} would be`;

  const place = limitPeriods.indexOf(period);
  for (const [index, other] of limitPeriods.entries()) {
    const otherCents = own?.[other] ?? null;
    if (otherCents === null) continue;
    if (index > place && limitCents > otherCents) {
      return `${planned} above ${what(other)}, ${formatCents(otherCents)}. Raise ${what(other)} first.`;
    }
    if (index < place && limitCents < otherCents) {
      return `${planned} below ${what(other)}, ${formatCents(otherCents)}. Lower ${what(other)} first.`;
    }
  }
  if (change.category !== null) {
    const overallCents = current.limits[period];
    if (overallCents === null || limitCents <= overallCents) return null;
    return `${planned} above the card's overall ${period} limit, ${formatCents(overallCents)}. Raise the overall limit first.`;
  }
  const above = current.categories.find(({ limits }) => (limits[period] ?? 0) > limitCents);
  if (above === undefined) return null;
  return `${planned} below ${what(period, above.name)}, ${formatCents(above.limits[period] ?? 0)}. Lower that one first.`;
}

function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
