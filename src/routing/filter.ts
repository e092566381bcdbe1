import { BoundedMap } from '../core/bounded-map.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { plainText } from '../core/card-number.ts';
import {
  declineCode,
  kindTraits,
  type StoredEvent,
  transactionKinds,
  type WebhookKind,
  webhookKinds,
} from '../core/event.ts';
import { countryCode, countryInSentence, merchantCategory } from '../core/merchant-category.ts';
import { formatCents } from '../core/money.ts';

const amountWords = { over: 'over', from: 'at least', under: 'under', upTo: 'at most' } as const;
export type AmountTest = keyof typeof amountWords;

/** Facts that are matched word by word. */
export const textFacts = ['group', 'holder', 'merchant', 'category'] as const;
export type TextFact = (typeof textFacts)[number];
const prepositions: Readonly<Record<TextFact, string>> = { group: 'in', holder: 'of', merchant: 'at', category: 'in' };

/**
 * Selects events. Normal form: kinds in the order of `webhookKinds`, no `and` directly inside an `and`, no `or` directly
 * inside an `or`, no `all` in an `and` with what has a head. `parseFilter` reads it, `printFilter` writes it.
 */
export type Filter =
  | { readonly is: 'all' }
  | { readonly is: 'kind'; readonly kinds: readonly WebhookKind[] }
  | { readonly is: 'amount'; readonly test: AmountTest; readonly cents: number }
  /** A decline code or a prefix of several: `decline.rule` matches every rule. `decline` is only itself. */
  | { readonly is: 'code'; readonly code: string }
  | { readonly is: 'text'; readonly fact: TextFact; readonly text: string }
  /** ISO 3166, two letters. */
  | { readonly is: 'country'; readonly country: string }
  | { readonly is: 'form'; readonly form: 'virtual' | 'physical' }
  | { readonly is: 'not'; readonly filter: Filter }
  | { readonly is: 'and' | 'or'; readonly filters: readonly Filter[] };

/** Everything about purchases except declines. */
export const spendKinds: readonly WebhookKind[] = webhookKinds.filter((kind) => kindTraits[kind].category === 'spend');

/** A kind as people type it. */
export function kindName(kind: WebhookKind): string {
  return kindTraits[kind].typed[0];
}

/**
 * Prints a filter as people may type it: `declines over $500.00 except in US`. What it reads as selects the same events. It
 * is what is stored, so it names countries by their codes, which do not change.
 */
export function printFilter(filter: Filter): string {
  switch (filter.is) {
    case 'all':
      return 'everything';
    case 'kind':
      return printKinds(filter.kinds);
    case 'amount':
      return `${amountWords[filter.test]} ${formatCents(filter.cents)}`;
    case 'not':
      return `except ${inner(filter.filter)}`;
    case 'and':
      return joined(filter.filters);
    case 'or':
      return isList(filter.filters) ? listed(filter.filters) : filter.filters.map(alternative).join(' or ');
    default:
      return `${leadOf(filter)} ${valueIn(filter)}`;
  }
}

function printKinds(kinds: readonly WebhookKind[]): string {
  const hasSpend = spendKinds.every((kind) => kinds.includes(kind));
  const named = hasSpend ? kinds.filter((kind) => !spendKinds.includes(kind)) : kinds;
  return [...(hasSpend ? ['spend'] : []), ...named.map(kindName)].join(', ');
}

function inner(filter: Filter): string {
  const isSimple = filter.is === 'or' ? isList(filter.filters) : filter.is !== 'and';
  return isSimple ? printFilter(filter) : `(${printFilter(filter)})`;
}

/** Behind an exception, “or” may continue it to readers: `(except in US) or over $5.00`. */
function alternative(filter: Filter): string {
  return filter.is === 'not' ? `(${printFilter(filter)})` : inner(filter);
}

/** Orders the parts: the subject, then its conditions, then the exceptions. Behind kinds, “and” would add a kind to them. */
function joined(filters: readonly Filter[]): string {
  const rank = (filter: Filter): number => (hasHead(filter) ? 0 : filter.is === 'not' ? 2 : 1);
  const sorted = filters.toSorted((a, b) => rank(a) - rank(b));
  const shown = (part: Filter, index: number): string =>
    part.is === 'kind' && index > 0 ? `(${printFilter(part)})` : inner(part);
  return sorted.map((part, index) => `${linkOf(sorted[index - 1], part)}${shown(part, index)}`).join('');
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
  return filter.is === 'or' ? factOf(filter.filters[0] ?? { is: 'all' }) : filter.is;
}

type Listed = Extract<Filter, { is: 'code' | 'text' | 'country' }>;

/** True for several values of one fact: `in Portugal, Spain`. */
export function isList(filters: readonly Filter[]): filters is readonly Listed[] {
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
    case 'country':
      return /^\p{L}+$/u.test(filter.country) ? filter.country : `"${filter.country}"`;
  }
}

/** True when it names what it selects, and not only a condition: `declines`, but not `over $500.00`. */
export function hasHead(filter: Filter): boolean {
  if (filter.is === 'and') return filter.filters.some(hasHead);
  if (filter.is === 'or') return filter.filters.every(hasHead);
  return filter.is === 'kind' || filter.is === 'all';
}

/** Equal for filters that select the same because they differ only in order, repetition, capitals or double negation. */
export function filterKey(filter: Filter): string {
  return printFilter(canonical(filter)).toLowerCase();
}

function canonical(filter: Filter): Filter {
  if (filter.is === 'not') {
    const inside = canonical(filter.filter);
    return inside.is === 'not' ? inside.filter : { is: 'not', filter: inside };
  }
  if (filter.is !== 'and' && filter.is !== 'or') return filter;
  const { is } = filter;
  const parts = filter.filters.map(canonical).flatMap((part) => (part.is === is ? part.filters : [part]));
  // `everything over $500.00` is `over $500.00`.
  const narrowing = parts.filter((part) => is === 'or' || part.is !== 'all');
  const byKey = new Map(narrowing.map((part) => [printFilter(part).toLowerCase(), part]));
  const [first = { is: 'all' }, ...others] = [...byKey.keys()].toSorted().flatMap((key) => byKey.get(key) ?? []);
  return others.length === 0 ? first : { is, filters: [first, ...others] };
}

const either = new Intl.ListFormat('en-US', { type: 'disjunction' });

/** `a decline`, `a decline or a shipment` */
function eitherOf(kinds: readonly WebhookKind[]): string {
  return either.format(kinds.map((kind) => `a ${kindTraits[kind].nouns[0]}`));
}

export interface FilterSubject {
  readonly event: StoredEvent;
  readonly card: CardFacts;
}

/**
 * Returns why a filter does not select an event, in a few words; null when it does. An unknown fact matches no filter.
 *
 * The reason is built lazily: most of hundreds of filters do not match, and few reasons are shown.
 */
export function whyNot(filter: Filter, subject: FilterSubject): (() => string) | null {
  const { event, card } = subject;
  const purchase = 'merchant' in event ? event : null;
  switch (filter.is) {
    case 'all':
      return null;
    case 'kind':
      return filter.kinds.includes(event.kind) ? null : () => `it is not ${eitherOf(filter.kinds)}`;
    case 'amount':
      if (purchase === null) return () => 'it has no amount';
      return isAmount(filter, purchase.amountCents)
        ? null
        : () => `${formatCents(purchase.amountCents)} is not ${printFilter(filter)}`;
    case 'code': {
      const code = codeOf(event);
      return code !== null && isCodeIn(code, filter.code) ? null : () => `its code is not ${filter.code}`;
    }
    case 'text': {
      const text = factText(filter.fact, subject);
      if (hasWords(text, filter.text)) return null;
      return () => `its ${filter.fact} is not ${text === '' ? 'known to be ' : ''}“${filter.text}”`;
    }
    case 'country':
      return purchase !== null && countryCode(purchase.merchant.country) === filter.country
        ? null
        : () => `it is not known to be in ${countryInSentence(filter.country)}`;
    case 'form': {
      const isVirtual = event.kind === 'virtual-card' ? true : card.isVirtual;
      return isVirtual === (filter.form === 'virtual') ? null : () => `it is not known to be a ${filter.form} card`;
    }
    case 'not':
      return whyNot(filter.filter, subject) === null ? () => `“${printFilter(filter.filter)}” fits` : null;
    case 'and':
      for (const part of filter.filters) {
        const reason = whyNot(part, subject);
        if (reason !== null) return reason;
      }
      return null;
    case 'or': {
      const reasons = filter.filters.map((part) => whyNot(part, subject));
      return reasons.includes(null) ? null : () => reasons.map((reason) => reason?.()).join(', and ');
    }
  }
}

function isAmount({ test, cents }: { test: AmountTest; cents: number }, amount: number): boolean {
  if (test === 'over') return amount > cents;
  if (test === 'from') return amount >= cents;
  return test === 'under' ? amount < cents : amount <= cents;
}

export function codeOf(event: StoredEvent): string | null {
  return 'decline' in event && event.decline !== null ? declineCode(event.decline) : null;
}

/** “Do not honor” is `decline`, with which every code begins, so this one has no others in it. */
export function isCodeIn(code: string, beginning: string): boolean {
  return code === beginning || (beginning !== 'decline' && code.startsWith(`${beginning}.`));
}

export function factText(fact: TextFact, { event, card }: FilterSubject): string {
  if (fact === 'group') return card.group ?? '';
  if (fact === 'holder') return card.holder ?? ('holder' in event ? event.holder : '');
  if (!('merchant' in event)) return '';
  return fact === 'merchant' ? event.merchant.name : `${event.mcc} ${merchantCategory(event.mcc) ?? ''}`;
}

/**
 * True when each wanted word is a prefix of a word in the text: `field` matches “Field Ops”. Ignores accents and case, and
 * whether a name has an apostrophe, a space or nothing: `Wendy's`, `WENDY S` and `WENDYS` are one name.
 */
export function hasWords(text: string, wanted: string): boolean {
  const words = readingsOf(text).flat();
  return readingsOf(wanted).some((starts) => starts.every((start) => words.some((word) => word.startsWith(start))));
}

/** Cached, because each event is compared with many filters, and each filter with many events. */
const readingsByText = new BoundedMap<string, readonly (readonly string[])[]>(2000);

/** The words of a text, read with and without a break at each apostrophe. Empty for a text without words. */
export function readingsOf(text: string): readonly (readonly string[])[] {
  let readings = readingsByText.get(text);
  if (readings === undefined) {
    const texts = new Set([' ', ''].map((instead) => text.replaceAll(apostrophes, instead)));
    readings = [...texts].map(splitWords).filter((words) => words.length > 0);
    readingsByText.set(text, readings);
  }
  return readings;
}

const apostrophes = /['’‘`´ʼ]/g;

function splitWords(text: string): readonly string[] {
  return (
    plainText(text)
      .normalize('NFD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** The kinds that a filter can ever select. Empty when it never selects anything. */
export function possibleKinds(filter: Filter): readonly WebhookKind[] {
  switch (filter.is) {
    case 'kind':
      return filter.kinds;
    case 'amount':
    case 'country':
      return transactionKinds;
    case 'code':
      return ['decline'];
    case 'form':
      return filter.form === 'virtual' ? webhookKinds : webhookKinds.filter((kind) => kind !== 'virtual-card');
    case 'text':
      return filter.fact === 'group' || filter.fact === 'holder' ? webhookKinds : transactionKinds;
    case 'and':
    case 'or': {
      const each = filter.filters.map(possibleKinds);
      const isPossible = (kind: WebhookKind): boolean =>
        filter.is === 'and' ? each.every((kinds) => kinds.includes(kind)) : each.some((kinds) => kinds.includes(kind));
      return webhookKinds.filter(isPossible);
    }
    case 'not': {
      const { filter: denied } = filter;
      // A double negation is described without “not”, so it must allow the same kinds.
      if (denied.is === 'not') return possibleKinds(denied.filter);
      return denied.is === 'kind' ? webhookKinds.filter((kind) => !denied.kinds.includes(kind)) : webhookKinds;
    }
    default:
      return webhookKinds;
  }
}
