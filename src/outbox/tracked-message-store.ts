import { z } from 'zod';
import { ALERT_TTL_SECONDS } from '../alerts/alert.ts';
import { alertKey, type EventLogStep, logFieldOf } from '../alerts/event-log.ts';
import { chunksOf } from '../core/chunks.ts';
import { stateKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { fromStored } from '../core/unknown-fields.ts';
import type { MessageRef } from '../slack/message.ts';

const subjectKinds = ['alert', 'request', 'temporary-change', 'claim', 'recovery'] as const;

/** A subject whose messages show its current state. */
export const Subject = z.strictObject({ kind: z.enum(subjectKinds), id: z.string() });
export type Subject = z.infer<typeof Subject>;

/** A message that shows a subject, and its audience. */
const Reference = z.strictObject({
  channel: z.string(),
  ts: z.string(),
  audience: z.enum(['team', 'holder']),
  /** Our own name of its thread; null: none. */
  threadId: z.string().nullable().default(null),
});
export type Reference = z.infer<typeof Reference>;

/** What the event log says about a posted message. */
type PostedStep = Pick<EventLogStep, 'step' | 'text'>;

interface Shown extends Pick<Reference, 'audience' | 'threadId'> {
  readonly subject: Subject;
}

export function subjectKey({ kind, id }: Subject): string {
  return `${kind}:${id}`;
}

export function readSubject(key: string): Subject {
  const [kind, ...id] = key.split(':');
  return Subject.parse({ kind, id: id.join(':') });
}

const DAY_SECONDS = 24 * 3600;

/** As long as the subject is stored: a temporary change up to a year plus a month. */
const ttlSeconds: Readonly<Record<Subject['kind'], number>> = {
  alert: ALERT_TTL_SECONDS,
  request: 30 * DAY_SECONDS,
  claim: 30 * DAY_SECONDS,
  recovery: 30 * DAY_SECONDS,
  'temporary-change': 396 * DAY_SECONDS,
};

/** An alert's messages are stored with the alert. A separate key would double the memory. */
const keyOf = ({ kind, id }: Subject): string => (kind === 'alert' ? alertKey(id) : stateKey(`messages:${kind}:${id}`));

/** The line for a subject of a message. Alerts, the most frequent, use only their id. */
function shortKey(subject: Subject): string {
  return subject.kind === 'alert' ? subject.id : subjectKey(subject);
}

/** Marks a line that removes a subject; alone in a line: the message is gone. Lines are only appended, so that changes cannot overwrite each other. */
const FORGOTTEN = '-';

const atKey = (channel: string, ts: string): string => stateKey(`messages-at:${channel}:${ts}`);
const fieldOf = ({ channel, ts }: MessageRef): string => `ref:${channel}:${ts}`;

/** Channel and timestamp are in the field name. */
function writeReference({ audience, threadId }: Pick<Reference, 'audience' | 'threadId'>): string {
  if (audience === 'team' && threadId === null) return '';
  return JSON.stringify({ audience, threadId });
}

function readReference(field: string, text: string): Reference {
  const [, channel = '', ts = ''] = field.split(':');
  const rest = text === '' ? { audience: 'team' } : JSON.parse(text);
  return fromStored(Reference, { ...rest, channel, ts });
}

function subjectsIn(lines: string): Subject[] {
  const keys = new Set<string>();
  for (const line of lines.split('\n')) {
    if (line.startsWith(FORGOTTEN)) keys.delete(line.slice(FORGOTTEN.length));
    else if (line !== '') keys.add(line);
  }
  return [...keys].map((key) => (key.includes(':') ? readSubject(key) : { kind: 'alert', id: key }));
}

const addSource = readScript(new URL('./add-message.lua', import.meta.url));
const updatesSource = readScript(new URL('./read-updates.lua', import.meta.url));
/** Keeps one command from blocking Redis for long during a burst. */
const READ_AT_ONCE = 500;

/** The messages that show each subject, and how often they were updated. */
export type TrackedMessages = ReturnType<typeof createTrackedMessages>;

export function createTrackedMessages(redis: RedisClient, now: () => Date) {
  const addScript = defineScript(redis, addSource);
  const updatesScript = defineScript(redis, updatesSource);
  const at = async (channel: string, ts: string): Promise<Subject[]> =>
    subjectsIn((await redis.get(atKey(channel, ts))) ?? '');
  return {
    /** Empty until a message is posted. */
    async references(subject: Subject): Promise<Reference[]> {
      const fields = Object.entries(await redis.hgetall(keyOf(subject)));
      return fields.filter(([field]) => field.startsWith('ref:')).map(([field, text]) => readReference(field, text));
    },
    /**
     * How often the messages of each subject were updated, in the given order. Read this before rendering: if the number is
     * higher when the message is added, the message is outdated.
     */
    async revisions(subjects: readonly Subject[]): Promise<number[]> {
      const revisions: number[] = [];
      for (const keys of chunksOf(subjects.map(keyOf), READ_AT_ONCE))
        revisions.push(...((await updatesScript.run(keys, [])) as string[]).map(Number));
      return revisions;
    },
    /** Call before updating its messages. */
    async countUpdate(subject: Subject): Promise<void> {
      const key = keyOf(subject);
      await redis.multi().hincrby(key, 'updates', 1).expire(key, ttlSeconds[subject.kind]).exec();
    },
    /**
     * Records a posted message and what it shows. One script also adds the step to the event logs of its alerts.
     *
     * @returns the revisions of the subjects, in the given order.
     */
    async add({ channel, ts }: MessageRef, shown: readonly Shown[], step: PostedStep | null = null): Promise<number[]> {
      const lines = shown.map(({ subject }) => `${shortKey(subject)}\n`).join('');
      const lasts = Math.max(...shown.map(({ subject }) => ttlSeconds[subject.kind]));
      const references = shown.map(writeReference);
      const keys = [atKey(channel, ts), ...shown.map(({ subject }) => keyOf(subject))];
      const isLogged = step !== null && shown.every(({ subject }) => subject.kind === 'alert');
      const log = isLogged ? logFieldOf({ ...step, channel }, now()) : ['', ''];
      const args = [lasts, lines, fieldOf({ channel, ts }), ...log, ...(references.some(Boolean) ? references : [])];
      const updates = await addScript.run(keys, args);
      return (updates as string[]).map(Number);
    },
    /**
     * Adds a message in which someone pressed a button: it exists even if it was never recorded. Skips direct messages,
     * because only the record knows their audience, and messages that are gone: an action may end long after the click.
     */
    async addSeen(subject: Subject, { channel, ts }: MessageRef): Promise<void> {
      if (channel.startsWith('D')) return;
      const [key, shownKey] = [keyOf(subject), atKey(channel, ts)];
      const reference: Reference = { channel, ts, audience: 'team', threadId: null };
      const lines = ((await redis.get(shownKey)) ?? '').split('\n');
      if (lines.includes(FORGOTTEN)) return;
      await redis
        .multi()
        .hsetnx(key, fieldOf(reference), writeReference(reference))
        .expire(key, ttlSeconds[subject.kind])
        // Without it, `forget` would not know what the message shows.
        .append(shownKey, lines.includes(shortKey(subject)) ? '' : `${shortKey(subject)}\n`)
        .expire(shownKey, ttlSeconds[subject.kind])
        .exec();
    },
    /** The message is gone: it no longer shows these subjects, or any when none are given. */
    async forget(ref: MessageRef, given?: readonly Subject[]): Promise<void> {
      const subjects = given ?? (await at(ref.channel, ref.ts));
      const key = atKey(ref.channel, ref.ts);
      // First, for clicks whose action ends while this runs.
      await redis.multi().append(key, `${FORGOTTEN}\n`).expire(key, ALERT_TTL_SECONDS).exec();
      for (const subject of subjects) {
        await redis.hdel(keyOf(subject), fieldOf(ref));
        const line = `${FORGOTTEN}${shortKey(subject)}\n`;
        await redis.multi().append(key, line).expire(key, ttlSeconds[subject.kind]).exec();
      }
    },
    /** The subjects that a message shows. */
    at,
    /** The ids of the alerts that a message shows. */
    alertsAt: async (channel: string, ts: string): Promise<string[]> =>
      (await at(channel, ts)).flatMap(({ kind, id }) => (kind === 'alert' ? [id] : [])),
  };
}
