import { closest } from '../core/closest.ts';
import { countryName, merchantCategoryNames } from '../core/merchant-category.ts';
import { formatCents } from '../core/money.ts';
import { type Filter, hasWords, printFilter } from './filter.ts';

type Amount = Extract<Filter, { is: 'amount' }>;

/** Why no alert can ever fit a filter, as a sentence; null where some may. What only looks unlikely is not refused. */
export function whyNever(filter: Filter): string | null {
  switch (filter.is) {
    case 'or': {
      const each = filter.filters.map(whyNever);
      return each.includes(null) ? null : (each[0] ?? null);
    }
    case 'and':
      return filter.filters.map(whyNever).find((why) => why !== null) ?? whyNotTogether(filter.filters);
    case 'text':
      return filter.fact === 'category' ? whyNoCategory(filter.text) : null;
    default:
      return null;
  }
}

/** Alternatives are tried with what stands beside them. */
function whyNotTogether(parts: readonly Filter[]): string | null {
  const simple = parts.filter(({ is }) => is !== 'or');
  const alone = contradictionIn(simple);
  if (alone !== null) return alone;
  for (const part of parts) {
    if (part.is !== 'or') continue;
    const each = part.filters.map((way) => contradictionIn([...simple, ...(way.is === 'and' ? way.filters : [way])]));
    if (!each.includes(null)) return each[0] ?? null;
  }
  return null;
}

function contradictionIn(parts: readonly Filter[]): string | null {
  for (const [index, one] of parts.entries())
    for (const other of parts.slice(index + 1))
      if (excludes(one, other) || excludes(other, one)) return both(one, other);
  return amountGap(parts.filter((part) => part.is === 'amount'));
}

function excludes(one: Filter, other: Filter): boolean {
  if (one.is === 'not') return printFilter(one.filter) === printFilter(other) || isCodeWithin(other, one.filter);
  if (one.is === 'country' && other.is === 'country') return one.country !== other.country;
  if (one.is === 'form' && other.is === 'form') return one.form !== other.form;
  if (one.is !== 'code' || other.is !== 'code') return false;
  return !isCodeWithin(one, other) && !isCodeWithin(other, one);
}

function isCodeWithin(one: Filter, whole: Filter): boolean {
  return one.is === 'code' && whole.is === 'code' && `${one.code}.`.startsWith(`${whole.code}.`);
}

function amountGap(amounts: readonly Amount[]): string | null {
  const lows = amounts.flatMap(({ test, cents }) => (test === 'over' ? [cents + 1] : test === 'from' ? [cents] : []));
  const highs = amounts.flatMap(({ test, cents }) => (test === 'under' ? [cents - 1] : test === 'upTo' ? [cents] : []));
  const [low, high] = [Math.max(0, ...lows), Math.min(Number.POSITIVE_INFINITY, ...highs)];
  if (low <= high) return null;
  const [first = '', second = ''] = amounts.map((amount) => printFilter(amount));
  return second === ''
    ? `No amount is ${first}.`
    : `No amount is ${formatCents(low)} or more and ${formatCents(Math.max(0, high))} or less.`;
}

function both(one: Filter, other: Filter): string {
  if (one.is === 'country' && other.is === 'country') {
    const names = [one, other].map(({ country }) => countryName(country) ?? country);
    return `No purchase is in both ${names.join(' and ')}. Did you mean “or”?`;
  }
  return `No alert is both “${printFilter(one)}” and “${printFilter(other)}”. Did you mean “or”?`;
}

function whyNoCategory(text: string): string | null {
  if (/^\d{4}$/.test(text.trim()) || merchantCategoryNames.some((name) => hasWords(name, text))) return null;
  const words = new Set(merchantCategoryNames.flatMap((name) => name.toLowerCase().match(/\p{L}{3,}/gu) ?? []));
  const near = closest(text.trim(), [...words]);
  return `There is no merchant category “${text}”. ${near === null ? 'Write a word of its name, or its four digits.' : `Did you mean “${near}”?`}`;
}

/** Groups that a filter names and no card is in, with the group that was probably meant. */
export function unknownGroups(filter: Filter, groups: readonly string[]): { typed: string; meant: string | null }[] {
  if (filter.is === 'and' || filter.is === 'or') return filter.filters.flatMap((part) => unknownGroups(part, groups));
  if (filter.is === 'not') return unknownGroups(filter.filter, groups);
  if (filter.is !== 'text' || filter.fact !== 'group' || groups.some((group) => hasWords(group, filter.text)))
    return [];
  const near = closest(
    filter.text,
    groups.map((group) => group.toLowerCase()),
  );
  return [{ typed: filter.text, meant: groups.find((group) => group.toLowerCase() === near) ?? null }];
}
