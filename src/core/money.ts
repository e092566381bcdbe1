import { beginsWithTime, soundsLikeDuration } from './duration.ts';

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** `123456` → `$1,234.56`. Takes whole cents; the service knows no currency but US dollars. */
export function formatCents(cents: number): string {
  return dollars.format(cents / 100);
}

/**
 * Converts decimal dollars, as the service sends them, to whole cents. Keeps the sign.
 *
 * Uses the shortest decimal text, because `1.005 * 100` is not `100.5` in binary. Rounds half a cent away from zero, so
 * that an amount and its negative give the same result.
 */
export function toCents(amount: number): number {
  const size = Math.abs(amount);
  const near = Math.round(size * 100);
  // Multiplication is exact enough for two decimals, which almost all amounts have. The text path below is slow.
  if (Math.abs(size * 100 - near) < 1e-6) return amount < 0 && near !== 0 ? -near : near;
  const exact = Number(`${size}e2`);
  const cents = Math.round(Number.isNaN(exact) ? size * 100 : exact);
  return amount < 0 && cents !== 0 ? -cents : cents;
}

const dollarSigns = 'us\\$|\\$|usd';
const dollarNames = `${dollarSigns}|dollars?|bucks`;
const signBefore = new RegExp(`^(?:${dollarSigns})\\s?`, 'i');
const signBehind = new RegExp(`\\s?(?:${dollarNames})$`, 'i');
/** A dollar sign as a separate word before an amount. */
export const leadingDollar = new RegExp(`^(?:${dollarSigns})$`, 'i');
/** A word after an amount that only names dollars. */
export const dollarWord = new RegExp(`^(?:${dollarNames})$`, 'i');

/**
 * Reads an amount that a person typed: `400`, `$1,250.50`, `1250.5`, `1.250,00`, `1k`, `$2.5k`, `450$`, `450 dollars`.
 *
 * @returns whole cents; null unless it is a positive amount below a billion dollars with at most two decimals.
 */
export function parseAmount(text: string): number | null {
  const typed = text.trim().replace(signBefore, '').replace(signBehind, '');
  const thousands = /^(\d{1,6}(?:\.\d{1,2})?)k$/i.exec(typed)?.[1];
  if (thousands !== undefined) return toCents(Number(thousands) * 1000);
  // `0,500` may mean half a dollar.
  if (/^(?:[1-9]\d{0,2}(?:,\d{3}){1,2}|\d{1,9})(?:\.\d{1,2})?$/.test(typed))
    return toCents(Number(typed.replaceAll(',', '')));
  // Points between thousands and a comma before the cents: unambiguous.
  const isContinental = /^[1-9]\d{0,2}(?:\.\d{3}){1,2},\d{2}$/.test(typed);
  return isContinental ? toCents(Number(typed.replaceAll('.', '').replace(',', '.'))) : null;
}

/** The same for a word of a sentence: `450,`, `$450.`, `450:`. */
export function parseAmountWord(word: string): number | null {
  return parseAmount(word.replace(/[.,;:]$/, ''));
}

/** Common codes of other currencies, their names and signs. */
const currency =
  'eur|euros?|gbp|pounds?|quid|chf|francs?|jpy|yen|cad|aud|mxn|pesos?|sek|nok|dkk|kr|kron(?:a|or|e|er)|inr|rupees?|nzd|sgd|hkd|cny|rmb|yuan|krw|won|brl|reais|pln|zloty|zar|rand|(?:canadian|australian)(?: dollars?|(?= for )|$)|(?:hong kong|new zealand|singapore) dollars?|[a-z]{1,2}\\$|\\S*(?!\\$)\\p{Sc}\\S*';
/** Names that are also words or names, as in `lira restaurant`. */
const rareCurrency =
  'sfr|korun(?:a|as|y)|kč|rs|zloty(?:s|ch)|złot(?:y|e|ych)|zł|bahts?|liras?|forints?|ft|lei|dirhams?|dhs|she[kq]els?|ro?ubles?|dinars?|riy?als?|ringgits?|rupiahs?|hryvnias?|nairas?|tenge|shillings?';
const endOfWord = '(?=[.,;:!?)]*(?: |$))';
const inCurrency = '(?:in )?(?:\\p{L}+(?:an|ish|ese|ss) )?';
/** Words after an amount that continue the number, add to it, name another currency or start another amount. */
const notAReason = new RegExp(
  `^\\(?(?:\\d{3}([.,]\\d+)?|k|hundreds?|hundo|thousands?|grand|m|mill?|millions?|(?:\\d\\d )?cents?|(?:c|points?|pts)(?=[.,;:!?)]*$)|more|extra|additional|higher|less|lower|percent|%|${inCurrency}(?:${currency}))${endOfWord}`,
  'iu',
);
const codeInCapitals = new RegExp(`^\\(?(?:in )?([A-Z]{3})${endOfWord}`);
const likeCurrency = new RegExp(`^\\(?${inCurrency}(?:${rareCurrency}|([a-z]{3}))(?=[.,;:!?)]|$| (.*))`, 'iu');
const foreignCodes = new Set(Intl.supportedValuesOf('currency').filter((code) => code !== 'USD'));
/** Codes that are also words or names, so that they mean a currency only in capitals. */
const codesLikeWords = new Set(
  'ALL AMD ANG BAM BOB BSD COP CUP CVE GEL LAK MOP NPR PEN SOS SVC TOP Mad Ron Try'.split(' '),
);
/** Codes that begin no reason, also in small letters, unlike `php hosting` and `aed training`. */
const codesUnlikeWords = new Set(
  'ARS BDT BGN BHD CLP CZK DZD EGP GHS HUF IDR ILS ISK JOD KES KWD KZT LKR MYR NGN OMR PKR QAR RSD THB TND TWD UAH UYU VND'.split(
    ' ',
  ),
);

/**
 * Whether a text starts with another currency: `EUR`, or behind no dollar sign `huf`, and `php` and `lira` where no reason goes
 * on with them: `php hosting`.
 */
function startsWithCurrency(text: string, isDollars: boolean): boolean {
  if (foreignCodes.has(codeInCapitals.exec(text)?.[1] ?? '')) return true;
  const [found, code, behind = ''] = likeCurrency.exec(text) ?? [];
  if (found === undefined || isDollars) return false;
  const isWord = code !== undefined && (codesLikeWords.has(code) || codesLikeWords.has(code.toUpperCase()));
  const isKnown = code === undefined || foreignCodes.has(code.toUpperCase());
  const rest = behind.split(' ');
  const isAlone = behind === '' || /^in$/i.test(rest[0] ?? '') || behindCents.test(rest[0] ?? '');
  const isPlain = codesUnlikeWords.has((code ?? '').toUpperCase());
  return isKnown && !isWord && (isPlain || isAlone || beginsWithTime(rest, false));
}

/** What joins two amounts: `-> 500`, `+50`, `x 2`, `up to 500`. Not `#500` and `(500`. */
const joint =
  /^(?:(?:[^\p{L}\p{N}\s#("'“”‘’[]|x|or|and|to|then|plus|minus|times|up|down|increased?|raised?|changed?) ?)+/iu;

/**
 * Reads an amount at the start of `words`: `450`, `$ 450`, `450 dollars`.
 *
 * @returns whole cents and how many words it took; null when there is none, or when the next words make it ambiguous:
 * `1 000`, `5 hundred`, `100 more`, `450 eur`, `300 or 400`, `300 → 500`, `2 x 300`.
 */
export function readAmount(words: readonly string[]): { cents: number; words: number } | null {
  const lead = leadingDollar.test(words[0] ?? '') ? 1 : 0;
  const cents = parseAmountWord(words[lead] ?? '');
  if (cents === null) return null;
  const end = lead + (dollarWord.test(words[lead + 1] ?? '') ? 2 : 1);
  const behind = words.slice(end).join(' ');
  const isDollars = lead > 0 || /\$|usd/i.test(words[lead] ?? '') || end > lead + 1;
  const goesOn =
    notAReason.test(behind) || startsWithCurrency(behind, isDollars) || continues(words[lead] ?? '', behind);
  return goesOn ? null : { cents, words: end };
}

/** What may follow the cents of `12 50`. Behind `450`, `12 person dinner` is a reason. */
const behindCents = /^(for|per|until|till?|through|today|tonight|tomorrow|permanently|\d+[mhdw])$/i;

/** Whether another amount follows, joined to the first one or as the last word, or its cents: `12 50 for a trip`. */
function continues(amount: string, behind: string): boolean {
  const other = behind.replace(joint, '').split(' ', 2);
  const [number = '', next = ''] = other;
  const isCents = /^\d\d$/.test(number) && !/\.\d/.test(amount) && behindCents.test(next);
  const isAnother = next === '' || ((isCents || joint.test(behind)) && !soundsLikeDuration(other));
  return isAnother && parseAmountWord(number) !== null;
}
