import { closest, isMisspelt } from './closest.ts';
import { soundsLikeDuration } from './duration.ts';

const DAY_MS = 86_400_000;

/** The days of the week, Sunday first, as `getUTCDay` counts them. */
export const weekdayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** `9:00 AM`. */
export function clockWords(hour: number, minute: number): string {
  return `${hour % 12 || 12}:${pad(minute)} ${hour < 12 ? 'AM' : 'PM'}`;
}

/** `fri`, `Friday`, `fridays` → 5, `weds` → 3. Null when it is not a day of the week. */
export function readWeekday(word: string): number | null {
  return indexOf(weekdayNames, word.toLowerCase().replace(/^(.{4,}|wed)s$/, '$1'));
}

/**
 * `5pm`, `5:00pm`, `17:00` → `17:00`; `noon` → `12:00`; `midnight`, the end of a day → `24:00`. Null when it is not a
 * time of day.
 */
export function readTimeOfDay(word: string | undefined): string | null {
  const text = word?.trim().toLowerCase() ?? '';
  if (text === 'noon') return '12:00';
  if (text === 'midnight' || text === '24:00') return '24:00';
  const match = /^(\d{1,2})(?::([0-5]\d))?\s?(am|pm)?$/.exec(text);
  if (match === null) return null;
  const [, digits = '', minutes, half] = match;
  if (minutes === undefined && half === undefined) return null;
  const hour = Number(digits);
  if (half === undefined) return hour < 24 ? `${pad(hour)}:${minutes ?? '00'}` : null;
  return hour >= 1 && hour <= 12 ? `${pad((hour % 12) + (half === 'pm' ? 12 : 0))}:${minutes ?? '00'}` : null;
}

/** `9 am to 5 pm` → `9am to 5pm`. */
export function joinAmPm(text: string): string {
  return text.replaceAll(/(\d)\s+([ap]m)\b/giu, '$1$2');
}

export interface TypedDay {
  readonly date: string;
  /** How many words it took. */
  readonly words: number;
  /** It has no year, and the same day of the year before passed within the last three months: the writer may mean that one. */
  readonly hasPassed?: true;
  /** It is the weekday of today, so the writer may mean today. */
  readonly isTodaysWeekday?: true;
}

/**
 * Reads a day at the start of `words`: `today`, `tomorrow`, `friday`, `2026-05-09`, `5/9`, `May 9`, `9 May 2027`. A
 * weekday means the next occurrence, never today. A date without a year means the next one that has not passed.
 *
 * @param today `2026-11-20`.
 * @returns null when there is none.
 */
export function readDay(words: readonly string[], today: string): TypedDay | null {
  const [one = '', two = '', three = ''] = words.slice(0, 3).map((word) => word.toLowerCase().replace(/[,.]$/, ''));
  if (one === 'today') return { date: today, words: 1 };
  if (one === 'tomorrow') return { date: addDays(today, 1), words: 1 };
  if (/^\d{4}-\d\d-\d\d$/.test(one)) return isDate(one) ? { date: one, words: 1 } : null;
  const slashed = /^(\d{1,2})\/(\d{1,2})(?:\/(\d{4}))?$/.exec(one);
  if (slashed !== null)
    return dated({ month: Number(slashed[1]), day: Number(slashed[2]), year: slashed[3] }, today, 1);
  const weekday = readWeekday(one);
  if (weekday !== null) {
    const days = (weekday - weekdayOf(today) + 7) % 7;
    return { date: addDays(today, days || 7), words: 1, ...(days === 0 && { isTodaysWeekday: true }) };
  }
  for (const [name, number] of [
    [one, two],
    [two, one],
  ] as const) {
    const month = indexOf(months, name);
    const day = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(number)?.[1];
    if (month === null || day === undefined) continue;
    const year = /^20\d\d$/.test(three) ? three : undefined;
    return dated({ month: month + 1, day: Number(day), year }, today, year === undefined ? 2 : 3);
  }
  return null;
}

interface Dated {
  readonly month: number;
  readonly day: number;
  readonly year: string | undefined;
}

const LATELY_DAYS = 92;

function dated({ month, day, year }: Dated, today: string, words: number): TypedDay | null {
  const of = (which: number): string => `${which}-${pad(month)}-${pad(day)}`;
  const thisYear = Number(today.slice(0, 4));
  const next = Number(year ?? (of(thisYear) < today ? thisYear + 1 : thisYear));
  if (!isDate(of(next))) return null;
  const hasPassed = year === undefined && of(next - 1) >= addDays(today, -LATELY_DAYS);
  return { date: of(next), words, ...(hasPassed && { hasPassed }) };
}

/** A question about a weekday that is today's. @param date the same weekday of next week, `2026-11-27`. */
export function todayOr(date: string): string {
  const day = weekdayNames[weekdayOf(date)];
  const [, month = 0, dayOfMonth] = date.split('-').map(Number);
  return `Today is ${day}. Instead of “${day}”, write “today” or “${months[month - 1]?.slice(0, 3)} ${dayOfMonth}”.`;
}

/** `2026-11-20`, 1 → `2026-11-21`. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** 0 is Sunday. */
export function weekdayOf(date: string): number {
  return new Date(`${date}T00:00:00Z`).getUTCDay();
}

/** The Sunday that ends the week of a day. */
export function sundayOf(today: string): string {
  return addDays(today, (7 - weekdayOf(today)) % 7);
}

/** The last day of a day's month: `2026-11-20` → `2026-11-30`. */
export function lastOfMonth(today: string): string {
  const [year = 0, month = 0] = today.split('-').map(Number);
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
}

/** True for `2026-11-20`, not for February 30, which `Date` would read as a day of March. */
export function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

const weekdays = weekdayNames.map((name) => name.toLowerCase());
const dayWords = ['today', 'tonight', 'tonite', 'tomorrow', 'tmrw', 'tmr', 'tmw', '2morrow', '2moro'];
const lastingWords = ['permanently', 'indefinitely', 'temporarily', 'temporary', 'forever'];

/** A word that means an end on its own, or is probably a typo of one: `tonight`, `todya`, `firday`, `permanantly`. */
export function isDayWord(word: string): boolean {
  if (dayWords.includes(word) || isMisspelt(word, [...dayWords, ...weekdays])) return true;
  return /^tom+or+ow$/.test(word) || (word.length > 5 && closest(word, lastingWords) !== null);
}

/** Words about time, also when unclear: `a while`, `next month`, `next frday`, `tomorrowish`, `temporarily`. */
export function soundsLikeTime(words: readonly string[]): boolean {
  const [first = '', second = ''] = words.map((word) => word.toLowerCase());
  if (/^(today|tonight|tom+or+ow)/.test(first) || /^(overnight|now|once)$/.test(first) || isDayWord(first)) return true;
  if (/^(one|this|same)$/.test(first) && second === 'time') return true;
  if (first === 'at' && /^\d{1,2}h(\d\d)?$/.test(second)) return true;
  if (/^(next|this|coming)$/.test(first) && (readWeekday(second) ?? closest(second, weekdays)) !== null) return true;
  return soundsLikeDuration(words);
}

/** Matches full names and prefixes of at least three letters. Null when nothing matches. */
function indexOf(names: readonly string[], word: string): number | null {
  const at = word.length < 3 ? -1 : names.findIndex((name) => name.toLowerCase().startsWith(word));
  return at === -1 ? null : at;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
