import { z } from 'zod';
import { addDays, weekdayNames, weekdayOf } from '../core/calendar-words.ts';
import { stateKey } from '../core/keys.ts';
import { createRecordHash } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import { localDate, localTime } from '../core/service-time.ts';
import { wholeQuarter } from './tally-store.ts';

/** When a channel gets its digest: a local time in a time zone, including daylight saving time. */
export const DigestSchedule = z.strictObject({
  channel: z.string(),
  /** Null: daily, or on the first of each month. 0 is Sunday. */
  weekday: z.int().min(0).max(6).nullable(),
  isMonthly: z.boolean().default(false),
  hour: z.int().min(0).max(23),
  minute: z.int().min(0).max(59),
  zone: z.string(),
  /** Slack user id of the author. */
  by: z.string(),
  /** When it was set, UTC ISO 8601. */
  at: z.string(),
  /** If it replaced another, when the first of them was set. */
  startedAt: z.string().nullish(),
});
export type DigestSchedule = z.infer<typeof DigestSchedule>;

export const digestKinds = ['daily', 'weekly', 'monthly'] as const;
export type DigestKind = (typeof digestKinds)[number];

/** A channel can have one schedule of each kind. */
export function kindOf({ weekday, isMonthly }: Pick<DigestSchedule, 'weekday' | 'isMonthly'>): DigestKind {
  return isMonthly ? 'monthly' : weekday === null ? 'daily' : 'weekly';
}

export type Digests = ReturnType<typeof createDigests>;

/** The schedules of all channels. They stay until someone removes them. */
export function createDigests(redis: RedisClient) {
  const store = createRecordHash({ redis, schema: DigestSchedule, key: stateKey('digests') });
  return {
    /** Replaces the channel's schedule of the same kind. */
    set: (schedule: DigestSchedule): Promise<void> =>
      store.put(scheduleId(schedule.channel, kindOf(schedule)), schedule),
    get: (channel: string, kind: DigestKind): Promise<DigestSchedule | null> => store.get(scheduleId(channel, kind)),
    async ofChannel(channel: string): Promise<DigestSchedule[]> {
      const each = await Promise.all(digestKinds.map((kind) => store.get(scheduleId(channel, kind))));
      return each.filter((schedule) => schedule !== null);
    },
    remove: (channel: string, kind: DigestKind): Promise<void> => store.delete(scheduleId(channel, kind)),
    all: store.all,
  };
}

/** A schedule that replaces another has its id. */
export function scheduleId(channel: string, kind: DigestKind): string {
  return `${channel}:${kind}`;
}

/** `digest weekly on Monday at 09:00 America/Chicago`, for the audit record. */
export function scheduleWords(schedule: DigestSchedule): string {
  const { weekday, hour, minute, zone } = schedule;
  const day = weekday === null ? kindOf(schedule) : `weekly on ${weekdayNames[weekday] ?? ''}`;
  return `digest ${day} at ${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')} ${zone}`;
}

type When = Pick<DigestSchedule, 'weekday' | 'isMonthly' | 'hour' | 'minute' | 'zone'>;

/** From one digest to the next. A monthly digest is about a calendar month. */
export interface DigestPeriod {
  readonly fromMs: number;
  readonly toMs: number;
  readonly dueMs: number;
  /** Local date on which the digest is due, `2026-11-20`. */
  readonly date: string;
}

export type Span = Pick<DigestPeriod, 'fromMs' | 'toMs'>;

/** The latest period that has ended by `now`. */
export function periodBefore(when: When, now: Date): DigestPeriod {
  // Starts one date ahead: a clock that is set back may reach a date twice.
  let date = addDays(localDate(now, when.zone), 1);
  while (!fits(when, date)) date = addDays(date, -1);
  while (instantOf(when, date) > now.getTime()) date = stepFrom(when, date, -1);
  return periodOf(when, date);
}

/** The period before another one. */
export function periodBeforeThat(when: When, { date }: Pick<DigestPeriod, 'date'>): DigestPeriod {
  return periodOf(when, stepFrom(when, date, -1));
}

/** The 24 hours or seven days until now, or the calendar month so far; then the span before it (a complete month). */
export function periodsUntil(kind: DigestKind, now: Date, zone: string): [Span, Span] {
  const toMs = now.getTime();
  if (kind === 'monthly') {
    const month = { weekday: null, isMonthly: true, hour: 0, minute: 0, zone };
    const before = periodBefore(month, now);
    return [{ fromMs: before.toMs, toMs }, before];
  }
  const lastsMs = (kind === 'daily' ? 1 : 7) * DAY_MS;
  const fromMs = wholeQuarter(toMs - lastsMs);
  return [
    { fromMs, toMs },
    { fromMs: fromMs - lastsMs, toMs: fromMs },
  ];
}

const DAY_MS = 86_400_000;

/** The period whose digest is due on a date. */
function periodOf(when: When, date: string): DigestPeriod {
  const before = stepFrom(when, date, -1);
  const edges = when.isMonthly ? { ...when, hour: 0, minute: 0 } : when;
  const edgeOf = (day: string): number => wholeQuarter(instantOf(edges, day));
  return { fromMs: edgeOf(before), toMs: edgeOf(date), dueMs: instantOf(when, date), date };
}

/** When the next digest is due whose period is not over by `shownToMs`, in milliseconds. */
export function nextDue(when: When, now: Date, shownToMs: number): number {
  let { date } = periodBefore(when, now);
  do date = stepFrom(when, date, 1);
  while (periodOf(when, date).toMs <= shownToMs);
  return instantOf(when, date);
}

/** The date of the digest after or before the one on `date`. */
function stepFrom({ weekday, isMonthly }: When, date: string, steps: 1 | -1): string {
  if (!isMonthly) return addDays(date, steps * (weekday === null ? 1 : 7));
  return `${addDays(`${date.slice(0, 7)}-15`, steps * 30).slice(0, 7)}-01`;
}

function fits({ weekday, isMonthly }: When, date: string): boolean {
  return isMonthly ? date.endsWith('-01') : weekday === null || weekdayOf(date) === weekday;
}

function instantOf({ hour, minute, zone }: Pick<When, 'hour' | 'minute' | 'zone'>, date: string): number {
  const two = (part: number): string => String(part).padStart(2, '0');
  const instant = localTime(date, `${two(hour)}:${two(minute)}`, zone);
  if (Number.isNaN(instant)) throw new Error('a digest schedule names a time that does not exist');
  return instant;
}
