import { maskCardNumbers, plainText } from '../core/card-number.ts';

/**
 * How a holder's name was found, strongest first: all of its words, so that "Ann Lee" does not also match Anna Leeds; only
 * some of them; or no more than the beginning of one.
 */
const nameFits = ['full_name', 'name', 'beginning'] as const;
type NameFit = (typeof nameFits)[number];
/** How a card was found, strongest first. */
export type MatchKind = 'account_id' | 'card_id' | 'last4' | 'custom_id' | NameFit;

/** Whether a card was found by its holder's name. */
export function isByName(kind: MatchKind): boolean {
  return nameFits.some((fit) => fit === kind);
}

/** Everything that the text for a card can mean. Null for each impossible meaning. */
export type CardQuery = ReturnType<typeof interpret>;

const CUSTOM_ID_MAX = 50;
/** Minimum letters of a partial name. A complete name may be shorter. */
const NAME_PREFIX_MIN = 3;

/** Parses what a person typed: `4242`, `••4242`, `Sam Rivera · card 4242`, `7378`, `F1Q52343SF`, `jane`, `Doe, Jané`. */
export function interpret(query: string) {
  const text = unquote(query).trim();
  // As we write a card: `Sam Rivera · card 1234`.
  const digits = digitsIn(text.split(' · ').at(-1) ?? '');
  const customId = foldId(text);
  return {
    last4: digits?.length === 4 ? digits : null,
    /** A card id or an account id. Ids are numbers: 0042 can only be the end of a card number. */
    id: digits === null || digits.startsWith('0') ? null : Number(digits),
    customId: customId === '' || customId.length > CUSTOM_ID_MAX ? null : customId,
    /** Those of a holder's name; none when there are no letters. The name in a mention is that of a person in Slack. */
    words: /\p{L}/u.test(text) && !text.startsWith('@') ? nameWords(text) : [],
  };
}

/**
 * The digits of `4242`, `••4242`, `xxxx-4242`, `#4242`, `*4242*`, `card ending in 4242`, `last four 4242`, `no. 4242`,
 * `this card (4242)`, `account 7378` and, as we write it, `card 4242`; null when the text is anything else. Those of `4242,`
 * and `4242!!` too: a card that must be blocked is not to be missed for a sign.
 */
export function digitsIn(text: string): string | null {
  const plain = text.trim().replace(/[,.;:!?…]+$/, '');
  const inside =
    /^(?:\((.*)\)|\[(.*)\]|`(.*)`)$/
      .exec(plain)
      ?.slice(1)
      .find((part) => part !== undefined) ?? plain;
  const lead =
    /^(?:(?:this |the )?(?:card of )?(?:account|card)[.,;:!\s]\s*)?(?:(?:no|number)[.,;:!\s]\s*)?(?:(?:ending(?: in| with)?|last (?:four|4)(?: digits)?)[.,;:!\s]\s*)?(?:[*•xX]{3,}-)?[#*_•·.xX…]*\s*/i;
  return /^(?:(\d{1,15})[*_]*|\((\d{1,15})\))$/.exec(inside.replace(lead, ''))?.slice(1).find(Boolean) ?? null;
}

/** `4242-stolen`, `4242/lost` → `4242 stolen`: digits that are joined to a word. It may also be a CustomId. */
export function splitJoined(text: string): string {
  return text.replace(/(?<=\d)[^\p{L}\d]+(?=\p{L})/u, ' ');
}

/**
 * CustomIds are compared ignoring case, the amount of space between words, and the form of quotes and dashes, which phones
 * replace. A CustomId that looks like a card number is found by its last four digits: only these are stored, and people's
 * input is masked too.
 */
export function foldId(text: string): string {
  const typed = text
    .replaceAll(/[‘’´ʼ]/g, "'")
    .replaceAll(/[“”„]/g, '"')
    .replaceAll(/\p{Pd}/gu, '-');
  const masked = maskCardNumbers(plainText(typed)).replaceAll(/\[card (••\d{4})\]/g, '$1');
  return masked.trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

/** Letters that do not decompose into a base letter and a mark. */
const plainLetters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/** A name's words without case, accents and punctuation: `O’Brien-Łukasz` → `obrien`, `lukasz`. */
export function nameWords(name: string): string[] {
  return plainText(name)
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[\p{M}'’`´ʼ]/gu, '')
    .replaceAll(/[ßæœøłđðþı]/g, (letter) => plainLetters[letter] ?? letter)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** The same result for every spelling of a name. */
export function foldName(name: string): string {
  return nameWords(name).join('');
}

/**
 * The index keys of a holder's name: each word, first and last name each as one word, and the complete name in both orders,
 * so that `van der Berg`, `vanderberg`, `Berg` and `Doe, Jane` all match.
 */
export function nameKeys(firstName: string | null, lastName: string | null): string[] {
  const first = nameWords(firstName ?? '');
  const last = nameWords(lastName ?? '');
  const keys = [
    ...first,
    ...last,
    first.join(''),
    last.join(''),
    [...first, ...last].join(''),
    [...last, ...first].join(''),
  ];
  return [...new Set(keys)].filter((key) => key !== '');
}

/** How well these words fit a name; null when they do not. */
export function fitOfName(words: readonly string[], firstName: string | null, lastName: string | null): NameFit | null {
  if (words.length === 0) return null;
  const first = nameWords(firstName ?? '');
  const last = nameWords(lastName ?? '');
  const batch = words.join('');
  if (words.toSorted().join(' ') === [...first, ...last].toSorted().join(' ')) return 'full_name';
  if (batch === [...first, ...last].join('') || batch === [...last, ...first].join('')) return 'full_name';
  const keys = nameKeys(firstName, lastName);
  const isName = (word: string): boolean => keys.includes(word);
  const isBeginning = (word: string): boolean =>
    isName(word) || (isLongEnough(word) && keys.some((key) => key.startsWith(word)));
  if (isName(batch) || words.every(isName)) return 'name';
  return isBeginning(batch) || words.every(isBeginning) ? 'beginning' : null;
}

/** Shorter words must match completely: `Li` is not a prefix of Linda. */
export function isLongEnough(word: string): boolean {
  return word.length >= NAME_PREFIX_MIN;
}

/** As many words as a name has, regardless of their length. */
const NAME_WORDS_MAX = 4;
/** Straight and typographic pairs, as Slack's mobile clients write them. */
const quoted = /^\s*(?:"([^"]*)"|“([^”“]*)["”]|„([^“”]*)[“”]|«([^»]*)»|'([^']*)'(?=\s|$)|‘([^’‘]*)’(?=\s|$))\s*/u;

/**
 * Splits `Jane Doe daily 500` after the longest prefix that names a card: up to four words, or as many as fit into a
 * CustomId (`EMP 7 / North Wing`). A quoted name is used as is.
 *
 * @returns `card` without quotes. `isKnown` is false when no prefix of the text names a card: then it is the first word or the
 * quoted text. Null when there are no words.
 */
export async function splitCardAndRest(
  words: string | readonly string[],
  isCard: (candidate: string) => Promise<boolean> | boolean,
) {
  const text = (typeof words === 'string' ? words : words.join(' ')).trim();
  const quote = quoted.exec(text);
  const named = quote === null ? '' : insideOf(quote).trim();
  if (quote !== null && named !== '')
    return { card: named, rest: toWords(text.slice(quote[0].length)), isKnown: await isCard(named) };
  const all = toWords(text);
  for (let length = all.length; length > 0; length -= 1) {
    const card = all.slice(0, length).join(' ');
    if (length > NAME_WORDS_MAX && card.length > CUSTOM_ID_MAX) continue;
    if (await isCard(card)) return { card, rest: all.slice(length), isKnown: true };
  }
  return all[0] === undefined ? null : { card: all[0], rest: all.slice(1), isKnown: false };
}

/** How many of these words are a quoted name at the front. */
export function countQuoted(words: readonly string[]): number {
  return toWords(quoted.exec(words.join(' '))?.[0] ?? '').length;
}

function toWords(text: string): string[] {
  return text.split(/\s+/u).filter((word) => word !== '');
}

function unquote(text: string): string {
  const match = quoted.exec(text);
  return match === null || match[0].length < text.length ? text : insideOf(match);
}

/** What is between the quotes. */
function insideOf(quote: RegExpExecArray): string {
  return quote.slice(1).find((part) => part !== undefined) ?? '';
}
