import { z } from 'zod';
import { batchedBy } from '../core/batched.ts';
import { stateKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { ALERT_TTL_SECONDS } from './alert.ts';

/** Later steps are dropped: the first ones are the most informative. */
export const STEPS_MAX = 100;

/** Everything that can happen to an event on its way to its readers. Stored by index, so append new steps at the end. */
const eventLogSteps = ['routed', 'skipped', 'muted', 'held', 'grouped', 'posted', 'redirected', 'refused'] as const;

const EventLogStep = z.strictObject({
  step: z.enum(eventLogSteps),
  /** UTC ISO 8601. */
  at: z.string(),
  /** Slack channel id; null when the step concerns no channel. */
  channel: z.string().nullable(),
  /**
   * One plain sentence: the decision and its reason. Never card data. Users, channels and times are written as `<@U…>`,
   * `<#C…>` and ISO 8601.
   */
  text: z.string(),
});
export type EventLogStep = z.infer<typeof EventLogStep>;

/** The history of each event through deduplication, routing, mutes, grouping and delivery, for `/card why`. */
export type EventLog = ReturnType<typeof createEventLog>;

/** How the text of a step begins when an alert was posted together with others. */
export const POSTED_WITH = 'Posted in one message with ';

/**
 * Frequent phrases, stored by index, so append new ones at the end. Redis stores a hash compactly while none of its names
 * and values exceeds 64 bytes.
 */
const phrases = [
  'Because it is the default channel for ',
  POSTED_WITH,
  'Posted.',
  'The same card, merchant, place, reason and amount: repeats are counted in one message, that of ',
  'The card is blocked: declines that follow are counted in one message, that of ',
];
const FIRST_MARK = 1;

/** Prefix of the log's fields within the alert's hash. */
export const LOG = 'log:';

export type Step = Omit<EventLogStep, 'at'>;

/** A step as a field of the alert's hash, and its value, for a script that also writes other fields of the alert. */
export function logFieldOf(step: Step, at: Date): [field: string, micros: string] {
  return [logFieldName(step), microsOf(at, 0)];
}

/** A hash has no order, so the digits after the milliseconds keep the order of steps that are added together. */
export function microsOf(at: Date, index: number): string {
  return `${at.getTime()}${String(Math.min(index, 999)).padStart(3, '0')}`;
}

/** A step's field in the hash of its alert. Example: `log:3C1 Because.`, with one mark per phrase. */
export function logFieldName({ step, channel, text }: Step): string {
  const short = phrases.reduce(
    (all, phrase, index) => all.replaceAll(phrase, String.fromCharCode(FIRST_MARK + index)),
    text,
  );
  return `${LOG}${eventLogSteps.indexOf(step).toString(36)}${channel ?? ''} ${short}`;
}

/** @param micros time in microseconds. The last three digits only keep the order. */
function readStep(field: string, micros: string): EventLogStep {
  const [head = ''] = field.split(' ', 1);
  const text = phrases.reduce(
    (all, phrase, index) => all.replaceAll(String.fromCharCode(FIRST_MARK + index), phrase),
    field.slice(head.length + 1),
  );
  const step = eventLogSteps[Number.parseInt(head.charAt(LOG.length), 36)];
  const millis = new Date(Number(micros.slice(0, -3))).toISOString().slice(0, -1);
  return EventLogStep.parse({
    step,
    channel: head.slice(LOG.length + 1) || null,
    text,
    at: `${millis}${micros.slice(-3)}Z`,
  });
}

const noteSource = readScript(new URL('./note-steps.lua', import.meta.url));

// Stored in the alert's hash, which has the same TTL. A separate key would double the memory.
export const alertKey = (alertId: string): string => stateKey(`alert:${alertId}`);
export const newestEventKey = (acctId: number): string => stateKey(`latest:${acctId}`);

export function createEventLog(redis: RedisClient, now: () => Date) {
  const script = defineScript(redis, noteSource);
  /** Most events that arrive together get the same steps. */
  const noteTogether = batchedBy(
    ({ fields }: { readonly eventId: string; readonly fields: readonly string[] }) => fields.join('\n'),
    async (all) => {
      const at = now();
      const args = all[0].fields.flatMap((field, index) => [field, microsOf(at, index)]);
      const keys = all.map(({ eventId }) => alertKey(eventId));
      await script.run(keys, [STEPS_MAX, LOG, ALERT_TTL_SECONDS, ...args]);
      return all.map(() => null);
    },
  );
  return {
    /** Adds steps to the log of an event. Steps with the same words are added once, because jobs may run twice. */
    async note(eventId: string, ...steps: readonly Step[]): Promise<void> {
      await noteTogether({ eventId, fields: steps.map(logFieldName) });
    },
    /** The newest event of an account. Null when there was none in the last 30 days. */
    latest: (acctId: number) => redis.get(newestEventKey(acctId)),
    /** Oldest first; empty when the event is unknown or too old. */
    async read(eventId: string): Promise<EventLogStep[]> {
      const fields = Object.entries(await redis.hgetall(alertKey(eventId)));
      return fields
        .filter(([field]) => field.startsWith(LOG))
        .map(([field, micros]) => readStep(field, micros))
        .toSorted((a, b) => a.at.localeCompare(b.at));
    },
  };
}
