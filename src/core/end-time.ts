import { z } from 'zod';
import {
  addDays,
  isDayWord,
  lastOfMonth,
  readDay,
  readTimeOfDay,
  readWeekday,
  soundsLikeTime,
  sundayOf,
  todayOr,
  weekdayNames,
} from './calendar-words.ts';
import {
  bare,
  beginsWithTime,
  isTimeAdjective,
  readAnyDuration,
  readDuration,
  soundsLikeDuration,
} from './duration.ts';
import { mayMeanForeignTime } from './foreign-time.ts';
import { localDate, localTime } from './service-time.ts';
import { isZone, wordsRead, zoneWords } from './zone-words.ts';

/** When someone typed, and whose wall clock "5pm" and "Friday" refer to. */
export interface Clock {
  readonly now: Date;
  readonly zone: string;
}

/**
 * When something ends, as a person wrote it. Only a duration depends on when it begins: midnight and weekdays become
 * dates when they are read, because what begins later must still end when its author said.
 */
export const End = z.discriminatedUnion('kind', [
  /** Until someone changes it. */
  z.strictObject({ kind: z.literal('permanent') }),
  z.strictObject({ kind: z.literal('duration'), ms: z.int().positive() }),
  /** The end of that day, `2026-12-24`. */
  z.strictObject({ kind: z.literal('day'), day: z.iso.date() }),
  /** UTC ISO 8601. */
  z.strictObject({ kind: z.literal('until'), at: z.iso.datetime() }),
]);
export type End = z.infer<typeof End>;

type ReadEnd =
  | {
      readonly kind: 'end';
      readonly end: End;
      readonly words: number;
      /** For a day without a year that passed lately: the year of which it is read, which the writer may not mean. */
      readonly uncertainYear?: string;
      /** For the weekday of today, if today is still ahead: the day a week later as which it is read. */
      readonly uncertainWeek?: string;
    }
  /** Words about time that we cannot read, or a time that has passed. `why` is a sentence for the person who typed them. */
  /** `isOfCommand`: the question is about a command, where other words are near the time. */
  | { readonly kind: 'unclear'; readonly why: string; readonly isOfCommand?: true }
  /** Not about time. */
  | { readonly kind: 'none' };

export const untilWord = /^[’']?(until|untill|till|til)$/i;
const none: ReadEnd = { kind: 'none' };
const EXAMPLES = 'Write “for 4h”, “for 2 days”, “tomorrow 9am”, “until friday” or “until May 9”.';

/**
 * Reads an end at the start of `words`: `4h`, `for two hours`, `today`, `tonight`, `til midnight`, `tomorrow 9am`,
 * `noon tomorrow`, `until friday`, `through May 9`, `until May 9 17:30`, `next week`, `permanently`. A day without a
 * time means the end of that day. A time without a day means its next occurrence. How far away it may be is for the caller
 * to check.
 */
export function readEnd(typed: readonly string[], clock: Clock): ReadEnd {
  const words = typed.map(bare);
  const lead = wordsRead(/^(just|only|max|maximum|exactly|about|around|at most|up to) /i, words);
  // “Up to” may or may not include that week.
  if (/^up to (next|the|this) week/i.test(words.join(' '))) return unreadable(words);
  const read = readPlain(words.slice(lead), clock);
  if (read.kind !== 'end') return lead === 0 || read.kind === 'none' ? read : unreadable(words);
  const zone = zoneWords(words.slice(lead + read.words));
  const end = lead + read.words + zone;
  if (zone > 0 && !isZone(words.slice(end - zone, end).join(' '), clock)) return unreadable(words, end);
  const tail = wordsRead(/^(only|max|maximum|tops|from now)(?= |$)/i, words.slice(end));
  const behind = words.slice(end + tail);
  const isAbroad = read.end.kind === 'until' && zone === 0 && isElsewhere(behind);
  const whole = { ...read, words: end + tail };
  if (isQuotedReason(typed.slice(end + tail))) return isOnlyTime(behind, clock) ? twoTimes(typed, end + tail) : whole;
  // `1/2 d` is half a day rather than January 2.
  const isFraction = /^\d\d?\/\d\d? [dw]$/.test(words.slice(end - 1, end + 1).join(' '));
  const isLonger = isAbroad || isFraction || goesOn(behind, clock);
  if (isLonger) return unreadable(words, end + tail + 2, ' If that is the reason, quote it.');
  const isDay = read.end.kind === 'day' || read.end.kind === 'until';
  const hasAnother = beginsWithTime(behind, isDay) || mayMeanForeignTime(behind.slice(0, 3));
  return hasAnother ? twoTimes(typed, end + tail) : whole;
}

/** Whether a person marked these words as the reason: `"Black Friday ads"`, `reason: 7th floor`. Not the year `'27`. */
export function isQuotedReason(words: readonly string[]): boolean {
  return /^(["“„«]|['‘](?=\p{L})|reason:)/iu.test(words[0] ?? '');
}

function isOnlyTime(words: readonly string[], clock: Clock): boolean {
  const read = readPlain(words, clock);
  return read.kind === 'end' && read.words === words.length;
}

/** The same where the end will be used: asks about a day that passed lately, and about the weekday of today. */
export function readCertainEnd(typed: readonly string[], clock: Clock): ReadEnd {
  const read = readEnd(typed, clock);
  if (read.kind !== 'end') return read;
  if (read.uncertainWeek !== undefined) return { kind: 'unclear', why: todayOr(read.uncertainWeek) };
  if (read.uncertainYear === undefined) return read;
  const why = `“${said(typed, read.words)}” has passed. If you mean ${read.uncertainYear}, write the year.`;
  return { kind: 'unclear', why };
}

/** `5pm London`, `5pm in Tokyo`, `5pm Z`. */
function isElsewhere(words: readonly string[]): boolean {
  const [place = '', ...more] = /^in$/i.test(words[0] ?? '') ? words.slice(1) : words;
  // A `London trip` is a reason.
  if (!reasonStart.test(more.join(' '))) return false;
  return /^z$/i.test(place) || Intl.supportedValuesOf('timeZone').some((zone) => zone.endsWith(`/${place}`));
}

/** The text ends, or a reason starts. */
const reasonStart = /^($|(only|for|because|to|please|as|while|and|so|since|due)(?= |$))/i;
/**
 * What says more about the time before it, such as when it begins or how often it returns, so that no reason starts with
 * it. Not `latest invoice` or `following up`, which are reasons.
 */
const continuation = new RegExp(
  [
    // `friday @5pm`, `tomorrow at 9`, `tomorrow 25:00`, `monday 0900`, `Dec 3 - 5 offsite`, `2:30 h`
    '(@|at ?|latest |latest by )(\\d{1,2}(?=$|[ :.hap])|noon|midnight)|(at )?\\d{1,2}[:.]\\d\\d(?!\\d)',
    '((at|and|or) )?(\\d{1,2}|[012]\\d[0-5]\\d)$|(to|[-–—]) \\d{1,2}(?= |$)|(h|hrs?|mins?|[ap]m)(?= |$)',
    '(ago|later)(?= |$)|or (so|two|three|four|more|less|longer|until)(?= |$)',
    '(daily|weekly|monthly|close|latest|exclusive)(?= please|$)',
    // `4h every shift`, `monday after next`, `4h when I return`, `4h, extend to a day`
    '(every|each|once|twice|after|before|when|whenever|until|till|following(?! up)|upon|starts|starting|effective|ends|ending|extend)(?= |$)',
    '((same|this) time|as (of|soon|long))(?= |$)',
  ]
    .map((each) => `^(${each})`)
    .join('|'),
  'i',
);

/** True when a time continues: `4h when I return`, `permanently for 2 days`. */
function goesOn(words: readonly string[], clock: Clock): boolean {
  if (continuation.test(words.join(' '))) return true;
  return !isTimeAdjective(words) && readPlain(words, clock).kind !== 'none';
}

/** A question about a reason that begins with another time. */
function twoTimes(words: readonly string[], at: number): ReadEnd {
  const why = `Is “${said(words.slice(at), 6)}” part of the time? If it is the reason, quote it.`;
  return { kind: 'unclear', why, isOfCommand: true };
}

function unreadable(words: readonly string[], count = 3, hint = ''): ReadEnd {
  const why = `“${said(words, count)}” is not a time I can read. ${EXAMPLES}${hint}`;
  return { kind: 'unclear', why, isOfCommand: true };
}

/** A question about a weekday that may be another word. */
function unsureDay([word = '', next = '']: readonly string[]): ReadEnd {
  const day = weekdayNames[readWeekday(word) ?? 0];
  return { kind: 'unclear', why: `Does “${said([word, next])}” begin with ${day}? Write “until ${day}” if it does.` };
}

/** Words that do not belong to the time before them. */
function isReason([word]: readonly string[]): boolean {
  return word !== undefined && !/^(only|max|maximum|tops)$/i.test(word);
}

function readPlain(words: readonly string[], clock: Clock): ReadEnd {
  const [first = ''] = words;
  const isThrough = /^(through|thru)$/i.test(first);
  const isUntil = untilWord.test(first) || isThrough;
  const isFor = /^for$/i.test(first);
  const lead = isUntil || isFor ? 1 : 0;
  const rest = words.slice(lead);
  // "For 1:30" may mean an hour and a half, or half past one.
  const isUnsure = isFor && /^\d{1,2}:\d\d$/.test(rest[0] ?? '');
  const moment = isUnsure ? null : readMoment(rest, clock);
  // "Sat phone", "Sun screen": only a full name, or nothing behind it, is surely the day.
  const isShort = lead === 0 && readWeekday(first) !== null && !/days?$/i.test(first);
  if (isShort && moment?.words === 1 && isReason(rest.slice(1))) return unsureDay(words);
  const phrase = readPhrase(rest, clock, isUntil && !isThrough);
  // "Midnight tomorrow" is not the next midnight.
  const isMore = phrase !== null && moment !== null && moment.words > phrase.words;
  const found = (isMore ? null : phrase) ?? (isUntil ? null : readLength(rest)) ?? moment;
  // "For 2 h 30": no reason starts with a bare number.
  const isCut = found?.end.kind === 'duration' && /^\d+$/.test(rest[found.words] ?? '');
  if (isCut) return unreadable(words, 4);
  if (found === null) {
    const [one = '', two = ''] = rest;
    const isForSome = isFor && (/^[-–]?\d/.test(one) || /^(minutes|hours|days|nights|weeks|months|years)$/i.test(two));
    const isAboutTime = (isUntil && !isThrough) || isForSome || soundsLikeTime(rest);
    return isAboutTime ? unreadable(words) : none;
  }
  const at = endOf(found.end, clock);
  if (at !== null && !(at.getTime() > clock.now.getTime())) {
    return { kind: 'unclear', why: `“${said(words, found.words + lead)}” has passed. ${EXAMPLES}` };
  }
  return { ...found, kind: 'end', words: found.words + lead };
}

/** True when these words clearly start a time, not part of a name or a reason: `for 4h`, `until …`, `tonight`. */
export function isPlainlyTime(words: readonly string[], clock: Clock): boolean {
  const [first = '', second = ''] = words;
  if (untilWord.test(first)) return true;
  if (/^for$/i.test(first) && /^[-–]?\d/.test(second))
    return readDuration(words.slice(1)) !== null || soundsLikeDuration(words.slice(1));
  const isDay = isDayWord(first.toLowerCase());
  const begins = /^(for|through|thru)$/i.test(first) || isDay || /^next$/i.test(first) || readDuration(words) !== null;
  return (begins || soundsLikeDuration(words)) && readEnd(words, clock).kind !== 'none';
}

/** When it ends. Null when it never ends on its own. Invalid for a day that does not exist. */
export function endOf(end: End, { now, zone }: Clock): Date | null {
  switch (end.kind) {
    case 'permanent':
      return null;
    case 'duration':
      return new Date(now.getTime() + end.ms);
    case 'day':
      return new Date(localTime(addDays(end.day, 1), '00:00', zone));
    case 'until':
      return new Date(end.at);
  }
}

type Found = Omit<Extract<ReadEnd, { kind: 'end' }>, 'kind'> | null;

const phrases: readonly (readonly [RegExp, (today: string, isUntil: boolean) => End])[] = [
  [/^(permanently|indefinitely|forever|ever|permanent$|always$)\b/, () => ({ kind: 'permanent' })],
  [
    /^(midnight\b|tonight|(the |this )?(whole |rest of the )?day|eod|(the )?end of (the )?day)(?=\s|$)/,
    (today) => through(today),
  ],
  [
    /^((this|the) week|(the )?rest of the week|eow|(the )?end of (the )?week)(?=\s|$)/,
    (today) => through(sundayOf(today)),
  ],
  // “Until the weekend” ends when it begins, “the weekend” when it is over. The same with “next week”.
  [/^(this|the) weekend(?=\s|$)/, (today, isUntil) => through(addDays(sundayOf(today), isUntil ? -2 : 0))],
  [
    /^(this month(?! end)|(the )?rest of ((the|this) )?month|eom|(the )?end of (the |this )?month)(?=\s|$)/,
    (today) => through(lastOfMonth(today)),
  ],
  [/^next week(?=\s|$)/, (today, isUntil) => through(addDays(sundayOf(today), isUntil ? 0 : 7))],
];

function through(day: string): End {
  return { kind: 'day', day };
}

function readPhrase(words: readonly string[], clock: Clock, isUntil: boolean): Found {
  const text = words.slice(0, 7).join(' ').toLowerCase();
  for (const [pattern, toEnd] of phrases) {
    const match = pattern.exec(text)?.[0];
    if (match === undefined) continue;
    // “Until the weekend is over”
    const over = isUntil ? (/^ (is over|ends|has ended)(?= |$)/.exec(text.slice(match.length))?.[0] ?? '') : '';
    const end = toEnd(localDate(clock.now, clock.zone), isUntil && over === '');
    return { end, words: `${match}${over}`.split(' ').length };
  }
  return null;
}

/** Times of day that look like a number of hours: `1600h`, `0900 hours`. Not `1000 hours`. */
const hoursOfDay = /(^| )(([01]\d|2[0-4])[0-5]\d ?hr?s?|0\d[0-5]\d ?hours?)$/i;

function readLength(words: readonly string[]): Found {
  const duration = readAnyDuration(words);
  if (duration === null || hoursOfDay.test(words.slice(0, duration.words).join(' '))) return null;
  return { end: { kind: 'duration', ms: duration.ms }, words: duration.words };
}

/** A time, a day, or both. */
function readMoment(words: readonly string[], clock: Clock): Found {
  const today = localDate(clock.now, clock.zone);
  const alone = timeAt(words, 0);
  if (alone !== null) {
    const lead = /^on$/i.test(words[alone.words] ?? '') ? 1 : 0;
    const on = readDay(words.slice(alone.words + lead), today);
    if (on !== null) return onDay(on, alone.time, alone.words + lead + on.words, clock);
    const soon = localTime(today, alone.time, clock.zone);
    const isAhead = soon > clock.now.getTime();
    return until(isAhead ? soon : localTime(addDays(today, 1), alone.time, clock.zone), alone.words);
  }
  const day = readDay(words, today);
  if (day === null) return null;
  const time = timeAt(words, day.words);
  return onDay(day, time?.time ?? null, day.words + (time?.words ?? 0), clock);
}

/** @param time null: the end of the day. */
function onDay(
  { date, hasPassed, isTodaysWeekday }: NonNullable<ReturnType<typeof readDay>>,
  time: string | null,
  words: number,
  { now, zone }: Clock,
): Found {
  const found = time === null ? { end: through(date), words } : until(localTime(date, time, zone), words);
  const mayBeToday = isTodaysWeekday && localTime(localDate(now, zone), time ?? '24:00', zone) > now.getTime();
  if (mayBeToday === true) return { ...found, uncertainWeek: date };
  return { ...found, ...(hasPassed && { uncertainYear: date.slice(0, 4) }) };
}

/** `9am`, `9 am`, `at 9am`. */
function timeAt(words: readonly string[], index: number): { readonly time: string; readonly words: number } | null {
  const lead = /^at$/i.test(words[index] ?? '') ? 1 : 0;
  const [one, two = ''] = words.slice(index + lead);
  const apart = /^[ap]m$/i.test(two) ? readTimeOfDay(`${one}${two}`) : null;
  const time = apart ?? readTimeOfDay(one);
  return time === null ? null : { time, words: lead + (apart === null ? 1 : 2) };
}

/** `at`: milliseconds. NaN for a day that does not exist. */
function until(at: number, words: number): NonNullable<Found> {
  return { end: { kind: 'until', at: Number.isNaN(at) ? '' : new Date(at).toISOString() }, words };
}

function said(words: readonly string[], count = 3): string {
  return words.slice(0, count).join(' ').slice(0, 40);
}
