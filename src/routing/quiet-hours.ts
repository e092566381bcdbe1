import {
  addDays,
  clockWords,
  joinAmPm,
  readTimeOfDay,
  readWeekday,
  weekdayNames,
  weekdayOf,
} from '../core/calendar-words.ts';
import { commandCode, zoneWord } from '../core/installation.ts';
import { localDate, localTime, readTimeZone } from '../core/service-time.ts';
import type { QuietWindow } from './channel-rules-store.ts';

/** A window may start where another ends, for a complete weekend. Limits how many windows are chained. */
const CHAIN_MAX = 8;
const DAY_MINUTES = 24 * 60;

/**
 * When the current quiet hours end.
 *
 * Times are local times: when an hour is skipped or repeated, that night's quiet hours are shorter or longer.
 *
 * @returns milliseconds, or null outside quiet hours.
 */
export function quietUntil(window: QuietWindow, now: number): number | null {
  let end: number | null = null;
  for (let chain = 0; chain < CHAIN_MAX; chain += 1) {
    const next = endOf(window, end ?? now);
    if (next === null) break;
    end = next;
  }
  return end;
}

/** End of the window that contains `now`. The window started today or yesterday. */
function endOf({ from, to, zone, days }: QuietWindow, now: number): number | null {
  const today = localDate(new Date(now), zone);
  for (const date of [addDays(today, -1), today]) {
    if (!days.includes(weekdayOf(date))) continue;
    const start = localTime(date, from, zone);
    const end = localTime(to > from ? date : addDays(date, 1), to, zone);
    if (start <= now && now < end) return end;
  }
  return null;
}

const dayWords: ReadonlyMap<string, readonly number[]> = new Map([
  ['daily', [0, 1, 2, 3, 4, 5, 6]],
  ['weekdays', [1, 2, 3, 4, 5]],
  ['weekends', [0, 6]],
]);

type ParsedQuiet =
  | {
      readonly kind: 'hours';
      readonly window: QuietWindow;
      /** The text after `except`, not yet parsed. */
      readonly except: string | null;
    }
  | { readonly kind: 'off' }
  | { readonly kind: 'unclear'; readonly why: string };

/**
 * Parses `22:00-07:00 Europe/Berlin weekdays except declines over 500`, `10 pm to 7 am`, or `off`. @param zone the default.
 */
export function parseQuiet(text: string, zone: string): ParsedQuiet {
  // People who copy a message may copy invisible characters.
  const typed = text
    .replace(/\p{Cf}/gu, '')
    .trim()
    .replace(/^(?:hours|from)\s+/i, '');
  const [, head = '', , except = null] = /^(.*?)(\s*\bexcept\b(?:\s+for\b)?\s*(.*))?$/isu.exec(typed) ?? [];
  const together = joinAmPm(head).replaceAll(/\s+(?:[-–—]|to)\s+/giu, '-');
  const [range = '', ...rest] = together.split(/\s+/u).filter((word) => word !== '');
  if (/^(off|none|stop)$/i.test(range)) {
    const after = typed.slice(range.length).trim();
    if (after === '') return { kind: 'off' };
    return unclear(`I didn’t understand “${after.slice(0, 40)}” after “${range}”, which ends quiet hours for good.`);
  }
  const hours = readHours(range.replace(/,+$/, ''));
  if (typeof hours === 'string') return unclear(hours);
  const { from, to } = hours;

  let named = zone;
  const typedDays = new Set<number>();
  for (const word of rest.map((each) => each.replace(/,+$/, '')).filter((each) => !/^(and|on)?$/i.test(each))) {
    const listed = readDays(word.toLowerCase());
    const typedZone = listed === null ? readTimeZone(word) : null;
    if (listed !== null) for (const day of listed) typedDays.add(day);
    else if (typedZone !== null) named = typedZone;
    else {
      return unclear(
        `I don’t know “${word.slice(0, 40)}”: I expected a time zone such as Europe/Berlin, days such as weekdays or mon-fri, or except.`,
      );
    }
  }
  const days = typedDays.size === 0 ? (dayWords.get('daily') ?? []) : [...typedDays].toSorted((a, b) => a - b);
  if (from === '00:00' && to === '24:00' && days.length === 7)
    return unclear(`That would be always. To get no alerts here, use ${commandCode('unsubscribe')}.`);
  if (except !== null && except.trim() === '')
    return unclear('Except what? Write for instance “except declines over 500”.');
  return { kind: 'hours', window: { from, to, zone: named, days: [...days] }, except };
}

function unclear(why: string): ParsedQuiet {
  return { kind: 'unclear', why };
}

/** `10:30`, but not `22:00` and `07:00`, which are plainly on a 24-hour clock. */
const lacksHalf = /^(?:[1-9]|1[0-2])(?::\d\d)?$/;
const hasHalf = /\d[ap]m$|^(?:noon|midnight)$/i;

/** When a range of hours starts and ends; or why it cannot be read. */
function readHours(range: string): Pick<QuietWindow, 'from' | 'to'> | string {
  const typed = /^([^-–—]+)[-–—]([^-–—]+)$/u.exec(range)?.slice(1) ?? [];
  // Whoever writes `10-7am` or `10-midnight` means an evening, and `12-6am` midnight.
  const unclearTime = typed.find((time) => lacksHalf.test(time));
  const [start = null, to = null] = typed.map(readTime);
  // `10:00-7:00` would be quiet all day, too.
  const isLong =
    typed.every((time) => lacksHalf.test(time)) && start !== null && to !== null && isOverHalfDay(start, to);
  if (unclearTime !== undefined && (isLong || typed.some((time) => hasHalf.test(time))))
    return `In “${range.slice(0, 40)}”, is ${unclearTime} am or pm? Write for instance 10pm-7am, or 22:00-07:00.`;
  if (start === null || to === null)
    return `“${range.slice(0, 40)}” is not a range of hours. Write 22:00-07:00, or 10pm-7am.`;
  // A range that starts at midnight starts with the day that follows.
  const from = start === '24:00' ? '00:00' : start;
  return from === to
    ? 'These hours start and end at the same time. For whole days write 00:00-24:00 and the days.'
    : { from, to };
}

function isOverHalfDay(from: string, to: string): boolean {
  const minutes = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
  const lasts = (minutes(to) - minutes(from) + DAY_MINUTES) % DAY_MINUTES;
  return lasts > DAY_MINUTES / 2;
}

/** `22:00`, `7am`, `10:30pm` → `22:00`, `07:00`, `22:30`. In a range, two digits also count as hours. */
function readTime(text: string): string | null {
  return readTimeOfDay(/^\s*\d\d\s*$/.test(text) ? `${text.trim()}:00` : text);
}

/** `weekdays`, `mon-fri`, `sat,sun`. */
function readDays(word: string): readonly number[] | null {
  const named = dayWords.get(word);
  if (named !== undefined) return named;
  const days = new Set<number>();
  for (const part of word.split(',').filter((each) => each !== '')) {
    const [first, last = first] = part.split(/[-–—]/u).map(readWeekday);
    if (first == null || last == null) return null;
    for (let day = first; ; day = (day + 1) % 7) {
      days.add(day);
      if (day === last) break;
    }
  }
  return days.size === 0 ? null : [...days];
}

/** For people: `10:00 PM to 7:00 AM ET, weekdays`. */
export function quietWords({ from, to, zone, ...window }: QuietWindow): string {
  const clock = (time: string): string => {
    const [hour = 0, minute = 0] = time.split(':').map(Number);
    return clockWords(hour % 24, minute);
  };
  const hours = from === '00:00' && to === '24:00' ? 'all day' : `${clock(from)} to ${clock(to)}`;
  return `${hours} ${zoneWord(zone)}, ${daysWords(window)}`;
}

/** As it can be typed: `22:00-07:00 Europe/Berlin, weekdays`. */
export function printQuiet({ from, to, zone, days }: QuietWindow): string {
  return `${from}-${to} ${zone}, ${daysWords({ days }).toLowerCase()}`;
}

function daysWords({ days }: Pick<QuietWindow, 'days'>): string {
  const word = [...dayWords].find(([, listed]) => listed.join() === days.join())?.[0];
  return word ?? days.map((day) => weekdayNames[day]).join(', ');
}
