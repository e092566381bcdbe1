import { type LimitPeriod, limitPeriods } from '../card-api/rule.ts';
import { closest } from '../core/closest.ts';
import { soundsLikeDuration } from '../core/duration.ts';
import { parseAmount, readAmount } from '../core/money.ts';
import { countQuoted } from '../directory/card-query.ts';

/** A map, because a person may type `constructor`. */
const periods: ReadonlyMap<string, LimitPeriod> = new Map([
  ['daily', 'daily'],
  ['day', 'daily'],
  ['weekly', 'weekly'],
  ['week', 'weekly'],
  ['monthly', 'monthly'],
  ['month', 'monthly'],
  ['yearly', 'yearly'],
  ['year', 'yearly'],
  ['annual', 'yearly'],
  ['annually', 'yearly'],
  ['lifetime', 'lifetime'],
]);

const noLimitWords = new Set(['none', 'off', 'unlimited']);
/** Between an amount and its period, or before a period. */
const perWord = /^(per|each|every|an?)$/i;
/** Filler words between the card, the period and the amount. */
const between = /^((limits?|to|of|at|is|the)[:=]?|=|:)$/i;
const isDollars = /\$|usd|dollars?|bucks/i;

export function readPeriod(word: string): LimitPeriod | undefined {
  return periods.get(word.toLowerCase().replace(/[:=]$/, ''));
}

/**
 * Parses `4242 daily 450 …`, `4242 per day 450 …` and, if unambiguous, `4242 450 per day …`.
 *
 * @returns the amount (null: no limit), and the rest: the duration and the reason. A question if it is uncertain which word is
 * the amount: a card's name may end with a number.
 */
export function readTypedLimit(typed: readonly string[]) {
  const words = typed.flatMap(splitPer);
  // The first word always names the card, so that a holder called “Day” is found.
  const named = Math.max(1, countQuoted(words));
  const at = periodAt(words, named);
  const period = readPeriod(words[at] ?? '');
  if (period === undefined) return whichPeriod(words);
  const per = at > 1 && !continuesName(words, at - 1) ? (perWord.exec(words[at - 1] ?? '')?.[0] ?? null) : null;
  const before = words.slice(0, per === null ? at : at - 1);
  const behind = words.slice(at + 1);
  const amount = readValue(behind);
  const front = amountAtEnd(before, named);
  const isPlainlyFront = front !== null && (per !== null || isDollars.test(front.typed));
  if (amount === null && isPlainlyFront) {
    const rest = /^limits?$/i.test(behind[0] ?? '') ? behind.slice(1) : behind;
    return { card: nameIn(before.slice(0, front.at)), period, cents: front.cents, rest };
  }
  if (amount !== null && isPlainlyFront)
    return `Is the ${period} limit “${front.typed}” or “${amount.typed}”? Write one amount, behind the period.`;
  if (amount !== null) return { card: nameIn(before), period, cents: amount.cents, rest: behind.slice(amount.words) };
  if (front !== null) return `Is “${front.typed}” the amount? Write it behind the period: “${period} ${front.typed}”.`;
  const time = timeForAmount(behind);
  if (time !== null) return time;
  const doubtful = per === null ? -1 : before.findIndex((word, index) => index >= named && /\d/.test(word));
  if (doubtful === -1 && behind.length === 0) return `What should the ${period} limit be?`;
  if (doubtful === -1 && namesSecondLimit(behind.slice(1).join(' '))) return oneAtATime;
  const unread = doubtful === -1 ? behind : before.slice(doubtful);
  return `“${textOf(unread)}” is not an amount I can read. Write dollars such as 450, $1,250.50 or 1k, or “none” for no limit.`;
}

/** Asks about an amount that time words follow: `770 weekend trip`, `2 days`. Null: there is none. */
export function timeForAmount(words: readonly string[]): string | null {
  const [number = ''] = words;
  if (!soundsLikeDuration(words.slice(0, 2)) || parseAmount(number) === null) return null;
  return `“${words.slice(0, 2).join(' ')}” reads like a time. If ${number} is the amount, write $${number}.`;
}

const adjective = '(daily|weekly|monthly|yearly|annual|annually|lifetime)';
const noun = '(day|week|month|year)';
/** May be a surname, unlike `month` and `week:`. */
const mayBeName = /^(day|week)(?![a-z:=])/i;
/** Written like a name: `Smith, Day`, `Doris Day:`. */
const namedLikePeriod = /^(Day|Week)[:,]?$/;
/** A number, a person, a quote, `Doe,`, `Doe’s` or a period. */
const endsName = /\d|^<@|["”“»’',:]$|['’]s$|^(day|week)$/i;
const joined = `(^|[,;+&/(|]|[.–—-](?= )|(^| )(and|plus|also|then|per( ${noun})?)) ?`;
/** Another limit behind the first: `and weekly 2000`, `+ $2,000 per week`. */
const secondLimits = [
  `${joined}${adjective}( limit)?( (to|of|at|=))? ?\\$?\\d`,
  `${joined}\\$?\\d[\\d.,]*k? ?(/|per |an? |each |every )${noun}(?![a-z])`,
  `${joined}(\\$\\d|\\d\\d\\d)[\\d.,]*k? ${adjective}`,
  `^(per )?${noun} \\$?\\d`,
].map((source) => new RegExp(source, 'i'));

export const oneAtATime = 'One limit at a time: what follows the first one would be kept as the reason.';

/** True when a reason names one more limit. */
export function namesSecondLimit(reason: string): boolean {
  return secondLimits.some((limit) => limit.test(reason));
}

/** `$450/day` → `$450 per day`. */
export function splitPer(word: string): readonly string[] {
  const [, amount = '', period = ''] = /^(\S*\d\S*)\/([a-z]+)$/i.exec(word) ?? [];
  return readPeriod(period) === undefined ? [word] : [amount, 'per', period];
}

/**
 * The position of the period, behind the words that name the card. A duration such as "for a day" names no period, nor does
 * the surname in `Doris Day 450`.
 */
function periodAt(words: readonly string[], named: number): number {
  return words.findIndex((word, index) => {
    const before = words[index - 1] ?? '';
    const isFor = /(^| )for( an?| one| the)?$/i.test(words.slice(Math.max(1, index - 2), index).join(' '));
    const isBetween = perWord.test(before) || between.test(before);
    const isSurname = namedLikePeriod.test(word)
      ? !/\d|^<@/.test(before) && !isBetween
      : mayBeName.test(word) && !endsName.test(before) && !isBetween;
    const isPeriod = readPeriod(word) !== undefined && readPeriod(words[index + 1] ?? '') === undefined;
    return index >= named && isPeriod && !isFor && !isSurname;
  });
}

function whichPeriod(words: readonly string[]): string {
  const meant = words
    .slice(1)
    .flatMap((word) => closest(word, limitPeriods) ?? [])
    .at(-1);
  const suggestion = meant === undefined ? '' : ` Did you mean “${meant}”?`;
  return `Which limit? Write daily, weekly, monthly, yearly or lifetime.${suggestion}`;
}

/** `450`, `limit of $450`, `to none`, directly after the period. */
function readValue(behind: readonly string[]): { cents: number | null; typed: string; words: number } | null {
  const skipped = behind.findIndex((word) => !between.test(word));
  const typed = behind.slice(Math.max(0, skipped));
  const [first = ''] = typed;
  if (noLimitWords.has(first.toLowerCase())) return { cents: null, typed: first, words: skipped + 1 };
  if (/^no limit$/i.test(typed.slice(0, 2).join(' '))) return { cents: null, typed: 'no limit', words: skipped + 2 };
  const amount = soundsLikeDuration(typed.slice(0, 2)) ? null : readAmount(typed);
  if (amount === null) return null;
  return { cents: amount.cents, typed: textOf(typed.slice(0, amount.words)), words: skipped + amount.words };
}

/** An amount at the end of the words before the period, behind those that name the card. */
function amountAtEnd(before: readonly string[], named: number): { cents: number; typed: string; at: number } | null {
  for (let at = Math.max(named, before.length - 3); at < before.length; at += 1) {
    const typed = before.slice(at);
    const amount = readAmount(typed);
    if (amount?.words === typed.length) return { cents: amount.cents, typed: textOf(typed), at };
  }
  return null;
}

/** Words between a card and its limit that are names, too. */
const alsoName = /^(To|An|A\.?|Last|Next)$/;

/** `Minh To`, `Kim An`, `Jane A`: such a word continues a name. Not behind what ends one, as in `Jane’s To` or `my card To`. */
export function continuesName(words: readonly string[], at: number): boolean {
  const [before = '', word = ''] = [words[at - 1], words[at]];
  const isName = /^\p{Lu}/u.test(before) && !endsName.test(before) && !between.test(before);
  return at > 0 && alsoName.test(word) && isName;
}

/** Without the filler words between the card and what follows it. */
function nameIn(words: readonly string[]): readonly string[] {
  const last = words.findLastIndex((word, at) => at === 0 || !between.test(word) || continuesName(words, at));
  return words.slice(0, last + 1);
}

/** The start of what was typed, to quote it in a question. */
export function textOf(words: readonly string[]): string {
  return words.slice(0, 3).join(' ').slice(0, 40);
}
