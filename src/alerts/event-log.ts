import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { stateKey } from '../core/keys.ts';
import { defineScript, readScript } from '../core/redis-script.ts';

/** As long as the alert itself. */
const EVENT_LOG_TTL_SECONDS = 30 * 24 * 3600;

/** Later steps are dropped: the first ones say most. */
const STEPS_MAX = 100;

/** What can happen to an event on its way to its readers. */
const eventLogSteps = [
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
  /** Slack channel id; null when the step is about no channel. */
  channel: z.string().nullable(),
  /**
   * One plain sentence: what was decided, and why. Never card data. Users, channels and times are written as `<@U…>`,
   * `<#C…>` and ISO 8601.
   */
  text: z.string(),
});
export type EventLogStep = z.infer<typeof EventLogStep>;

/** What happened to each event in deduplication, routing, mutes, grouping and delivery, for `/card why`. */
export interface EventLog {
  /** Adds steps to the logs of these events. A step with the same words is added once, because jobs may run twice. */
  note(eventIds: string | readonly string[], ...steps: readonly Omit<EventLogStep, 'at'>[]): Promise<void>;
  /** Sets the newest event of an account. */
  setLatest(acctId: number, eventId: string): Promise<void>;
  /** Null when there was none in the last 30 days. */
  latest(acctId: number): Promise<string | null>;
  /** Oldest first; empty when the event is unknown or too old. */
  read(eventId: string): Promise<EventLogStep[]>;
}

const noteSource = readScript(new URL('./note-steps.lua', import.meta.url));

export function createEventLog(redis: Redis | Cluster, now: () => Date = () => new Date()): EventLog {
  const script = defineScript(redis, noteSource);
  const keyOf = (eventId: string): string => stateKey(`event-log:${eventId}`);
  const latestKey = (acctId: number): string => stateKey(`latest:${acctId}`);
  return {
    async note(eventIds, ...steps) {
      if (eventIds.length === 0) return;
      const at = now().toISOString().slice(0, -1);
      // A hash has no order, so the digits behind the milliseconds keep the order of the steps.
      const fields = steps.flatMap(({ step, channel, text }, index) => {
        const order = String(Math.min(index, 999)).padStart(3, '0');
        return [JSON.stringify([step, channel, text]), `${at}${order}Z`];
      });
      await script.run([eventIds].flat().map(keyOf), [STEPS_MAX, EVENT_LOG_TTL_SECONDS, ...fields]);
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
        .toSorted((a, b) => a.at.localeCompare(b.at));
    },
  };
}
