import { isTimeZone, toInstant, toWallClock } from '../core/service-time.ts';
import type { QuietWindow } from './quiet-hours-store.ts';

const DAY_MS = 86_400_000;
/** One window can begin where another ends: a whole weekend, but not forever. */
const CHAIN_MAX = 8;

/**
 * When the quiet hours that hold now end.
 *
 * Times are the wall clock of the zone: an hour that spring skips, or autumn repeats, makes that night's hours shorter
 * or longer, and they end when the clock says so.
 *
 * @returns milliseconds, or null when it is not quiet.
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

/** End of the window that `now` lies in: it began on this day or on the one before. */
function endOf({ from, to, zone, days }: QuietWindow, now: number): number | null {
  const today = Date.parse(`${toWallClock(new Date(now), zone).slice(0, 10)}T00:00:00Z`);
  for (const day of [today - DAY_MS, today]) {
    if (!days.includes(new Date(day).getUTCDay())) continue;
    const start = at(day, from, zone);
    const end = at(to > from ? day : day + DAY_MS, to, zone);
    if (start <= now && now < end) return end;
  }
  return null;
}

/** The instant of a wall clock time on a day. @param day midnight of the date, as if it were UTC. */
function at(day: number, time: string, zone: string): number {
  const isEnd = time === '24:00';
  const date = new Date(isEnd ? day + DAY_MS : day).toISOString().slice(0, 10);
  return Date.parse(toInstant(`${date}T${isEnd ? '00:00' : time}`, zone) ?? '');
}

const dayNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const dayWords: ReadonlyMap<string, readonly number[]> = new Map([
  ['daily', [0, 1, 2, 3, 4, 5, 6]],
  ['weekdays', [1, 2, 3, 4, 5]],
  ['weekends', [0, 6]],
]);

export type ParsedQuiet =
  | { readonly window: QuietWindow /** What stands behind `except`, unread. */; readonly except: string | null }
  | { readonly off: true }
  | { readonly why: string };

/** Reads `22:00-07:00 Europe/Berlin weekdays except declines over 500`, or `off`. @param zone where none is named. */
export function parseQuiet(text: string, zone: string): ParsedQuiet {
  const [, head = '', , except = null] = /^(.*?)(\s*\bexcept\b\s*(.*))?$/isu.exec(text.trim()) ?? [];
  const [range = '', ...rest] = head.split(/\s+/u).filter((word) => word !== '');
  if (/^(off|none|stop)$/i.test(range)) return { off: true };
  const times = /^([^-–—]+)[-–—]([^-–—]+)$/u.exec(range)?.slice(1).map(readTime) ?? [];
  const [from = null, to = null] = times;
  if (from === null || to === null || from === '24:00') {
    return { why: `“${range.slice(0, 40)}” are no hours. Write 22:00-07:00, or 10pm-7am.` };
  }
  if (from === to) return { why: 'These hours begin when they end. For whole days write 00:00-24:00 and the days.' };

  let named = zone;
  let days: readonly number[] = dayWords.get('daily') ?? [];
  for (const word of rest) {
    const found = readDays(word.toLowerCase());
    if (found !== null) days = found;
    else if (isTimeZone(word)) named = word;
    else {
      return {
        why: `I do not know “${word.slice(0, 40)}”: I expected a time zone such as Europe/Berlin, days such as weekdays or mon-fri, or except.`,
      };
    }
  }
  if (from === '00:00' && to === '24:00' && days.length === 7)
    return { why: 'That is always. To get nothing, take the subscriptions away.' };
  if (except !== null && except.trim() === '')
    return { why: 'Except what? Write for instance “except declines over 500”.' };
  return { window: { from, to, zone: named, days: [...days] }, except };
}

/** `22:00`, `7am`, `10:30pm` → `22:00`, `07:00`, `22:30`. */
function readTime(text: string): string | null {
  const match = /^(\d{1,2})(?::(\d\d))?\s*(am|pm)?$/i.exec(text.trim());
  if (match === null) return null;
  const [, hours = '', minutes = '00', half] = match;
  if (half === undefined && match[2] === undefined && hours.length < 2) return null;
  let hour = Number(hours);
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return null;
    hour = (hour % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  }
  if (hour > 24 || Number(minutes) > 59 || (hour === 24 && minutes !== '00')) return null;
  return `${String(hour).padStart(2, '0')}:${minutes}`;
}

/** `weekdays`, `mon-fri`, `sat,sun`. */
function readDays(word: string): readonly number[] | null {
  const known = dayWords.get(word);
  if (known !== undefined) return known;
  const days = new Set<number>();
  for (const part of word.split(',').filter((one) => one !== '')) {
    const [first, last = first] = part.split(/[-–—]/u).map(readDay);
    if (first === undefined || last === undefined || first < 0 || last < 0) return null;
    for (let day = first; ; day = (day + 1) % 7) {
      days.add(day);
      if (day === last) break;
    }
  }
  return days.size === 0 ? null : [...days].toSorted((one, other) => one - other);
}

function readDay(word: string): number {
  return word.length < 3 ? -1 : dayNames.findIndex((name) => name.startsWith(word.replace(/s$/, '')) || name === word);
}

/** `22:00-07:00 Europe/Berlin, weekdays`. */
export function printQuiet({ from, to, zone, days }: QuietWindow): string {
  const word = [...dayWords].find(([, listed]) => listed.join() === days.join())?.[0];
  return `${from}-${to} ${zone}, ${word ?? days.map((day) => dayNames[day]).join(', ')}`;
}
