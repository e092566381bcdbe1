import type { Term } from '../card-api/rule-change.ts';
import { bare, isNumberWord, mayMeanTime, namesTime, phrasesIn } from '../core/duration.ts';
import { type Clock, isPlainlyTime, isQuotedReason, readCertainEnd, readEnd, untilWord } from '../core/end-time.ts';
import { mayMeanForeignTime } from '../core/foreign-time.ts';
import { localDate } from '../core/service-time.ts';
import { type continuesName, textOf } from './read-limit.ts';
import { ENDS_TOO_LATE, endOfTerm, endsTooLate } from './term.ts';

/** In front of everything else, also of other times. Not `once a week`. */
const thisPurchase =
  /^((just|only) )?((for )?(this|the|one) purchase( only)?(?= |$)|(once|(one|this) time)( only)?(?=$| (for|to|because) ))/i;
const once = '(one|single)[ -](time|off|use)';
/** Words that may follow `once`. Before any other word it is an adjective: “one-time vendor”. */
const behindOnce =
  '(only|please|pls|thanks|for|to|because|since|as|so|and|or|then|but|at|in|on|with|by|from|use|purchase|transaction|payment|charge|swipe|order|exception|raise|increase|change)';
/** Anywhere in a reason that names no other time. Not `laptop purchase`. */
const onePurchase = new RegExp(
  `(^| )((this|next|one|single|that) (purchase|transaction|payment|charge|swipe)|((for|only|just)( a| the)? |(this|next|one|single|that|only|just|${once}) (\\S+ ){1,3}|^)purchase$|(just|only|this) once|once(?= ${behindOnce}(?![a-z])|$)|this (time|off)|^for (this|one|the next) order|(this|one) order( only)?$|(for|just|only) this one|${once}(?! (?!${behindOnce}(?![a-z]))\\p{L}))(?![a-z])`,
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
  const isOnce = read.term === null && phrasesIn(words).some((phrase) => onePurchase.test(phrase));
  if (isOnce) return { ...read, term: { kind: 'purchase' } };
  if (read.term === null) return read;
  const end = endOfTerm(read.term, clock.now, clock.zone);
  // The midnight that ends a day is that of the next one.
  const dayOf = (ms: number): string => localDate(new Date(ms), clock.zone);
  const isTooLong = end !== null && endsTooLate(dayOf(end.getTime() - 1), dayOf(clock.now.getTime()));
  return isTooLong ? ENDS_TOO_LATE : read;
}

/**
 * A duration alone, as a form asks for it.
 *
 * @returns the term; a question if it is a time that cannot be used; null if it is none, or not the only thing.
 */
export function readTermAlone(words: readonly string[], clock: Clock): Term | string | null {
  const read = readTerm(words, clock);
  const end = readCertainEnd(words, clock);
  const isAboutTime = read === ENDS_TOO_LATE || (end.kind === 'unclear' && end.isOfCommand !== true);
  if (typeof read === 'string') return isAboutTime ? read : null;
  return read.rest.length > 0 || read.term?.kind === 'purchase' ? null : read.term;
}

type ReadTerm = { term: Term | null; rest: readonly string[] } | string;

/** In front of a time, or instead of one. */
const saysEnd = /^(for|until|till?|through|thru|permanent(ly)?|forever|indefinitely|always)$/i;

/** The same however long it lasts. */
function readPlain(words: readonly string[], clock: Clock): ReadTerm {
  const purchase = thisPurchase.exec(words.join(' '))?.[0];
  if (purchase !== undefined) {
    const rest = words.slice(purchase.split(' ').length);
    // “Once for 2 days” is either.
    const isEither = /once|time/i.test(purchase) && readEnd(rest, clock).kind !== 'none';
    return isEither ? notSure(words, 0) : { term: { kind: 'purchase' }, rest };
  }
  const first = readEnd(words, clock);
  if (first.kind === 'unclear') return first.why;
  if (first.kind === 'end') {
    const rest = words.slice(first.words);
    const second = secondEndAt(words, first.words, clock);
    return second === -1 ? certain(words, rest, clock) : notSure(words, second);
  }
  const plain = words.map(bare);
  const at = plain.findIndex((_, index) => isPlainlyTime(plain.slice(index), clock));
  if (at === -1) {
    const isAsked = mayMeanTime(words) || mayMeanForeignTime(words);
    return isAsked ? notSure(words, 0) : { term: null, rest: words };
  }
  const before = plain[at - 1] ?? '';
  const rest = upTo(words, at);
  if (leadsElsewhere.test(before) || isNumberWord(before)) return notSure(words, at - 1);
  const last = readEnd(words.slice(at), clock);
  if (last.kind === 'unclear') return last.why;
  const isAll = last.kind === 'end' && at + last.words === words.length;
  return isAll && (isQuotedReason(rest) || (!namesTime(rest) && !mayMeanForeignTime(rest)))
    ? certain(words.slice(at), rest, clock)
    : notSure(words, isAll ? 0 : at);
}

/**
 * Where a second end is: “permanently lunch until Friday” has two. -1: there is none, or the reason is quoted.
 *
 * @param read how many words the first end took.
 */
export function secondEndAt(words: readonly string[], read: number, clock: Clock): number {
  if (isQuotedReason(words.slice(read))) return -1;
  const plain = words.map(bare);
  // “Friday crew for 2 hours”: the first may only say what kind of thing it is for.
  const isTyped = saysEnd.test(plain[0] ?? '');
  return plain.findIndex(
    (word, index) =>
      index >= read &&
      ((untilWord.test(word) && mayMeanTime(words.slice(index + 1))) ||
        (!isTyped && isPlainlyTime(plain.slice(index), clock))),
  );
}

/** The end at the start of `words`, unless it has to be asked about. */
function certain(words: readonly string[], rest: readonly string[], clock: Clock): ReadTerm {
  const read = readCertainEnd(words, clock);
  if (read.kind === 'unclear') return read.why;
  return { term: read.kind === 'end' ? read.end : null, rest };
}

/** Directly before a time, makes it another time, or only a part of one: `in 2 weeks`, `by tomorrow`, `#until next week`. */
const leadsElsewhere =
  /(^|[^\p{L}\p{N}\p{Sc}])(\d[\d.,]*|to|or|and|not|never|least|than|once|twice|times|every|each|minus|negative|in|within|by|on|from|of|about|starting|beginning|commencing|effective|ends?|ending|expires?|expiring|after|before|since|until|till?|[-–—])$/iu;

/**
 * The words before a time, without those that lead to it: `lunch lasting`, `for the next`.
 *
 * @param isKept whether a word like those does not lead to it: `Jane Last` is a name.
 */
export function upTo(words: readonly string[], at: number, isKept: typeof continuesName = () => false) {
  const leads = /^(for|the|next|over|lasting|lasts|valid|duration:?|another|these|last)$/i;
  const last = words.slice(0, at).findLastIndex((word, index) => !leads.test(word) || isKept(words, index));
  return words.slice(0, last + 1);
}

function notSure(words: readonly string[], at: number): string {
  return `Is “${textOf(words.slice(at))}” how long it lasts? Write the time before the reason, such as “for 4h”, or “permanently”.`;
}
