import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { stateKey } from '../core/keys.ts';

/** As long as the alert itself: afterwards nobody can ask about it. */
const EVENT_LOG_TTL_SECONDS = 30 * 24 * 3600;

/** An event that is edited a thousand times must not grow without end; the beginning says most. */
const STEPS_MAX = 100;

/** What can become of an event on its way to people. */
export const eventLogSteps = [
  'taken',
  'repeated',
  'routed',
  'skipped',
  'muted',
  'held',
  'grouped',
  'queued',
  'posted',
  'redirected',
  'refused',
  'edited',
] as const;

const EventLogStep = z.strictObject({
  step: z.enum(eventLogSteps),
  /** UTC ISO 8601. */
  at: z.string(),
  /** Slack channel that it is about; null when it is about none. */
  channel: z.string().nullable(),
  /**
   * One plain sentence for people: what was decided, and why. Never card data. People, channels and times stand in it
   * as `<@U…>`, `<#C…>` and ISO 8601.
   */
  text: z.string(),
});
export type EventLogStep = z.infer<typeof EventLogStep>;

/** The way of each event through dedupe, routing, mutes, grouping and delivery: what `/card why` tells. */
export interface EventLog {
  /** Adds steps. The same step said again in the same words counts once: jobs may run twice. */
  note(eventId: string, ...steps: readonly Omit<EventLogStep, 'at'>[]): Promise<void>;
  /** Remembers the newest event of an account. */
  setLatest(acctId: number, eventId: string): Promise<void>;
  /** Null: none in the last 30 days. */
  latest(acctId: number): Promise<string | null>;
  /** Oldest first; empty when the event is unknown or too old. */
  read(eventId: string): Promise<EventLogStep[]>;
}

export function createEventLog(redis: Redis | Cluster, now: () => Date = () => new Date()): EventLog {
  const keyOf = (eventId: string): string => stateKey(`event-log:${eventId}`);
  const latestKey = (acctId: number): string => stateKey(`latest:${acctId}`);
  return {
    async note(eventId, ...steps) {
      const key = keyOf(eventId);
      if ((await redis.hlen(key)) >= STEPS_MAX) return;
      const at = now().toISOString().slice(0, -1);
      const writing = redis.multi();
      // Steps of one moment keep their order: a hash has none.
      for (const [index, { step, channel, text }] of steps.entries()) {
        const order = String(Math.min(index, 999)).padStart(3, '0');
        writing.hsetnx(key, JSON.stringify([step, channel, text]), `${at}${order}Z`);
      }
      await writing.expire(key, EVENT_LOG_TTL_SECONDS).exec();
    },
    async setLatest(acctId, eventId) {
      await redis.set(latestKey(acctId), eventId, 'EX', EVENT_LOG_TTL_SECONDS);
    },
    latest: (acctId) => redis.get(latestKey(acctId)),
    async read(eventId) {
      const fields = Object.entries(await redis.hgetall(keyOf(eventId)));
      return fields
        .map(([field, at]) => {
          const [step, channel, text] = JSON.parse(field) as unknown[];
          return EventLogStep.parse({ step, channel, text, at });
        })
        .toSorted((one, other) => one.at.localeCompare(other.at));
    },
  };
}
