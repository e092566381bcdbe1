import { countryName, readCountry } from '../core/merchant-category.ts';
import type { Subscription } from './channel-rules-store.ts';
import { type Filter, hasHead, isList, printFilter } from './filter.ts';
import { parseFilter } from './parse-filter.ts';

/**
 * Prints a filter for readers: `declines over $500.00 except in "United States"`. This form can be typed, too, and selects
 * the same events.
 */
export function describeFilter(filter: Filter): string {
  return printFilter(headed(simple(filter)));
}

/** The same for a stored filter. Returns the text unchanged when it can no longer be parsed. */
export function describeStored(text: string): string {
  const parsed = parseFilter(text);
  return 'filter' in parsed ? describeFilter(parsed.filter) : text;
}

/** The subscription with its filter for readers. */
export function described(subscription: Subscription): Subscription {
  return { ...subscription, filter: describeStored(subscription.filter) };
}

/** Without double negation, and with the names of countries that are read as these countries. */
function simple(filter: Filter): Filter {
  if (filter.is === 'and' || filter.is === 'or') return { is: filter.is, filters: filter.filters.map(simple) };
  if (filter.is === 'country') {
    const name = countryName(filter.country);
    return name !== null && readCountry(name) === filter.country ? { is: 'country', country: name } : filter;
  }
  if (filter.is !== 'not') return filter;
  return filter.filter.is === 'not' ? simple(filter.filter.filter) : { is: 'not', filter: simple(filter.filter) };
}

/** Adds a noun to a condition that has none: `over $500.00` → `everything over $500.00`. */
function headed(filter: Filter): Filter {
  const everything: Filter = { is: 'all' };
  if (filter.is === 'or' && !isList(filter.filters)) return { is: 'or', filters: filter.filters.map(headed) };
  if (hasHead(filter)) return filter;
  return { is: 'and', filters: filter.is === 'and' ? [everything, ...filter.filters] : [everything, filter] };
}
