import { z } from 'zod';
import { toInstant, toWallClock } from '../core/service-time.ts';

/** When a channel gets its digest: a wall-clock time in a zone, daylight saving included. */
export const DigestSchedule = z.strictObject({
  channel: z.string(),
  /** Null: every day. 0 is Sunday. */
  weekday: z.int().min(0).max(6).nullable(),
  hour: z.int().min(0).max(23),
  minute: z.int().min(0).max(59),
  zone: z.string(),
  /** Slack user who asked for it. */
  by: z.string(),
  /** Since when, UTC ISO 8601. */
  at: z.string(),
});
export type DigestSchedule = z.infer<typeof DigestSchedule>;

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

/** `digest weekly on Monday at 09:00 America/Chicago`, for the record. */
export function scheduleWords({ weekday, hour, minute, zone }: DigestSchedule): string {
  const day = weekday === null ? 'daily' : `weekly on ${weekdays[weekday] ?? ''}`;
  return `digest ${day} at ${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')} ${zone}`;
}

type When = Pick<DigestSchedule, 'weekday' | 'hour' | 'minute' | 'zone'>;

const DAY_MS = 86_400_000;

/** One digest: what it covers, and its name, which no other has. */
export interface DigestPeriod {
  readonly fromMs: number;
  readonly toMs: number;
  /** Local date on which it is due: `2026-11-20`. */
  readonly date: string;
}

/** The latest period that has ended by `now`. */
export function periodBefore(when: When, now: Date): DigestPeriod {
  const step = when.weekday === null ? 1 : 7;
  // The next date at first: a clock that goes back may reach it twice.
  let date = shift(toWallClock(now, when.zone).slice(0, 10), 1);
  while (!fits(when, date)) date = shift(date, -1);
  while (dueOn(when, date) > now.getTime()) date = shift(date, -step);
  return { fromMs: dueOn(when, shift(date, -step)), toMs: dueOn(when, date), date };
}

/** The same stretch before a period. */
export function periodBeforeThat(when: When, { date, fromMs }: DigestPeriod): DigestPeriod {
  const step = when.weekday === null ? 1 : 7;
  const before = shift(date, -step);
  return { fromMs: dueOn(when, shift(before, -step)), toMs: fromMs, date: before };
}

/** When it is due next. */
export function nextDue(when: When, now: Date): number {
  const step = when.weekday === null ? 1 : 7;
  return dueOn(when, shift(periodBefore(when, now).date, step));
}

/** As BullMQ's schedulers take it, together with the zone. */
export function cronPattern({ weekday, hour, minute }: When): string {
  return `${minute} ${hour} * * ${weekday ?? '*'}`;
}

function fits({ weekday }: When, date: string): boolean {
  return weekday === null || new Date(`${date}T00:00:00Z`).getUTCDay() === weekday;
}

/** An hour that spring skips is read as if the clock had not been put forward; of one that comes twice, the second. */
function dueOn({ hour, minute, zone }: When, date: string): number {
  const two = (part: number): string => String(part).padStart(2, '0');
  const instant = toInstant(`${date}T${two(hour)}:${two(minute)}:00`, zone);
  if (instant === null) throw new Error('a schedule without a time');
  return Date.parse(instant);
}

function shift(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}
