import { z } from 'zod';
import { RuleGoals, Term } from '../card-api/rule-change.ts';
import { addDays } from '../core/calendar-words.ts';
import { formatDuration, isNumberWord, mayMeanTime } from '../core/duration.ts';
import { type Clock, endOf, isPlainlyTime, otherTimeAt, readCertainEnd, readEnd, untilWord } from '../core/end-time.ts';
import { mayMeanForeignTime } from '../core/foreign-time.ts';
import { serviceTime, serviceZone } from '../core/installation.ts';
import { localDate } from '../core/service-time.ts';

/** The requested rules of a card, and for how long. */
export const ChangeRequest = z.strictObject({
  goals: RuleGoals,
  term: Term,
  /** What the holder asked to pay, in whole cents. */
  payCents: z.int().positive().optional(),
  /** The limits as the form showed them: whoever submits it has decided about a raise from there. Absent: none was shown. */
  shown: RuleGoals.optional(),
});
export type ChangeRequest = z.infer<typeof ChangeRequest>;

export const permanent: Term = { kind: 'permanent' };

/** How long a raise for one purchase waits for that purchase. */
const PURCHASE_MS = 15 * 60_000;

/** When a change made at `from` ends, with the days of the card service's zone. Null: never. */
export function endOfTerm(term: Term, from: Date, zone: string): Date | null {
  const end = term.kind === 'purchase' ? ({ kind: 'duration', ms: PURCHASE_MS } as const) : term;
  return endOf(end, { now: from, zone });
}

const Asked = z.looseObject({ term: Term, payCents: z.int().optional(), amountCents: z.int().optional() });
const Asking = z.looseObject({ changeRequest: Asked.nullish(), ask: Asked.optional() });

/** What an action of any verb asks for: a change request, or what a holder wants to pay. */
function askedOf(action: object): z.infer<typeof Asked> | undefined {
  const { data } = Asking.safeParse(action);
  return data?.changeRequest ?? data?.ask;
}

/**
 * How long an action's change lasts, for the record; null if it has no duration.
 *
 * @param until UTC ISO 8601: when it ends, if that is known. Added unless the words say it.
 */
export function durationOf(action: object, until: string | null = null): string | null {
  const term = askedOf(action)?.term;
  if (term === undefined) return null;
  const isCounted = term.kind === 'duration' || term.kind === 'purchase';
  return until !== null && isCounted ? `${termWords(term)}, until ${until}` : termWords(term);
}

const Requesting = z.looseObject({ changeRequest: ChangeRequest });

/** The rules that an action asks for; null: it asks for none. */
export function changeRequestOf(action: object): ChangeRequest | null {
  return Requesting.safeParse(action).data?.changeRequest ?? null;
}

/**
 * What the purchase that an action is for may cost, in whole cents: what was declined, or what its holder asked to pay if
 * that is more. Null: nobody knows, because it is for no purchase, or for one whose card was only checked, for $0.00. The
 * shop charges any amount after that.
 */
export function purchaseCents(action: object, declined: { readonly amountCents: number } | null): number | null {
  if (declined === null) return null;
  return Math.max(declined.amountCents, askedCents(action) ?? 0) || null;
}

/** What its holder asked to pay, in whole cents; null: it is not asked for by a holder. */
export function askedCents(action: object): number | null {
  const asked = askedOf(action);
  return asked?.payCents ?? asked?.amountCents ?? null;
}

/** The end of a term that ends then no matter when the change is made; null: it has none, or starts with the change. */
export function fixedEnd(term: Term, zone: string): Date | null {
  return term.kind === 'day' || term.kind === 'until' ? endOf(term, { now: new Date(0), zone }) : null;
}

export function hasPassed(term: Term, now: Date, zone: string): boolean {
  const end = fixedEnd(term, zone);
  return end !== null && end <= now;
}

/** How long a change made at `from` lasts; Infinity: permanently. */
export function lastsMs(term: Term, from: Date, zone: string): number {
  return (endOfTerm(term, from, zone)?.getTime() ?? Number.POSITIVE_INFINITY) - from.getTime();
}

/** The shorter of a term and a duration. */
export function atMost(term: Term, ms: number, from: Date, zone: string): Term {
  const end = endOfTerm(term, from, zone);
  return end === null || end.getTime() > from.getTime() + ms ? { kind: 'duration', ms } : term;
}

export const OVER_A_YEAR = 'That is longer than a year, the longest that a temporary change can last.';

/** True for the last day of a change that begins today and lasts longer than a year. */
export function isOverAYear(lastDay: string, today: string): boolean {
  return lastDay > addDays(today, 366);
}

/** In front of everything else, also of other times. Not `once a week`. */
const thisPurchase =
  /^((just|only) )?((for )?(this|the|one) purchase( only)?(?= |$)|(once|(one|this) time)( only)?(?=$| (for|to|because) ))/i;
const once = '(one|single)[ -](time|off|use)';
/** Words that may follow `once`. Before any other word it is an adjective: “one-time vendor”. */
const behindOnce =
  '(only|please|pls|thanks|for|to|because|since|as|so|and|or|then|but|at|in|on|with|by|from|use|purchase|transaction|payment|charge|swipe|order|exception|raise|increase|change)';
/** Anywhere in a reason that names no other time. Not `laptop purchase`. */
const onePurchase = new RegExp(
  `(^| )((this|next|one|single|that) (purchase|transaction|payment|charge|swipe)|((for|only|just)( a| the)? |(this|next|one|single|that|only|just|${once}) (\\S+ ){1,3}|^)purchase$|(just|only|this) once|once$|this (time|off)|^for (this|one|the next) order|(this|one) order( only)?$|(for|just|only) this one|${once}(?! (?!${behindOnce}(?![a-z]))\\p{L}))(?![a-z])`,
  'iu',
);

/**
 * Parses the duration, if any: `for 4h`, `until friday`, `tonight`, `just once`, before or after the reason.
 *
 * @returns the term (null: none given) and the remaining words, which are the reason. Or a question: someone who
 * mentions a time wants an end, so an unreadable time must neither be dropped nor become part of the reason.
 */
export function readTerm(words: readonly string[], clock: Clock): ReadTerm {
  const read = readPlain(words, clock);
  if (typeof read === 'string') return read;
  if (read.term === null && hidesTime(words, clock)) return notSure(words, 0);
  if (read.term === null) return onePurchase.test(words.join(' ')) ? { ...read, term: { kind: 'purchase' } } : read;
  const end = endOfTerm(read.term, clock.now, clock.zone);
  // The midnight that ends a day is that of the next one.
  const dayOf = (ms: number): string => localDate(new Date(ms), clock.zone);
  const isTooLong = end !== null && isOverAYear(dayOf(end.getTime() - 1), dayOf(clock.now.getTime()));
  return isTooLong ? OVER_A_YEAR : read;
}

type ReadTerm = { term: Term | null; rest: readonly string[] } | string;

/** The same for words as they are written. */
function readPlain(words: readonly string[], clock: Clock): ReadTerm {
  const purchase = thisPurchase.exec(words.join(' '))?.[0];
  if (purchase !== undefined) {
    const rest = words.slice(purchase.split(' ').length);
    // “Once for 2 days” is either.
    const isEither = /once|time/i.test(purchase) && readEnd(rest, clock).kind !== 'none';
    return isEither ? notSure(words, 0) : { term: { kind: 'purchase' }, rest };
  }
  const first = readCertainEnd(words, clock);
  if (first.kind === 'unclear') return first.why;
  if (first.kind === 'end') {
    // “For 4h lunch until Friday” has two ends.
    const rest = words.slice(first.words);
    const second = rest.findIndex((word, index) => untilWord.test(word) && isEnd(rest.slice(index), clock));
    return second === -1 ? { term: first.end, rest } : notSure(rest, second);
  }
  const at = words.findIndex((_, index) => isPlainlyTime(words.slice(index), clock));
  const other = otherTimeAt(words, clock);
  if (other !== -1 && (at === -1 || other < at)) return notSure(words, other);
  if (at === -1) {
    const isAsked = mayMeanTime(words) || mayMeanForeignTime(words);
    return isAsked ? notSure(words, 0) : { term: null, rest: words };
  }
  const last = readCertainEnd(words.slice(at), clock);
  const before = words[at - 1] ?? '';
  const isRange = /^(\d[\d.,]*|to|or|and|not|never|least|than|[-–—])$/i.test(before) || isNumberWord(before);
  if (isRange || otherTimeAt(words.slice(0, at), clock) !== -1) return notSure(words, at - 1);
  if (last.kind === 'end' && at + last.words === words.length) return { term: last.end, rest: upTo(words, at) };
  if (last.kind === 'unclear') return last.why;
  return notSure(words, at);
}

/** Words that begin with `until`. “Wait until approval” is no end. */
function isEnd(words: readonly string[], clock: Clock): boolean {
  return readEnd(words, clock).kind === 'end' || mayMeanTime(words.slice(1));
}

/** Where a word may hide a time: `until=friday`, `till-fri`, `lunch-4h`, `friday-dinner`. Not where numbers are joined. */
const joints =
  /(?<=\p{L})[=_,;:|]+(?=[\p{L}\d])|(?<=\d)[=_,;:|]+(?=\p{L})|(?<=^(?:untill?|till?|thru|ends?|for|\p{L}+day))[-–—/](?=[\p{L}\d])|(?<=\p{L})[-–—/](?=\d+\p{L})/iu;

/** Reading times in more words than this takes too long. */
const APART_MAX = 400;

/** True when these words mean a time if they are written apart: `until=friday`, `Monday's meeting`. */
function hidesTime(words: readonly string[], clock: Clock): boolean {
  const apart = words.flatMap((word) =>
    word.includes('://') ? [word] : word.replace(/(?<=day|night|week|weekend)['’]s$/i, '').split(joints),
  );
  if (apart.join(' ') === words.join(' ')) return false;
  if (apart.length > APART_MAX) return true;
  const read = readPlain(apart, clock);
  return typeof read === 'string' || read.term !== null;
}

/** The words before a time, without those that lead to it: `lunch lasting`, `for the next`. */
export function upTo(words: readonly string[], at: number): readonly string[] {
  const leads = /^(for|the|next|over|lasting|lasts|valid|duration:?|another|these|last)$/i;
  return words.slice(0, words.slice(0, at).findLastIndex((word) => !leads.test(word)) + 1);
}

function notSure(words: readonly string[], at: number): string {
  const phrase = words
    .slice(at, at + 3)
    .join(' ')
    .slice(0, 40);
  return `Is “${phrase}” how long it lasts? Write the time before the reason, such as “for 4h”, or “permanently”.`;
}

/** `for 4 hours`, `to the end of Dec 24, 2026, Eastern time`: follows a verb. */
export function termWords(term: Term): string {
  switch (term.kind) {
    case 'permanent':
      return 'permanently';
    case 'purchase':
      return 'for one purchase only, at most 15 minutes';
    case 'duration':
      return `for ${formatDuration(term.ms)}`;
    case 'day':
      return `to the end of ${dayWords(term.day)}, ${serviceZone().long}`;
    case 'until':
      return `until ${serviceTime(term.at)}`;
  }
}

/** One sentence, for a term that has passed. */
export function passedWords(term: Term): string {
  return `It was to last ${termWords(term)}, and that has passed.`;
}

/** `Dec 24, 2026` */
export function dayWords(day: string): string {
  const date = new Date(`${day}T12:00:00Z`);
  return date.toLocaleDateString('en-US', { month: 'short', day: 'numeric', year: 'numeric', timeZone: 'UTC' });
}
