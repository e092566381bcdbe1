import { z } from 'zod';
import { batched, batchedBy } from '../core/batched.ts';
import { stateKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';

/** As long as the alert itself. */
const EVENT_LOG_TTL_SECONDS = 30 * 24 * 3600;

/** Later steps are dropped: the first ones say most. */
const STEPS_MAX = 100;

/** What can happen to an event on its way to its readers. Stored by their places: new ones go to the end. */
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

/**
 * What many steps say, stored by its place: new ones go to the end. A hash stays small while none of its names and values is
 * longer than 64 bytes.
 */
const phrases = [
  'Because it is the default channel for ',
  'Posted in one message with ',
  'Posted.',
  'The same card, merchant, place, reason and amount: repeats are counted in one message, that of ',
  'The card is blocked: declines that follow are counted in one message, that of ',
];
const FIRST_MARK = 1;

/** `log:3C1 Because.`, with marks in place of phrases. */
function fieldOf({ step, channel, text }: Omit<EventLogStep, 'at'>): string {
  const short = phrases.reduce(
    (all, phrase, index) => all.replaceAll(phrase, String.fromCharCode(FIRST_MARK + index)),
    text,
  );
  return `${LOG}${eventLogSteps.indexOf(step).toString(36)}${channel ?? ''} ${short}`;
}

/** @param micros when it was: microseconds, of which the last three only keep the order. */
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

/** What the names of its fields begin with, among those of the alert. */
const LOG = 'log:';

const latestSource = readScript(new URL('./set-latest.lua', import.meta.url));
const noteSource = readScript(new URL('./note-steps.lua', import.meta.url));

/** Steps of some events on their way into Redis. */
interface Noted {
  readonly eventIds: readonly string[];
  readonly fields: readonly string[];
}

export function createEventLog(redis: RedisClient, now: () => Date = () => new Date()): EventLog {
  const script = defineScript(redis, noteSource);
  const latestScript = defineScript(redis, latestSource);
  // With the alert, which is there for as long: a key of its own would take as much again.
  const keyOf = (eventId: string): string => stateKey(`alert:${eventId}`);
  const latestKey = (acctId: number): string => stateKey(`latest:${acctId}`);
  const setLatest = batched(async (all: readonly { readonly acctId: number; readonly eventId: string }[]) => {
    const keys = all.map(({ acctId }) => latestKey(acctId));
    await latestScript.run(keys, [EVENT_LOG_TTL_SECONDS, ...all.map(({ eventId }) => eventId)]);
    return all.map(() => null);
  });
  /** Of most events that come together the same is to be said. */
  const noteTogether = batchedBy(
    ({ fields }: Noted) => fields.join('\n'),
    async (all) => {
      const at = now().getTime();
      // A hash has no order, so the digits behind the milliseconds keep the order of the steps.
      const args = all[0].fields.flatMap((field, index) => [
        field,
        `${at}${String(Math.min(index, 999)).padStart(3, '0')}`,
      ]);
      const keys = all.flatMap(({ eventIds }) => eventIds.map(keyOf));
      await script.run(keys, [STEPS_MAX, LOG, EVENT_LOG_TTL_SECONDS, ...args]);
      return all.map(() => null);
    },
  );
  return {
    async note(eventIds, ...steps) {
      if (eventIds.length > 0) await noteTogether({ eventIds: [eventIds].flat(), fields: steps.map(fieldOf) });
    },
    async setLatest(acctId, eventId) {
      await setLatest({ acctId, eventId });
    },
    latest: (acctId) => redis.get(latestKey(acctId)),
    async read(eventId) {
      const fields = Object.entries(await redis.hgetall(keyOf(eventId)));
      return fields
        .filter(([field]) => field.startsWith(LOG))
        .map(([field, micros]) => readStep(field, micros))
        .toSorted((a, b) => a.at.localeCompare(b.at));
    },
  };
}
