import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { weekdayNames } from '../core/calendar-words.ts';
import { stateKey } from '../core/keys.ts';
import { createRecordHash } from '../core/record-store.ts';
import { toInstant, toWallClock } from '../core/service-time.ts';

/** When a channel gets its digest: a wall-clock time in a time zone, daylight saving included. */
export const DigestSchedule = z.strictObject({
  channel: z.string(),
  /** Null: every day. 0 is Sunday. */
  weekday: z.int().min(0).max(6).nullable(),
  hour: z.int().min(0).max(23),
  minute: z.int().min(0).max(59),
  zone: z.string(),
  /** Slack user id of the author. */
  by: z.string(),
  /** When it was set, UTC ISO 8601. */
  at: z.string(),
});
export type DigestSchedule = z.infer<typeof DigestSchedule>;

export type DigestKind = 'daily' | 'weekly';

/** A channel can have a daily and a weekly digest side by side. */
export function kindOf({ weekday }: Pick<DigestSchedule, 'weekday'>): DigestKind {
  return weekday === null ? 'daily' : 'weekly';
}

export type Digests = ReturnType<typeof createDigests>;

/** The schedules of all channels. They stay until somebody removes them. */
export function createDigests(redis: Redis | Cluster) {
  const store = createRecordHash({ redis, schema: DigestSchedule, key: stateKey('digests') });
  const idOf = (channel: string, kind: DigestKind): string => `${channel}:${kind}`;
  return {
    /** Replaces the channel's schedule of the same kind. */
    set: (schedule: DigestSchedule): Promise<void> => store.put(idOf(schedule.channel, kindOf(schedule)), schedule),
    get: (channel: string, kind: DigestKind): Promise<DigestSchedule | null> => store.get(idOf(channel, kind)),
    async ofChannel(channel: string): Promise<DigestSchedule[]> {
      const both = await Promise.all([store.get(idOf(channel, 'daily')), store.get(idOf(channel, 'weekly'))]);
      return both.filter((schedule) => schedule !== null);
    },
    remove: (channel: string, kind: DigestKind): Promise<void> => store.delete(idOf(channel, kind)),
    all: store.all,
  };
}

/** `digest weekly on Monday at 09:00 America/Chicago`, for the audit record. */
export function scheduleWords({ weekday, hour, minute, zone }: DigestSchedule): string {
  const day = weekday === null ? 'daily' : `weekly on ${weekdayNames[weekday] ?? ''}`;
  return `digest ${day} at ${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')} ${zone}`;
}

type When = Pick<DigestSchedule, 'weekday' | 'hour' | 'minute' | 'zone'>;

const DAY_MS = 86_400_000;

/** The stretch of time that a digest covers. */
export interface DigestPeriod {
  readonly fromMs: number;
  readonly toMs: number;
  /** Local date on which the digest is due, `2026-11-20`: unique for a schedule. */
  readonly date: string;
}

/** The latest period that has ended by `now`. */
export function periodBefore(when: When, now: Date): DigestPeriod {
  const step = stepOf(when);
  // Starts one date ahead: a clock that is set back may reach a date twice.
  let date = shift(toWallClock(now, when.zone).slice(0, 10), 1);
  while (!fits(when, date)) date = shift(date, -1);
  while (dueOn(when, date) > now.getTime()) date = shift(date, -step);
  return { fromMs: dueOn(when, shift(date, -step)), toMs: dueOn(when, date), date };
}

/** The period just before another one. */
export function periodBeforeThat(when: When, { date, fromMs }: DigestPeriod): DigestPeriod {
  const before = shift(date, -stepOf(when));
  return { fromMs: dueOn(when, shift(before, -stepOf(when))), toMs: fromMs, date: before };
}

/** When the next digest is due, in milliseconds. */
export function nextDue(when: When, now: Date): number {
  return dueOn(when, shift(periodBefore(when, now).date, stepOf(when)));
}

/** For BullMQ's schedulers, together with the zone. */
export function cronPattern({ weekday, hour, minute }: When): string {
  return `${minute} ${hour} * * ${weekday ?? '*'}`;
}

/** Days from one digest to the next. */
function stepOf({ weekday }: When): number {
  return weekday === null ? 1 : 7;
}

function fits({ weekday }: When, date: string): boolean {
  return weekday === null || new Date(`${date}T00:00:00Z`).getUTCDay() === weekday;
}

/** Reads an hour that spring skips as if the clock had not moved; of an hour that comes twice, takes the second. */
function dueOn({ hour, minute, zone }: When, date: string): number {
  const two = (part: number): string => String(part).padStart(2, '0');
  const instant = toInstant(`${date}T${two(hour)}:${two(minute)}:00`, zone);
  if (instant === null) throw new Error('a digest schedule names a time that does not exist');
  return Date.parse(instant);
}

function shift(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}
