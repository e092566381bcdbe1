import { readDuration } from './duration.ts';
import { toInstant, toWallClock } from './service-time.ts';

const DAY_MS = 86_400_000;

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const months = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

interface Clock {
  readonly now: Date;
  /** Whose wall clock "5pm" and "Friday" mean. */
  readonly zone: string;
}

/**
 * Reads an end at the beginning of `words`: `3 days`, `for 4h`, `until 5pm`, `until midnight`, `until friday`,
 * `until May 9`, `until 9 May 17:30`, `until 2026-05-09`. A day without a time means until that day is over; a time
 * without a day means its next one; a date without a year its next one.
 *
 * @returns the instant and how many words it took; null when there is none that lies ahead.
 */
export function readEnd(
  words: readonly string[],
  clock: Clock,
): { readonly endsAt: Date; readonly words: number } | null {
  const [first = ''] = words;
  const isUntil = /^(until|till|til)$/i.test(first);
  const lead = isUntil || /^for$/i.test(first) ? 1 : 0;
  const rest = words.slice(lead);
  const found = isUntil ? readUntil(rest, clock) : readFor(rest, clock);
  if (found === null || !(found.endsAt.getTime() > clock.now.getTime())) return null;
  return { endsAt: found.endsAt, words: found.words + lead };
}

function readFor(words: readonly string[], { now }: Clock): { endsAt: Date; words: number } | null {
  const duration = readDuration(words);
  return duration === null ? null : { endsAt: new Date(now.getTime() + duration.ms), words: duration.words };
}

function readUntil(words: readonly string[], clock: Clock): { endsAt: Date; words: number } | null {
  const today = toWallClock(clock.now, clock.zone).slice(0, 10);
  const time = readTime(words[0]);
  if (time !== null) {
    const soon = at(today, time, clock.zone);
    const isAhead = soon.getTime() > clock.now.getTime();
    return { endsAt: isAhead ? soon : at(addDays(today, 1), time, clock.zone), words: 1 };
  }
  const day = readDay(words, today);
  if (day === null) return null;
  const timeOfDay = readTime(words[day.words]);
  return timeOfDay === null
    ? { endsAt: at(addDays(day.date, 1), '00:00', clock.zone), words: day.words }
    : { endsAt: at(day.date, timeOfDay, clock.zone), words: day.words + 1 };
}

/** A date, `2026-05-09`, and how many words named it. */
function readDay(words: readonly string[], today: string): { date: string; words: number } | null {
  const [one = '', two = ''] = words.map((word) => word.toLowerCase().replace(/[,.]$/, ''));
  if (one === 'today') return { date: today, words: 1 };
  if (one === 'tomorrow') return { date: addDays(today, 1), words: 1 };
  if (/^\d{4}-\d\d-\d\d$/.test(one)) return isDate(one) ? { date: one, words: 1 } : null;
  const weekday = indexOf(weekdays, one);
  if (weekday !== -1) {
    const ahead = (weekday - new Date(`${today}T00:00:00Z`).getUTCDay() + 7) % 7;
    return { date: addDays(today, ahead === 0 ? 7 : ahead), words: 1 };
  }
  for (const [name, number] of [
    [one, two],
    [two, one],
  ] as const) {
    const month = indexOf(months, name);
    const day = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(number)?.[1];
    if (month === -1 || day === undefined) continue;
    const year = Number(today.slice(0, 4));
    const [soon, later] = [year, year + 1].map((of) => `${of}-${pad(month + 1)}-${pad(Number(day))}`) as [
      string,
      string,
    ];
    const date = soon >= today ? soon : later;
    return isDate(date) ? { date, words: 2 } : null;
  }
  return null;
}

/** `5pm`, `5:30pm`, `17:30`, `noon`, `midnight` (the end of a day) → `17:30`. */
function readTime(word: string | undefined): string | null {
  const text = word?.toLowerCase() ?? '';
  if (text === 'noon') return '12:00';
  if (text === 'midnight') return '24:00';
  const match = /^(\d{1,2})(?::([0-5]\d))?(am|pm)?$/.exec(text);
  if (match === null) return null;
  const [, digits = '', minutes, half] = match;
  if (minutes === undefined && half === undefined) return null;
  const hour = Number(digits);
  if (half === undefined) return hour < 24 ? `${pad(hour)}:${minutes ?? '00'}` : null;
  return hour >= 1 && hour <= 12 ? `${pad((hour % 12) + (half === 'pm' ? 12 : 0))}:${minutes ?? '00'}` : null;
}

function at(date: string, time: string, zone: string): Date {
  const text = time === '24:00' ? `${addDays(date, 1)}T00:00` : `${date}T${time}`;
  return new Date(toInstant(text, zone) ?? Number.NaN);
}

function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Whole names and beginnings of at least three letters. */
function indexOf(names: readonly string[], word: string): number {
  return word.length < 3 ? -1 : names.findIndex((name) => name.startsWith(word));
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
