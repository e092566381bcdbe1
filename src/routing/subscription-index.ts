import { BoundedMap } from '../core/bounded-map.ts';
import type { WebhookKind } from '../core/event.ts';
import { countryCode } from '../core/merchant-category.ts';
import type { Subscription } from './channel-rules-store.ts';
import { describeStored } from './describe-filter.ts';
import {
  codeOf,
  type Filter,
  type FilterSubject,
  factText,
  possibleKinds,
  readingsOf,
  type TextFact,
  textFacts,
} from './filter.ts';
import { parseFilter } from './parse-filter.ts';

/** Parsed filters, by their normal form. */
const parsedFilters = new BoundedMap<string, Filter>(1000);

/** A stored filter. A filter that this version cannot read selects everything: too many alerts are better than too few. */
export function readStored(text: string): Filter {
  let filter = parsedFilters.get(text);
  if (filter === undefined) {
    const parsed = parseFilter(text);
    filter = 'filter' in parsed ? parsed.filter : { is: 'all' };
    parsedFilters.set(text, filter);
  }
  return filter;
}

/** Subscriptions that can select a given kind of event. */
interface OfKind {
  /** By a condition that an event must meet for them to match. */
  readonly byKey: Map<string, Indexed[]>;
  /** Subscriptions without such a condition. */
  readonly rest: Indexed[];
}

/** All subscriptions ordered by number, and a preselection for each event. */
export type SubscriptionIndex = ReturnType<typeof indexSubscriptions>;

/** Build this once per rule change: then most of hundreds of subscriptions are never compared with an event. */
export function indexSubscriptions(subscriptions: readonly Subscription[]) {
  const all = subscriptions.map(indexed);
  const order = new Map(all.map((each, position) => [each, position]));
  const kinds = new Map<WebhookKind, OfKind>();
  for (const each of all) {
    const keys = conditionKeys(each.filter);
    for (const kind of possibleKinds(each.filter)) {
      const ofKind = kinds.get(kind) ?? { byKey: new Map<string, Indexed[]>(), rest: [] };
      kinds.set(kind, ofKind);
      if (keys === null) ofKind.rest.push(each);
      for (const key of keys ?? []) ofKind.byKey.set(key, [...(ofKind.byKey.get(key) ?? []), each]);
    }
  }
  return {
    all,
    /** The subscriptions that may match, in order. The others do not. */
    mayFit(subject: FilterSubject): readonly Indexed[] {
      const ofKind = kinds.get(subject.event.kind);
      if (ofKind === undefined) return [];
      if (ofKind.byKey.size === 0) return ofKind.rest;
      const found = new Set(ofKind.rest);
      for (const key of subjectKeys(subject)) for (const each of ofKind.byKey.get(key) ?? []) found.add(each);
      return [...found].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
    },
  };
}

/** A subscription, parsed once for all events. */
type Indexed = ReturnType<typeof indexed>;

function indexed(subscription: Subscription) {
  let words: string | null = null;
  return {
    subscription,
    filter: readStored(subscription.filter),
    /** The filter in readable form. */
    words: () => (words ??= describeStored(subscription.filter)),
  };
}

/** How many letters of a word are indexed: enough to distinguish most words. */
const KEY_LETTERS = 4;

/**
 * Keys of which an event must have at least one for a filter to select it; null when no such keys are known. A filter
 * matches only events whose {@link subjectKeys} include one of them.
 */
function conditionKeys(filter: Filter): readonly string[] | null {
  switch (filter.is) {
    case 'code':
      return [`code ${filter.code}`];
    case 'country':
      return [`country ${filter.country}`];
    case 'text': {
      const longest = (words: readonly string[]) => words.reduce((a, b) => (b.length > a.length ? b : a), '');
      return readingsOf(filter.text).map((words) => `${filter.fact} ${longest(words).slice(0, KEY_LETTERS)}`);
    }
    case 'and': {
      const alternatives = filter.filters.map(conditionKeys).filter((keys) => keys !== null);
      // Words are more selective than countries and codes, and few alternatives are more selective than many.
      const weight = (keys: readonly string[]): number =>
        keys.length + (/^(code|country) /.test(keys[0] ?? '') ? 0.5 : 0);
      return alternatives.toSorted((a, b) => weight(a) - weight(b))[0] ?? null;
    }
    case 'or': {
      const each = filter.filters.map(conditionKeys);
      return each.includes(null) ? null : [...new Set(each.flatMap((keys) => keys ?? []))];
    }
    default:
      return null;
  }
}

/** All keys of an event that {@link conditionKeys} may name. */
function subjectKeys(subject: FilterSubject): readonly string[] {
  const { event } = subject;
  const code = codeOf(event);
  const country = 'merchant' in event ? countryCode(event.merchant.country) : undefined;
  const parts = code === null ? [] : code.split('.');
  return [
    ...parts.map((_, index) => `code ${parts.slice(0, index + 1).join('.')}`),
    ...(country === undefined ? [] : [`country ${country}`]),
    ...textFacts.flatMap((fact) => keysOfText(fact, factText(fact, subject))),
  ];
}

/** A wanted word is a prefix of a word in the text, so every prefix up to the key length is a key. */
function keysOfText(fact: TextFact, text: string): string[] {
  return readingsOf(text)
    .flat()
    .flatMap((word) =>
      Array.from({ length: Math.min(KEY_LETTERS, word.length) }, (_, index) => `${fact} ${word.slice(0, index + 1)}`),
    );
}
