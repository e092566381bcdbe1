/**
 * Finds card numbers in text that should not contain any.
 *
 * A run of 13 to 19 digits that passes the Luhn check counts as a card number, also when split into groups ("4111 1111
 * 1111 1111"). A false alarm hides all but four digits; a miss costs much more.
 */

const DIGITS_MIN = 13;
const DIGITS_MAX = 19;

/**
 * What people and programs put between groups of digits: any amount of space, and up to three dashes, signs, quotes,
 * brackets and invisible characters. A colon counts only between groups of four; otherwise one in ten dates with a time
 * would pass for a card number. Any other character that is no letter counts only alone and between groups of exactly four: it
 * also stands between amounts and in addresses. Two bullets stand before the last digits of another card. U+FEFF counts as space
 * only: being a sign, too, it could be read in endless ways.
 */
const sign = `(?:(?!\\s)[._/,;|*+=#^&()[\\]{}'"\\\\·~\\p{Dash}\\p{Cf}]|(?<!•)•(?!•))`;
const colon = '(?<=\\p{Nd}{4})\\s*(?::|%2[0Dd])\\s*(?=\\p{Nd}{4})';
/** Neither one of the signs nor a colon, so that a text can be read in only one way. `%2` begins an encoded character. */
const otherSign = `(?=[^\\p{L}\\p{N}\\s:]\\p{Nd}{4}(?!\\p{Nd}))(?<=(?<!\\p{Nd})\\p{Nd}{4})(?!${sign}|%2).`;
const between = `(?:\\s*(?:${sign}\\s*){0,3}|${colon}|${otherSign})`;
/** Digits of every script: full-width digits are just as readable and could be used to evade this check. */
const mayHoldOne = new RegExp(`\\p{Nd}(?:${between}\\p{Nd}){${DIGITS_MIN - 1}}`, 'u');
/** A maximal run of digits and separators. */
const digitRuns = new RegExp(`\\p{Nd}(?:${between}\\p{Nd}){${DIGITS_MIN - 1},}`, 'gu');

/** Replaces every card number in `text` by `[card ••1111]`. */
export function maskCardNumbers(text: string): string {
  if (!mayHoldOne.test(text)) return text;
  return text.replace(digitRuns, maskRun);
}

/**
 * If an identifier could be a card number, keeps only its first and last four digits, enough to recognize it. Returns
 * other identifiers unchanged.
 */
export function maskIdentifier(identifier: string): string {
  // Nearly all identifiers are plain digits, which need no search.
  if (/^\d*$/.test(identifier) && !isCardNumber(identifier)) return identifier;
  if (!mayHoldOne.test(identifier)) return identifier;
  const digits = plainDigits(identifier.replaceAll(/\P{Nd}/gu, ''));
  if (/\p{L}/u.test(identifier) || !isCardNumber(digits)) return maskCardNumbers(identifier);
  return `${digits.slice(0, 4)}${'•'.repeat(digits.length - 8)}${digits.slice(-4)}`;
}

/** True when `digits` (digits only) has the length and check digit of a card number. */
export function isCardNumber(digits: string): boolean {
  if (digits.length < DIGITS_MIN || digits.length > DIGITS_MAX) return false;
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48;
    const weighed = index % 2 === 1 ? digit * 2 : digit;
    sum += weighed > 9 ? weighed - 9 : weighed;
  }
  return sum % 10 === 0;
}

interface Group {
  readonly digits: string;
  readonly start: number;
  readonly end: number;
}

/**
 * A run may be longer than the card number ("4111 1111 1111 1111 123"), so this tries every sequence of complete
 * groups. A run without separators is one group: a 22-digit tracking number is not searched for a card number inside
 * it.
 *
 * Overlapping sequences are masked together, because any of them may be the card number.
 */
function maskRun(run: string): string {
  // The digits of `%20` belong to no group.
  const groups = [...run.matchAll(/%2.|(?<digits>\p{Nd}+)/gu)].flatMap(({ groups: { digits } = {}, index }): Group[] =>
    digits === undefined ? [] : [{ digits: plainDigits(digits), start: index, end: index + digits.length }],
  );
  let masked = '';
  let copied = 0;
  let next = 0;
  while (next < groups.length) {
    const last = lastOfCard(groups, next);
    if (last === null) {
      next += 1;
      continue;
    }
    const digits = groups.slice(next, last + 1).map((group) => group.digits);
    masked += `${run.slice(copied, groups[next]?.start)}[card ••${digits.join('').slice(-4)}]`;
    copied = groups[last]?.end ?? run.length;
    next = last + 1;
  }
  return masked + run.slice(copied);
}

/**
 * Index of the last group of any card number that starts at `first`, or that overlaps one that does. Null when there is
 * none.
 */
function lastOfCard(groups: readonly Group[], first: number): number | null {
  let last: number | null = null;
  for (let start = first; start <= (last ?? first); start += 1) {
    let digits = '';
    for (let end = start; end < groups.length && digits.length < DIGITS_MAX; end += 1) {
      digits += groups[end]?.digits ?? '';
      if (isCardNumber(digits)) last = Math.max(last ?? end, end);
    }
  }
  return last;
}

/** Text as it is read and compared: `４２٤٢` is 4242, and the `ﬁ` that is one letter is two. */
export function plainText(text: string): string {
  return plainDigits(text.normalize('NFKC'));
}

/** Converts digits of any script to `0` to `9`. */
function plainDigits(text: string): string {
  return text.replaceAll(/[^\P{Nd}\d]/gu, plainDigit);
}

/** In Unicode the ten digits of a script are consecutive and start with zero, and no other digit directly precedes them. */
function plainDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((code - first) % 10);
}
