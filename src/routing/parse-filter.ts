import { declineCodes } from '../alerts/decline-reason.ts';
import { kindTraits, type WebhookKind, webhookKinds } from '../core/event.ts';
import { readCountry } from '../core/merchant-category.ts';
import { dollarWord, leadingDollar, parseAmountWord } from '../core/money.ts';
import {
  type AmountTest,
  type Filter,
  hasHead,
  possibleKinds,
  printFilter,
  spendKinds,
  type TextFact,
  textFacts,
} from './filter.ts';
import { type Cursor, createCursor, tokensOf, Unreadable } from './filter-cursor.ts';
import { endsInException, unclearException } from './unclear-exception.ts';

type ParsedFilter = { readonly filter: Filter } | { readonly why: string };

const LENGTH_MAX = 2000;
const DEPTH_MAX = 20;
const TOO_LONG = `A filter has at most ${LENGTH_MAX} characters.`;

const kindWords: ReadonlyMap<string, readonly WebhookKind[]> = new Map([
  ['spend', spendKinds],
  ...webhookKinds.flatMap((kind) => [kind, ...kindTraits[kind].typed].map((word) => [word, [kind]] as const)),
]);

const amountTests: ReadonlyMap<string, AmountTest> = new Map([
  ...['over', 'above', 'more than', '>'].map((words) => [words, 'over'] as const),
  ...['at least', 'min'].map((words) => [words, 'from'] as const),
  ...['under', 'below', 'less than', '<'].map((words) => [words, 'under'] as const),
  ...['at most', 'max'].map((words) => [words, 'upTo'] as const),
]);
const beginsAmount = new Set([...amountTests.keys()].map((words) => words.split(' ')[0]));
const formWords: ReadonlyMap<string, 'virtual' | 'physical'> = new Map([
  ['virtual', 'virtual'],
  ['physical', 'physical'],
  ['plastic', 'physical'],
]);
const allWords = new Set(['all', 'everything', 'any']);

const EXPECTED =
  'a kind (declines, shipping, status, virtual, spend), or one of over, under, at least, at most, code, group, holder, merchant, category, country, virtual cards, physical cards';

/**
 * Parses a filter: `declines over 500 and not (country US or group "Field Ops")`.
 *
 * `or` has the lowest precedence, then `and` (may be omitted), then `not`. A comma separates kinds, or values of the same
 * fact. Never throws.
 */
export function parseFilter(text: string): ParsedFilter {
  try {
    const filter = read(text);
    // It is stored as printed, with further parentheses, and a stored filter that cannot be read selects everything.
    read(printFilter(filter));
    return { filter };
  } catch (error) {
    if (error instanceof Unreadable) return { why: error.message };
    throw error;
  }
}

function read(text: string): Filter {
  if (text.length > LENGTH_MAX) throw new Unreadable(TOO_LONG);
  const all = tokensOf(text);
  const cursor = createCursor(all);
  const filter = readOr(cursor, 0);
  if (!cursor.isAtEnd()) cursor.fail('and, or, or the end');
  if (possibleKinds(filter).length === 0) {
    const isVirtual = all.some(({ text: typed }) => typed.toLowerCase() === 'virtual');
    const meant = isVirtual
      ? 'Virtual cards, as opposed to orders of them, are “virtual cards”.'
      : 'Did you mean “or”?';
    throw new Unreadable(`No alert can be all of this at once. ${meant}`);
  }
  return filter;
}

function readOr(cursor: Cursor, depth: number): Filter {
  if (depth > DEPTH_MAX) throw new Unreadable('These are too many parentheses inside one another.');
  const filters = [readAnd(cursor, depth)];
  let exceptionAt = -1;
  while (cursor.word() === 'or') {
    if (exceptionAt === -1 && !cursor.isBehind(')') && endsInException(filters.at(-1)))
      exceptionAt = filters.length - 1;
    cursor.advance();
    filters.push(readAnd(cursor, depth));
  }
  const why = unclearException(filters, exceptionAt);
  if (why !== null) throw new Unreadable(why);
  return join('or', filters);
}

function readAnd(cursor: Cursor, depth: number): Filter {
  const filters = [readNot(cursor, depth)];
  while (!cursor.isAtEnd() && cursor.word() !== 'or' && !cursor.isType(')')) {
    const isAfterAll = filters.every(({ is }) => is === 'all');
    const isBut = cursor.word() === 'but';
    const isButNot = isBut && /^(not|except)$/.test(cursor.word(1));
    if (cursor.word() === 'and' || isButNot) cursor.advance();
    else if (isBut && !isAfterAll) cursor.fail('and, not or except');
    filters.push(readNot(cursor, depth, isAfterAll));
  }
  return join('and', filters);
}

/** @param isAfterAll `everything but declines`: “but” leaves them out. */
function readNot(cursor: Cursor, depth: number, isAfterAll = false): Filter {
  const word = cursor.word();
  if (word !== 'not' && word !== 'except' && !(word === 'but' && isAfterAll)) return readTerm(cursor, depth);
  cursor.advance(word !== 'not' && cursor.word(1) === 'for' ? 2 : 1);
  if (depth > DEPTH_MAX) throw new Unreadable('These are too many “not” in a row.');
  const isInParentheses = cursor.isType('(');
  const filter = readNot(cursor, depth + 1);
  if (!isInParentheses) askWhatBelongs(filter, cursor, { depth, isNot: word === 'not' });
  return { is: 'not', filter };
}

interface Exception {
  readonly depth: number;
  /** Typed as “not”, which most people use for the one condition behind it. */
  readonly isNot: boolean;
}

/**
 * `everything except declines under 10` means all but the small declines to most people, and “under 10 except declines” by
 * the precedence. `everything except declines and shipping` means neither, and “shipping except declines” by the precedence.
 * Printed filters have exceptions last.
 *
 * @param denied what was just read.
 */
function askWhatBelongs(denied: Filter, cursor: Cursor, { depth, isNot }: Exception): void {
  const isLinked = cursor.word() === 'and';
  const word = cursor.word(isLinked ? 1 : 0);
  if (cursor.isAtEnd() || cursor.isType(')') || /^(but|or|not|except)$/.test(word)) return;
  // `declines not in US over 500` is plain.
  if (isNot && (denied.is !== 'kind' || (isLinked && !kindWords.has(word)))) return;
  if (isLinked) cursor.advance();
  const next = cursor.text();
  readTerm(cursor, depth);
  const is = printFilter(denied);
  const [what, instead] = isLinked ? ['the exception', `${is} and except ${next} …`] : [`“${is}”`, `(${is} ${next} …)`];
  throw new Unreadable(
    `Does “${next}” belong to ${what}? If so, write “except ${instead}”. If not, put “except ${is}” at the end.`,
  );
}

function readTerm(cursor: Cursor, depth: number): Filter {
  if (cursor.isType('(')) {
    cursor.advance();
    const filter = readOr(cursor, depth + 1);
    if (!cursor.isType(')')) cursor.fail('and, or, or a closing parenthesis');
    cursor.advance();
    return filter;
  }
  if (isPreposition(cursor)) cursor.advance();
  else if (cursor.word() === 'in') return readList(cursor, readCountryFilter);
  const word = cursor.word();
  if (allWords.has(word)) {
    cursor.advance();
    return { is: 'all' };
  }
  // `virtual` alone is a kind, `virtual cards` is a form.
  const form = formWords.get(word);
  const hasCards = /^cards?$/.test(cursor.word(1));
  if (form !== undefined && (hasCards || !kindWords.has(word))) {
    cursor.advance(hasCards ? 2 : 1);
    return { is: 'form', form };
  }
  if (kindWords.has(word)) return readKinds(cursor);
  if (beginsAmount.has(word)) return readAmount(cursor);
  if (word === 'code') return readList(cursor, readCode);
  if (word === 'country') return readList(cursor, readCountryFilter);
  const fact = textFacts.find((each) => each === word);
  if (fact !== undefined) return readList(cursor, (at) => readText(at, fact));
  return cursor.fail(cursor.isAtEnd() ? EXPECTED : expectedIn(cursor));
}

/**
 * What is expected where no condition begins. `in Spain or Portugal` lacks a comma: behind “or”, “in Portugal” would be a
 * condition of its own, and select everything there.
 */
function expectedIn(cursor: Cursor): string {
  const list = cursor.listBefore();
  const isLinked = /^(and|or)$/.test(cursor.word(-1));
  const country = countryAt(cursor, cursor.word() === 'the' ? 1 : 0);
  if (/^(in|country) /i.test(list) && country !== null)
    return `a comma between two: ${list}, ${cursor.typed(country.words)}`;
  if (list !== '' && isLinked) return `a comma between two (${list}, ${cursor.typed(1)}), or ${EXPECTED}`;
  // Codes may be other words.
  if (country === null || cursor.word().length < 4) return EXPECTED;
  return `“in” before a country: in ${cursor.typed(country.words)}`;
}

/**
 * `declines over 500 in group Field`, `on virtual cards`: skips a preposition, because the fact's word carries the meaning.
 */
function isPreposition(cursor: Cursor): boolean {
  if (!/^(in|at|of|on|with|by|for|from)$/.test(cursor.word())) return false;
  const next = cursor.word(1);
  return next === 'code' || next === 'country' || formWords.has(next) || textFacts.some((fact) => fact === next);
}

function readKinds(cursor: Cursor): Filter {
  const listed = new Set<WebhookKind>();
  let isList = false;
  for (;;) {
    const named = kindWords.get(cursor.word()) ?? cursor.fail('a kind: declines, shipping, status, virtual or spend');
    for (const kind of named) listed.add(kind);
    cursor.advance();
    // `declines, shipping and status`, but not `declines, pins and virtual cards`.
    const isKind = kindWords.has(cursor.word(1)) && !/^cards?$/.test(cursor.word(2));
    const endsList = isList && cursor.word() === 'and' && isKind;
    if (!endsList && !cursor.isType(',')) break;
    cursor.advance(!endsList && cursor.word(1) === 'and' ? 2 : 1);
    isList = true;
  }
  return { is: 'kind', kinds: webhookKinds.filter((kind) => listed.has(kind)) };
}

function readAmount(cursor: Cursor): Filter {
  const first = cursor.word();
  const single = amountTests.get(first);
  if (single === undefined) cursor.advance();
  const pairs = [...amountTests.keys()].filter((words) => words.startsWith(`${first} `));
  const expected = pairs.map((words) => `“${words}”`).join(' or ');
  const test = single ?? amountTests.get(`${first} ${cursor.word()}`) ?? cursor.fail(expected);
  cursor.advance();
  if (leadingDollar.test(cursor.word())) cursor.advance();
  const cents = parseAmountWord(cursor.text()) ?? cursor.fail('an amount of dollars such as 500 or $1,250.50');
  cursor.advance();
  if (dollarWord.test(cursor.word())) cursor.advance();
  return { is: 'amount', test, cents };
}

/** One or more values, separated by commas, after the fact's word. */
function readList(cursor: Cursor, readValue: (cursor: Cursor) => Filter): Filter {
  const filters: Filter[] = [];
  const start = cursor.position();
  do {
    cursor.advance();
    if (!cursor.isType('word', 'quoted')) cursor.fail('a word, or several in quotes');
    filters.push(readValue(cursor));
    cursor.advance();
  } while (cursor.isType(','));
  cursor.endList(start);
  return join('or', filters);
}

function readCode(cursor: Cursor): Filter {
  const typed = cursor.text().toLowerCase();
  const documented = [typed, `decline.${typed}`, `decline.rule.${typed}`].find((beginning) =>
    declineCodes.some((code) => code === beginning || code.startsWith(`${beginning}.`)),
  );
  const mayBeNew = /^decline\.[a-z0-9._-]*[a-z0-9]$/.test(typed);
  return {
    is: 'code',
    code: documented ?? (mayBeNew ? typed : cursor.fail(`a decline code such as ${declineCodes[2]}`)),
  };
}

/** More than the name of a country has. */
const COUNTRY_WORDS_MAX = 8;

function readCountryFilter(cursor: Cursor): Filter {
  if (cursor.word() === 'the') cursor.advance();
  const { country, words } = countryAt(cursor) ?? cursor.fail('a country, by name or by code');
  cursor.advance(words - 1);
  return { is: 'country', country };
}

/** The most words that name a country: `South Korea`, `the United States`. Null: none does. @param skipped of these words. */
function countryAt(cursor: Cursor, skipped = 0): { readonly country: string; readonly words: number } | null {
  for (let count = COUNTRY_WORDS_MAX; count > 1; count -= 1) {
    const words = Array.from({ length: count }, (_, ahead) => cursor.word(skipped + ahead));
    const country = words.includes('') ? undefined : readCountry(words.join(' '));
    if (country !== undefined) return { country, words: skipped + count };
  }
  const country = readCountry(skipped === 0 ? cursor.text() : cursor.word(skipped));
  return country === undefined ? null : { country, words: skipped + 1 };
}

function readText(cursor: Cursor, fact: TextFact): Filter {
  const text = cursor.text();
  // Codes without commas are masked if they could be a card number, and the end of one would stand for all of them.
  if (fact === 'category' && text.includes('••')) cursor.fail('a category, or codes with commas: category 5812,5813');
  return { is: 'text', fact, text: /[\p{L}\p{N}]/u.test(text) ? text : cursor.fail('a word, or several in quotes') };
}

/**
 * Flattens an `and` inside an `and`, and an `or` inside an `or`. “All declines” are declines: “everything and declines” would
 * sound as if they came on top.
 */
function join(is: 'and' | 'or', filters: readonly Filter[]): Filter {
  const joined = filters.flatMap((part) => (part.is === is ? part.filters : [part]));
  const isNarrower = is === 'and' && joined.some((part) => part.is !== 'all' && hasHead(part));
  const flat = isNarrower ? joined.filter((part) => part.is !== 'all') : joined;
  return flat.length === 1 && flat[0] !== undefined ? flat[0] : { is, filters: flat };
}
