import { countryName, readCountry } from '../core/merchant-category.ts';
import { type Filter, printFilter, type TextFact } from './filter.ts';
import { parseFilter } from './parse-filter.ts';

const EVERYTHING: Filter = { is: 'all' };
const prepositions: Readonly<Record<TextFact, string>> = { group: 'in', holder: 'of', merchant: 'at', category: 'in' };

/**
 * Prints a filter in readable form: `declines over $500.00 except in "United States"`. This form can be typed and selects
 * the same events. The stored form is {@link printFilter}, which older versions can also read.
 */
export function describeFilter(filter: Filter): string {
  return words(headed(simple(filter)));
}

/** The same for a stored filter. Returns the text unchanged when it can no longer be parsed. */
export function describeStored(text: string): string {
  const parsed = parseFilter(text);
  return 'filter' in parsed ? describeFilter(parsed.filter) : text;
}

/** Removes double negation. */
function simple(filter: Filter): Filter {
  if (filter.is === 'and' || filter.is === 'or') return { is: filter.is, filters: filter.filters.map(simple) };
  if (filter.is !== 'not') return filter;
  return filter.filter.is === 'not' ? simple(filter.filter.filter) : { is: 'not', filter: simple(filter.filter) };
}

/** Adds a noun to a condition that has none: `over $500.00` → `everything over $500.00`. */
function headed(filter: Filter): Filter {
  if (filter.is === 'or' && !isList(filter.filters)) return { is: 'or', filters: filter.filters.map(headed) };
  if (hasHead(filter)) return filter;
  return { is: 'and', filters: filter.is === 'and' ? [EVERYTHING, ...filter.filters] : [EVERYTHING, filter] };
}

function hasHead(filter: Filter): boolean {
  if (filter.is === 'and') return filter.filters.some(hasHead);
  if (filter.is === 'or') return filter.filters.every(hasHead);
  return filter.is === 'kind' || filter.is === 'all';
}

function words(filter: Filter): string {
  switch (filter.is) {
    case 'all':
      return 'everything';
    case 'kind':
    case 'amount':
      return printFilter(filter);
    case 'not':
      return `except ${inner(filter.filter)}`;
    case 'and':
      return joined(filter.filters);
    case 'or':
      return isList(filter.filters) ? listed(filter.filters) : filter.filters.map(inner).join(' or ');
    default:
      return `${leadOf(filter)} ${valueIn(filter)}`;
  }
}

function inner(filter: Filter): string {
  const isSimple = filter.is === 'or' ? isList(filter.filters) : filter.is !== 'and';
  return isSimple ? words(filter) : `(${words(filter)})`;
}

/** Orders the parts: the subject, then its conditions, then the exceptions. */
function joined(filters: readonly Filter[]): string {
  const rank = (filter: Filter): number => (hasHead(filter) ? 0 : filter.is === 'not' ? 2 : 1);
  const sorted = filters.toSorted((a, b) => rank(a) - rank(b));
  return sorted.map((part, index) => `${linkOf(sorted[index - 1], part)}${inner(part)}`).join('');
}

function linkOf(before: Filter | undefined, part: Filter): string {
  if (before === undefined) return '';
  const isMixed = part.is === 'or' && !isList(part.filters);
  const isFirstException = part.is === 'not' && before.is !== 'not';
  return isFirstException || (!isMixed && !hasHead(part) && factOf(before) !== factOf(part)) ? ' ' : ' and ';
}

/** The fact that a condition tests. Two conditions on the same fact are joined with “and”. */
function factOf(filter: Filter): string {
  if (filter.is === 'text') return filter.fact;
  return filter.is === 'or' ? factOf(filter.filters[0] ?? EVERYTHING) : filter.is;
}

type Listed = Extract<Filter, { is: 'code' | 'text' | 'country' }>;

/** True for several values of one fact: `in Portugal, Spain`. */
function isList(filters: readonly Filter[]): filters is readonly Listed[] {
  const facts = new Set(filters.map((filter) => (isListed(filter) ? factOf(filter) : null)));
  return facts.size === 1 && !facts.has(null);
}

function isListed(filter: Filter): filter is Listed {
  return filter.is === 'code' || filter.is === 'text' || filter.is === 'country';
}

function listed(filters: readonly Listed[]): string {
  const [first] = filters;
  return first === undefined ? '' : `${leadOf(first)} ${filters.map(valueIn).join(', ')}`;
}

function leadOf(filter: Listed | Extract<Filter, { is: 'form' }>): string {
  if (filter.is === 'text') return `${prepositions[filter.fact]} ${filter.fact}`;
  return { code: 'with code', country: 'in', form: 'on' }[filter.is];
}

function valueIn(filter: Listed | Extract<Filter, { is: 'form' }>): string {
  switch (filter.is) {
    case 'code':
      return filter.code;
    case 'text':
      return `"${filter.text}"`;
    case 'form':
      return `${filter.form} cards`;
    case 'country': {
      const name = countryName(filter.country) ?? filter.country;
      if (readCountry(name) !== filter.country) return filter.country;
      return /^\p{L}+$/u.test(name) ? name : `"${name}"`;
    }
  }
}
