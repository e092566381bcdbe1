import { declineCodes, isSensitive } from '../alerts/decline-reason.ts';
import { closest } from '../core/closest.ts';
import { isTransactionKind, type WebhookKind } from '../core/event.ts';
import { countryInSentence, merchantCategoryNames } from '../core/merchant-category.ts';
import { formatCents } from '../core/money.ts';
import { describeFilter } from './describe-filter.ts';
import {
  type AmountTest,
  type Filter,
  hasWords,
  isCodeIn,
  isList,
  possibleKinds,
  printFilter,
  type TextFact,
} from './filter.ts';
import { parseFilter } from './parse-filter.ts';

type Amount = Extract<Filter, { is: 'amount' }>;
type Text = Extract<Filter, { is: 'text' }>;
/** Conditions that must all hold: simple conditions, each possibly negated. */
type Way = readonly Filter[];

/** The card service declines by it only outside the United States. */
const ONLY_ABROAD = 'decline.rule.location';

/** Filters with more alternatives than this are not checked. */
const WAYS_MAX = 500;

/**
 * A sentence that explains why no alert can ever match a filter; null when some may. Filters that are merely unlikely to
 * match are accepted.
 */
export function whyNeverMatches(filter: Filter): string | null {
  const ways = waysOf(filter);
  if (ways === null) return null;
  const each = ways.map(contradictionIn);
  return each.includes(null) ? null : (each[0] ?? `“${printFilter(filter)}” leaves no alert.`);
}

/** Parses a filter, and rejects one that can never match, or of which a typed kind can never match. */
export function parseUseful(text: string): ReturnType<typeof parseFilter> {
  const parsed = parseFilter(text);
  const why = 'why' in parsed ? null : (whyNeverMatches(parsed.filter) ?? whyKindIsLost(parsed.filter));
  return why === null ? parsed : { why };
}

/**
 * Why a kind that somebody typed never matches: `shipping, declines over 500` gets no shipment, because none has an amount.
 * Null: each may.
 */
function whyKindIsLost(filter: Filter): string | null {
  if (filter.is === 'not') return whyKindIsLost(filter.filter);
  if (filter.is !== 'and' && filter.is !== 'or') return null;
  const parts = filter.filters;
  const reasons = filter.is === 'and' ? parts.map((part) => whyLost(part, parts)) : [];
  return [...reasons, ...parts.map(whyKindIsLost)].find((why) => why !== null) ?? null;
}

/** @param list the kinds, one of `parts`, which must all hold. */
function whyLost(list: Filter, parts: readonly Filter[]): string | null {
  const listed = kindsListed(list);
  const others = parts.filter((part) => part !== list);
  // An exception takes away on purpose.
  const conditions = others.filter(({ is }) => is !== 'not');
  const may = possibleKinds({ is: 'and', filters: conditions });
  const lost = listed.filter((kind) => !may.includes(kind));
  if (lost.length === 0) return null;
  const kept = listed.filter((kind) => may.includes(kind));
  const fitsLost = (part: Filter): boolean => lost.every((kind) => possibleKinds(part).includes(kind));
  const never = conditions.filter((part) => !fitsLost(part));
  const why = `No alert is “${describeFilter(ofKinds(lost, never))}”.`;
  const alone = ofKinds(lost, others.filter(fitsLost));
  if (kept.length === 0) return `${why} Write “${describeFilter(alone)}” there.`;
  return `${why} Write “${describeFilter({ is: 'or', filters: [alone, ofKinds(kept, others)] })}”.`;
}

function ofKinds(kinds: readonly WebhookKind[], conditions: readonly Filter[]): Filter {
  const list: Filter = { is: 'kind', kinds };
  return conditions.length === 0 ? list : { is: 'and', filters: [list, ...conditions] };
}

/** The kinds of `declines, shipping` and `declines or shipping`; none in other filters. */
function kindsListed(filter: Filter): readonly WebhookKind[] {
  if (filter.is === 'kind') return filter.kinds;
  return filter.is === 'or' && filter.filters.every(({ is }) => is === 'kind') ? possibleKinds(filter) : [];
}

/** Why nobody may ask for what a filter selects: a wrong PIN, which no channel learns. Null: everybody may. */
export function whySensitive(filter: Filter): string | null {
  const isAsked = namesSensitive(filter) || codesLeftBy(filter).some(areSensitive);
  return isAsked ? 'No channel learns that it was a wrong PIN, so none can ask for it.' : null;
}

function namesSensitive(filter: Filter): boolean {
  if (filter.is === 'and' || filter.is === 'or') return filter.filters.some(namesSensitive);
  return filter.is === 'not' ? namesSensitive(filter.filter) : filter.is === 'code' && isSensitive(filter);
}

function areSensitive(codes: readonly string[]): boolean {
  return codes.length > 0 && codes.every((code) => isSensitive({ code }));
}

/**
 * The decline codes that each alternative leaves, each list once: `code card and not code card.status` leaves one,
 * `declines` all, `shipping` none.
 */
function codesLeftBy(filter: Filter, isDenied = false): readonly (readonly string[])[] {
  switch (filter.is) {
    case 'not':
      return codesLeftBy(filter.filter, !isDenied);
    case 'and':
    case 'or': {
      const each = filter.filters.map((part) => codesLeftBy(part, isDenied));
      if ((filter.is === 'or') !== isDenied) return once(each.flat());
      return each.reduce<readonly (readonly string[])[]>(
        (all, part) => once(all.flatMap((one) => part.map((other) => one.filter((code) => other.includes(code))))),
        [declineCodes],
      );
    }
    case 'all':
      return [isDenied ? [] : declineCodes];
    case 'kind':
      return [filter.kinds.includes('decline') === isDenied ? [] : declineCodes];
    case 'code':
      return [declineCodes.filter((code) => isCodeIn(code, filter.code) !== isDenied)];
    case 'country':
      return [declineCodes.filter((code) => isDenied || filter.country !== 'US' || code !== ONLY_ABROAD)];
    default:
      return [declineCodes];
  }
}

function once(lists: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return [...new Map(lists.map((codes) => [codes.join(' '), codes])).values()];
}

/** The alternatives that a filter consists of; null when there are too many. */
function waysOf(filter: Filter): Way[] | null {
  switch (filter.is) {
    case 'all':
      return [[]];
    case 'or':
      return filter.filters.reduce<Way[] | null>((all, part) => atMost(all, waysOf(part), (a, b) => [...a, ...b]), []);
    case 'and':
      return filter.filters.reduce<Way[] | null>(
        (all, part) => atMost(all, waysOf(part), (a, b) => a.flatMap((one) => b.map((two) => [...one, ...two]))),
        [[]],
      );
    case 'not':
      return waysOfNot(filter.filter);
    default:
      return [[filter]];
  }
}

function waysOfNot(denied: Filter): Way[] | null {
  const not = (filter: Filter): Filter => ({ is: 'not', filter });
  switch (denied.is) {
    case 'all':
      return [];
    case 'not':
      return waysOf(denied.filter);
    case 'or':
      return waysOf({ is: 'and', filters: denied.filters.map(not) });
    case 'and':
      return waysOf({ is: 'or', filters: denied.filters.map(not) });
    default:
      return [[not(denied)]];
  }
}

function atMost(one: Way[] | null, two: Way[] | null, join: (one: Way[], two: Way[]) => Way[]): Way[] | null {
  if (one === null || two === null || one.length * two.length > WAYS_MAX) return null;
  const ways = join(one, two);
  return ways.length > WAYS_MAX ? null : ways;
}

function contradictionIn(way: Way): string | null {
  for (const [index, one] of way.entries())
    for (const other of way.slice(index + 1)) if (excludes(one, other) || excludes(other, one)) return both(one, other);
  const kinds = possibleKinds({ is: 'and', filters: way });
  if (kinds.length === 0) return `No alert is “${describeFilter({ is: 'and', filters: way })}”.`;
  const hasAmount = kinds.every(isTransactionKind);
  return amountGap(way.flatMap((part) => amountOf(part, hasAmount))) ?? whyNoCategory(way.filter(isOfCategory));
}

function excludes(one: Filter, other: Filter): boolean {
  if (one.is === 'not') {
    const denied = one.filter;
    if (denied.is === 'text' && other.is === 'text' && denied.fact === other.fact)
      return hasWords(other.text, denied.text);
    return printFilter(denied) === printFilter(other) || isCodeWithin(other, denied);
  }
  if (one.is === 'country' && other.is === 'country') return one.country !== other.country;
  if (one.is === 'form' && other.is === 'form') return one.form !== other.form;
  if (one.is !== 'code' || other.is !== 'code') return false;
  return !isCodeWithin(one, other) && !isCodeWithin(other, one);
}

function isCodeWithin(one: Filter, whole: Filter): boolean {
  return one.is === 'code' && whole.is === 'code' && isCodeIn(one.code, whole.code);
}

const opposite: Readonly<Record<AmountTest, AmountTest>> = { over: 'upTo', upTo: 'over', under: 'from', from: 'under' };

/** What a condition says about the amount. “Not over $5” means “at most $5” only for events with an amount. */
function amountOf(part: Filter, hasAmount: boolean): Amount[] {
  if (part.is === 'amount') return [part];
  if (part.is !== 'not' || part.filter.is !== 'amount' || !hasAmount) return [];
  return [{ ...part.filter, test: opposite[part.filter.test] }];
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
  const all = [one, other];
  // Behind “or”, the second would be a condition of its own, without what is in front of both.
  const meant = isList(all) ? printFilter({ is: 'or', filters: all }) : 'or';
  if (one.is === 'country' && other.is === 'country') {
    const names = [one, other].map(({ country }) => countryInSentence(country));
    return `No purchase is in both ${names.join(' and ')}. Did you mean “${meant}”?`;
  }
  return `No alert is both “${printFilter(one)}” and “${printFilter(other)}”. Did you mean “${meant}”?`;
}

function isOfCategory(part: Filter): part is Text {
  return part.is === 'text' && part.fact === 'category';
}

/** Four digits may be a category that our list lacks, but no merchant has two categories. */
function whyNoCategory(wanted: readonly Text[]): string | null {
  const unknown = wanted.find(({ text }) => !isCategory(text));
  if (unknown !== undefined) {
    const near = nearest('category', unknown.text, []);
    return `There is no merchant category “${unknown.text}”. ${near === null ? 'Write a word of its name, or its four digits.' : `Did you mean “${near}”?`}`;
  }
  const [one, two] = wanted;
  const isOne = merchantCategoryNames.some((name) => wanted.every(({ text }) => hasWords(name, text)));
  return one === undefined || two === undefined || isOne || new Set(wanted.map(({ text }) => text.trim())).size === 1
    ? null
    : both(one, two);
}

function isCategory(text: string): boolean {
  return /^\d{4}$/.test(text.trim()) || merchantCategoryNames.some((name) => hasWords(name, text));
}

export interface UnknownName {
  readonly what: 'group' | 'category' | 'code';
  readonly typed: string;
  /** What was probably meant. */
  readonly meant: string | null;
}

/** Unknown groups, categories and codes in a filter. The filter is accepted anyway: they may exist later. */
export function unknownNames(filter: Filter, groups: readonly string[]): UnknownName[] {
  if (filter.is === 'and' || filter.is === 'or') return filter.filters.flatMap((part) => unknownNames(part, groups));
  if (filter.is === 'not') return unknownNames(filter.filter, groups);
  if (filter.is === 'code') {
    const isKnown = declineCodes.some((code) => `${code}.`.startsWith(`${filter.code}.`));
    return isKnown ? [] : [{ what: 'code', typed: filter.code, meant: closest(filter.code, declineCodes) }];
  }
  if (filter.is !== 'text' || (filter.fact !== 'group' && filter.fact !== 'category')) return [];
  const { fact, text } = filter;
  if (fact === 'group' ? groups.some((group) => hasWords(group, text)) : isCategory(text)) return [];
  return [{ what: fact, typed: text, meant: nearest(fact, text, groups) }];
}

function nearest(fact: TextFact, text: string, groups: readonly string[]): string | null {
  if (fact === 'group') {
    const near = closest(
      text,
      groups.map((group) => group.toLowerCase()),
    );
    return groups.find((group) => group.toLowerCase() === near) ?? null;
  }
  const words = new Set(merchantCategoryNames.flatMap((name) => name.toLowerCase().match(/\p{L}{3,}/gu) ?? []));
  return closest(text.trim(), [...words]);
}
