import { type LimitPeriod, type LimitWindow, limitPeriods } from '../alerts/alert.ts';
import { formatCents } from '../core/money.ts';

/** A card's limits as the card API's rules hold them: whole cents, null where there is no limit. */
export interface CardLimits {
  readonly limits: Readonly<Record<LimitPeriod, number | null>>;
  readonly categories: readonly CategoryLimits[];
  /** How many cents a longer window's limit must be above a shorter one's; absent: they may be equal. */
  readonly apartCents?: number | undefined;
}

export interface CategoryLimits {
  readonly id: number;
  readonly name: string;
  /** Most that a single purchase may cost. */
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

/** Which limit it is. */
export interface LimitRef {
  readonly period: LimitWindow;
  /** Id of a category; null for the overall limit. */
  readonly category: number | null;
}

export interface PlannedChange extends LimitRef {
  readonly limitCents: number | null;
}

/** Whole cents; null: there is no such limit. */
export function limitAt({ limits, categories }: CardLimits, { period, category }: LimitRef): number | null {
  const own = category === null ? undefined : categories.find(({ id }) => id === category);
  if (period === 'transaction') return own?.transactionLimitCents ?? null;
  return (category === null ? limits : own?.limits)?.[period] ?? null;
}

export interface Contradiction {
  /** The change that would bring it about. */
  readonly change: PlannedChange;
  /** One sentence, and what to do instead. */
  readonly why: string;
}

/**
 * Says why the card service would refuse limits that are changed together, before it does: a shorter window above a
 * longer one, a category above the card's overall limit. Null when nothing speaks against it.
 *
 * Only what the changes themselves bring about: contradictions that were there before are not their fault.
 */
export function contradiction(current: CardLimits, changes: readonly PlannedChange[]): Contradiction | null {
  for (const change of changes) {
    const { limitCents, period } = change;
    if (limitCents === null || period === 'transaction') continue;
    const wrong = neighborsOf(current, { ...change, period }).find((other) => {
      const cents = plannedAt(current, changes, other);
      if (cents === null) return false;
      return other.isAbove ? limitCents + other.apartCents > cents : limitCents < cents + other.apartCents;
    });
    if (wrong !== undefined) return { change, why: sentence(current, changes, { ...change, limitCents }, wrong) };
  }
  return null;
}

/**
 * The same changes with every limit that would be below another: each raised to no more than it takes, those that nobody
 * asked to change last.
 */
export function inOrder(current: CardLimits, changes: readonly PlannedChange[]): PlannedChange[] {
  const ordered = [...changes];
  const risen = [...changes];
  for (const { limitCents, period, category } of risen) {
    if (limitCents === null || period === 'transaction') continue;
    for (const { isAbove, apartCents, ...other } of neighborsOf(current, { period, category })) {
      const cents = plannedAt(current, ordered, other);
      const least = limitCents + apartCents;
      if (!isAbove || cents === null || cents >= least) continue;
      const raised = { ...other, limitCents: least };
      const place = ordered.findIndex((one) => isSamePlace(one, other));
      ordered.splice(place === -1 ? ordered.length : place, 1, raised);
      // It may be above another in its turn: a category's day, the card's day, the card's week.
      risen.push(raised);
    }
  }
  return ordered;
}

function plannedAt(current: CardLimits, changes: readonly PlannedChange[], place: LimitRef): number | null {
  const change = changes.find((one) => isSamePlace(one, place));
  return change === undefined ? limitAt(current, place) : change.limitCents;
}

function isSamePlace(one: LimitRef, other: LimitRef): boolean {
  return one.period === other.period && one.category === other.category;
}

interface Neighbor extends LimitRef {
  readonly period: LimitPeriod;
  /** It must be no lower; else no higher. */
  readonly isAbove: boolean;
  /** By how much. */
  readonly apartCents: number;
}

/** The limits that the service compares one with: its shorter and longer windows, and the same window overall or by category. */
function neighborsOf(
  { categories, apartCents = 0 }: CardLimits,
  { period, category }: { period: LimitPeriod; category: number | null },
): Neighbor[] {
  const at = limitPeriods.indexOf(period);
  const windows = limitPeriods.flatMap((other, index) =>
    index === at ? [] : [{ period: other, category, isAbove: index > at, apartCents }],
  );
  const across =
    category === null
      ? categories.map(({ id }) => ({ period, category: id, isAbove: false, apartCents: 0 }))
      : [{ period, category: null, isAbove: true, apartCents: 0 }];
  return [...windows, ...across];
}

function sentence(
  current: CardLimits,
  changes: readonly PlannedChange[],
  change: PlannedChange & { readonly limitCents: number },
  other: Neighbor,
): string {
  const nameOf = ({ period, category }: LimitRef): string => {
    const name = current.categories.find(({ id }) => id === category)?.name;
    return name === undefined ? `the ${period} limit` : `the ${period} limit for ${name}`;
  };
  const isOverall = other.category === null && change.category !== null;
  const what = isOverall ? `the card's overall ${other.period} limit` : nameOf(other);
  const cents = plannedAt(current, changes, other) ?? 0;
  const isBeyond = other.isAbove ? change.limitCents > cents : change.limitCents < cents;
  const where = !isBeyond ? 'too close to' : other.isAbove ? 'above' : 'below';
  const planned = `${capitalised(nameOf(change))} of ${formatCents(change.limitCents)} would be`;
  const isChangedToo = changes.some((one) => isSamePlace(one, other));
  const first = `${other.isAbove ? 'Raise' : 'Lower'} ${isOverall ? 'the overall limit' : other.category === change.category ? what : 'that one'} first.`;
  return `${planned} ${where} ${what}, ${formatCents(cents)}. ${isChangedToo ? 'Change one of the two.' : first}`;
}

function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
