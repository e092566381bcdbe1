import { declineCodes } from '../alerts/decline-reason.ts';
import { kindTraits, type WebhookKind, webhookKinds } from '../core/event.ts';
import { readCountry } from '../core/merchant-category.ts';
import { parseAmount } from '../core/money.ts';
import {
  type AmountTest,
  type Filter,
  possibleKinds,
  printFilter,
  spendKinds,
  type TextFact,
  textFacts,
} from './filter.ts';

/** What is wrong with a filter, at which word. */
export interface FilterError {
  /** The word as typed; empty at the end of the text. */
  readonly word: string;
  /** One sentence: what is wrong, and what was expected. */
  readonly why: string;
}

export type ParsedFilter = { readonly filter: Filter } | { readonly error: FilterError };

const LENGTH_MAX = 2000;
const DEPTH_MAX = 20;
const TOO_LONG = `A filter has at most ${LENGTH_MAX} characters.`;

const kindWords: ReadonlyMap<string, readonly WebhookKind[]> = new Map([
  ['spend', spendKinds],
  ...webhookKinds.flatMap((kind) => kindTraits[kind].typed.map((word) => [word, [kind]] as const)),
]);

const amountTests: ReadonlyMap<string, AmountTest> = new Map([
  ['over', 'over'],
  ['min', 'from'],
  ['under', 'under'],
  ['max', 'upTo'],
]);
const formWords: ReadonlyMap<string, 'virtual' | 'physical'> = new Map([
  ['virtual', 'virtual'],
  ['physical', 'physical'],
  ['plastic', 'physical'],
]);
const allWords = new Set(['all', 'everything', 'any']);

const EXPECTED =
  'a kind (declines, shipping, status, virtual, spend), or one of over, under, at least, at most, code, group, holder, merchant, category, country, virtual cards, physical cards';

interface Token {
  readonly type: 'word' | 'quoted' | '(' | ')' | ',';
  readonly text: string;
}

/** Words, texts in straight or typographic quotes, parentheses, commas that are not inside a number; `key:value` is two. */
const tokens =
  /["“”„«»]([^"“”„«»]*)(?:["“”„«»]|$)|([()])|(,)|((?:group|holder|merchant|category|country|code|min|max)(?=:)):|((?:[^\s(),"“”„«»]|(?<=\d),(?=\d))+)/giu;

class Unreadable extends Error {
  readonly error: FilterError;

  constructor(word: string, why: string) {
    super(why);
    this.error = { word, why };
  }
}

/**
 * Reads a filter: `declines over 500 and not (country US or group "Field Ops")`.
 *
 * `or` binds least, then `and` (also where two stand side by side), then `not`; a comma makes a list of kinds, or of
 * values of the same fact. Never throws.
 */
export function parseFilter(text: string): ParsedFilter {
  try {
    return { filter: read(text) };
  } catch (error) {
    if (error instanceof Unreadable) return { error: error.error };
    throw error;
  }
}

function read(text: string): Filter {
  if (text.length > LENGTH_MAX) throw new Unreadable('', TOO_LONG);
  const all = [...text.matchAll(tokens)].map(([whole, quoted, bracket, comma, key, word]): Token => {
    if (quoted !== undefined) return { type: 'quoted', text: quoted.trim().replaceAll(/\s+/gu, ' ') };
    if (bracket !== undefined) return { type: bracket === '(' ? '(' : ')', text: bracket };
    return comma === undefined ? { type: 'word', text: key ?? word ?? whole } : { type: ',', text: comma };
  });
  const reader = createReader(all);
  const filter = reader.or(0);
  reader.end();
  if (possibleKinds(filter).length === 0) {
    throw new Unreadable(
      '',
      'No alert can be all of this at once. Virtual cards, as opposed to orders of them, are `virtual cards`.',
    );
  }
  // What is kept is the printed form, and it must be readable again.
  if (printFilter(filter).length > LENGTH_MAX) throw new Unreadable('', TOO_LONG);
  return filter;
}

function createReader(all: readonly Token[]) {
  let at = 0;
  const peek = (ahead = 0): Token | undefined => all[at + ahead];
  const wordAt = (ahead = 0): string => {
    const token = peek(ahead);
    return token?.type === 'word' ? token.text.toLowerCase() : '';
  };
  const isType = (type: Token['type']): boolean => peek()?.type === type;
  const fail = (expected: string): never => {
    const token = peek();
    if (token === undefined) throw new Unreadable('', `Something is missing at the end: I expected ${expected}.`);
    throw new Unreadable(token.text, `I do not understand “${token.text.slice(0, 40)}” here: I expected ${expected}.`);
  };

  function or(depth: number): Filter {
    if (depth > DEPTH_MAX) throw new Unreadable('(', 'These are too many parentheses inside one another.');
    const filters = [and(depth)];
    while (wordAt() === 'or') {
      at += 1;
      filters.push(and(depth));
    }
    return join('or', filters);
  }

  function and(depth: number): Filter {
    const filters = [not(depth)];
    while (at < all.length && wordAt() !== 'or' && !isType(')')) {
      if (wordAt() === 'and' || wordAt() === 'but') at += 1;
      filters.push(not(depth));
    }
    return join('and', filters);
  }

  function not(depth: number): Filter {
    if (wordAt() !== 'not' && wordAt() !== 'except') return term(depth);
    at += 1;
    if (depth > DEPTH_MAX) throw new Unreadable('not', 'These are too many “not” in a row.');
    return { is: 'not', filter: not(depth + 1) };
  }

  function term(depth: number): Filter {
    if (isType('(')) {
      at += 1;
      const filter = or(depth + 1);
      if (!isType(')')) fail('and, or, or a closing parenthesis');
      at += 1;
      return filter;
    }
    const word = wordAt();
    if (allWords.has(word)) {
      at += 1;
      return { is: 'all' };
    }
    const form = formWords.get(word);
    if (form !== undefined && /^cards?$/.test(wordAt(1))) {
      at += 2;
      return { is: 'form', form };
    }
    if (kindWords.has(word)) return kinds();
    if (form !== undefined) {
      at += 1;
      return { is: 'form', form };
    }
    if (amountTests.has(word) || word === 'at') return amount();
    if (word === 'code') return list(code);
    if (word === 'country') return list(country);
    const fact = textFacts.find((one) => one === word);
    return fact === undefined ? fail(EXPECTED) : list(() => textValue(fact));
  }

  function kinds(): Filter {
    const found = new Set<WebhookKind>();
    for (;;) {
      const named = kindWords.get(wordAt()) ?? fail('a kind: declines, shipping, status, virtual or spend');
      for (const kind of named) found.add(kind);
      at += 1;
      if (!isType(',')) break;
      at += 1;
    }
    return { is: 'kind', kinds: webhookKinds.filter((kind) => found.has(kind)) };
  }

  function amount(): Filter {
    let test = amountTests.get(wordAt());
    if (wordAt() === 'at') {
      at += 1;
      if (wordAt() !== 'least' && wordAt() !== 'most') fail('“at least” or “at most”');
      test = wordAt() === 'least' ? 'from' : 'upTo';
    }
    at += 1;
    const cents = parseAmount(peek()?.text ?? '') ?? fail('an amount of dollars such as 500 or $1,250.50');
    at += 1;
    return { is: 'amount', test: test ?? 'over', cents };
  }

  /** One value or several with commas, after the word that says of what. */
  function list(value: () => Filter): Filter {
    const filters: Filter[] = [];
    do {
      at += 1;
      if (!isType('word') && !isType('quoted')) fail('a word, or several in quotes');
      filters.push(value());
      at += 1;
    } while (isType(','));
    return join('or', filters);
  }

  function code(): Filter {
    const typed = (peek()?.text ?? '').toLowerCase();
    const known = [typed, `decline.${typed}`, `decline.rule.${typed}`].find((one) =>
      declineCodes.some((each) => each === one || each.startsWith(`${one}.`)),
    );
    const isOfTomorrow = /^decline\.[a-z0-9._-]*[a-z0-9]$/.test(typed);
    return { is: 'code', code: known ?? (isOfTomorrow ? typed : fail(`a decline code such as ${declineCodes[2]}`)) };
  }

  function country(): Filter {
    return {
      is: 'country',
      country: readCountry(peek()?.text ?? '') ?? fail('a country, by name in quotes or by code'),
    };
  }

  function textValue(fact: TextFact): Filter {
    const text = peek()?.text ?? '';
    return { is: 'text', fact, text: /[\p{L}\p{N}]/u.test(text) ? text : fail('a word, or several in quotes') };
  }

  return {
    or,
    end(): void {
      if (at < all.length) fail('and, or, or the end');
    },
  };
}

/** Several of one kind lie side by side, never inside one another. */
function join(is: 'and' | 'or', filters: readonly Filter[]): Filter {
  const flat = filters.flatMap((one) => (one.is === is ? one.filters : [one]));
  return flat.length === 1 && flat[0] !== undefined ? flat[0] : { is, filters: flat };
}
