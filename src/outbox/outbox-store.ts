import type { z } from 'zod';
import { batchedBy } from '../core/batched.ts';
import { contentId } from '../core/content-id.ts';
import { outboxKey, stateKey } from '../core/keys.ts';
import { recordFormat } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { currentTrace } from '../core/trace.ts';
import { toStored } from '../core/unknown-fields.ts';
import { entryOf, forAnotherChannel, maxWaitMs, OutboxEntry, Sending, type UnreadableEntry } from './entry.ts';

/** Longer than anything can be put again: a job that failed is kept for 14 days, and may be run again on the last one. */
const SENT_TTL_SECONDS = 15 * 24 * 3600;

/** Held entries that are due wait as long as the least urgent alert: quiet hours are over, and nothing is burning. */
const HELD_WAIT_MS = maxWaitMs.spend;

/** An entry that may be posted now. */
export interface Waiting {
  readonly entry: OutboxEntry;
  /** Milliseconds since it was put; for a held entry, since its time came. */
  readonly ageMs: number;
  /** The largest message that it may be part of, because Slack refused a larger one; null for any size. */
  readonly most: number | null;
}

interface NextEntries {
  /** A message whose sender has not recorded what became of it. Nothing can be claimed until it is resolved. */
  readonly unresolved: {
    readonly sending: Sending;
    readonly entries: readonly OutboxEntry[];
    /** Milliseconds since it was claimed. */
    readonly ageMs: number;
  } | null;
  /** What may be posted now, most urgent first. */
  readonly waiting: readonly Waiting[];
  /** Entries of a newer version: to be set aside, so that they hold up no other. */
  readonly unreadable: readonly UnreadableEntry[];
  /** Milliseconds until the next held entry is due; null when none is held. */
  readonly heldForMs: number | null;
}

/** An entry that quiet hours hold, and until when (ms). */
export interface Held {
  readonly entry: OutboxEntry;
  readonly untilMs: number;
}

/** Entries as they come in, and while quiet hours hold them. */
interface Entries {
  /**
   * Adds an entry unless it is waiting already or was posted. Safe to repeat. `notBefore` (ms) holds it until then; a held
   * entry that is put again without it is released. One that was moved to another channel is put there: Redis may have come
   * back older, and have lost what that channel was to show.
   *
   * @returns false when nothing changed.
   */
  put(channel: string, entry: z.input<typeof OutboxEntry>): Promise<boolean>;
  /** Releases everything that is held. @returns how many entries. */
  releaseHeld(channel: string): Promise<number>;
  /** Held entries, soonest first, without those that are held until `exceptUntilMs`. */
  held(channel: string, exceptUntilMs?: number | null): Promise<Held[]>;
  /** Changes until when an entry is held (ms); 0 releases it. Does nothing when it is not held any more. */
  holdUntil(channel: string, entryId: string, untilMs: number): Promise<void>;
  /** Takes an entry out of the channel, wherever it stands there. */
  remove(channel: string, entryId: string): Promise<void>;
  /** Channels that may have something waiting. */
  channels(): Promise<string[]>;
}

/** Entries as they are posted. A channel has at most one message on its way. */
interface Sendings {
  look(channel: string, max: number): Promise<NextEntries>;
  /** How many entries may be posted now. */
  waiting(channel: string): Promise<number>;
  /**
   * Takes these entries as one message, or takes an unsent message again.
   *
   * @param slackMs the time by Slack's clock; null when it is not known.
   * @returns null when another worker was faster.
   */
  claim(channel: string, entryIds: readonly string[], slackMs: number | null): Promise<Sending | null>;
  /** The message was posted at `ts`, in whichever attempt, also when Redis has forgotten that it was on its way. */
  markSent(channel: string, sending: Sending, ts: string): Promise<void>;
  /** The message has nothing to show here any more: these of its entries were put into another channel. */
  markMoved(
    channel: string,
    sending: Sending,
    moved: { readonly to: string; readonly entryIds: readonly string[] },
  ): Promise<void>;
  /**
   * These of the entries that were moved from here to that channel come back, because it cannot be posted to either: put here,
   * they wait here again. @returns whether there are any.
   */
  takeBack(channel: string, entryIds: readonly string[], from: string): Promise<boolean>;
  /** Where each entry was posted; null when that is not known, '' for a file, `elsewhere` or more where that is not here. */
  sentAt(channel: string, entryIds: readonly string[]): Promise<(string | null)[]>;
  /** Before its entries are put into another channel: whoever takes over after a crash must not post them here. */
  beginRedirect(channel: string, sending: Sending, redirect: NonNullable<Sending['redirect']>): Promise<void>;
  /** It was not posted: its entries wait again, in messages of at most `most` entries. */
  requeue(channel: string, sending: Sending, most?: number): Promise<void>;
  /** It was not found, but may still appear: the same entries have to be posted again, as the same message. */
  keepUnsent(channel: string, sending: Sending): Promise<void>;
  /** There is nothing to post: its entries leave this channel. */
  drop(channel: string, sending: Sending): Promise<void>;
}

/** In place of a timestamp: it is in another channel (`elsewhere:C1`: it was put there), or is posted here in another form. */
export const ELSEWHERE = 'elsewhere';

/** How fast a channel may be posted to. */
interface Pauses {
  /** How often this was called for an entry, including this time. */
  countTry(channel: string, entryId: string): Promise<number>;
  /** Milliseconds until the channel may be posted to again; 0 when it may be now. */
  pauseLeft(channel: string): Promise<number>;
  pauseFor(channel: string, ms: number): Promise<void>;
}

export type Outbox = Entries & Sendings & Pauses;

/**
 * Their keys: the queue (sorted by place), the entries (id → JSON, and `since:` id → when it came), the message on its
 * way, the held entries (sorted by when they are due), and `most` (id → how many may share a message).
 *
 * Times are those of Redis, because the clocks of workers differ. With a clock an hour fast, an entry would wait behind
 * all others, and a message on its way would look abandoned.
 */
const scripts = {
  put: readScript(new URL('./put.lua', import.meta.url)),
  look: readScript(new URL('./look.lua', import.meta.url)),
  remove: readScript(new URL('./remove-entry.lua', import.meta.url)),
  release: readScript(new URL('./release.lua', import.meta.url)),
  claim: readScript(new URL('./claim.lua', import.meta.url)),
  resolve: readScript(new URL('./resolve.lua', import.meta.url)),
  pause: readScript(new URL('./pause.lua', import.meta.url)),
};

const sendingFormat = recordFormat(Sending);
/** By which a message with these entries is found again: opaque, and the same for every attempt. */
export function refOf(channel: string, entryIds: readonly string[]): string {
  return contentId('m_', [channel, ...entryIds.toSorted()]);
}

function keysOf(channel: string): string[] {
  return ['queue', 'entries', 'sending', 'held', 'most'].map((name) => outboxKey(channel, name));
}

/** One queue of messages for each channel, and what was posted from it. All keys of a channel share a slot. */
export function createOutbox(redis: RedisClient): Outbox {
  return { ...createEntries(redis), ...createSendings(redis), ...createPauses(redis) };
}

function createEntries(redis: RedisClient): Entries {
  const put = defineScript(redis, scripts.put);
  const release = defineScript(redis, scripts.release);
  const remove = defineScript(redis, scripts.remove);
  const noteChannel = createNoteChannel(redis);
  const putTogether = batchedBy(
    ({ channel }: { readonly channel: string; readonly entry: OutboxEntry }) => channel,
    async (all) => {
      const [{ channel }] = all;
      // First, so that a sweep finds the channel even after a crash between the two steps.
      await noteChannel(channel);
      const sent = all.map(({ entry }) => outboxKey(channel, `sent:${entry.id}`));
      const args = all.flatMap(({ entry }) => {
        const { id, priority, notBefore } = entry;
        return [id, JSON.stringify(entry), maxWaitMs[priority], Math.ceil(notBefore ?? 0)];
      });
      return (await put.run([...keysOf(channel), ...sent], args)) as (number | string)[];
    },
  );
  return {
    async put(channel, given) {
      const entry = toStored(OutboxEntry, { trace: currentTrace(), ...given });
      let answer = await putTogether({ channel, entry });
      for (const been = new Set([channel]); typeof answer === 'string'; ) {
        const to = answer.slice(`${ELSEWHERE}:`.length);
        if (been.has(to)) return false;
        been.add(to);
        answer = await putTogether({ channel: to, entry: forAnotherChannel(entry) });
      }
      return answer === 1;
    },
    releaseHeld: async (channel) => Number(await release.run(keysOf(channel), [])),
    async held(channel, exceptUntilMs) {
      const flat = await redis.zrange(outboxKey(channel, 'held'), '0', '-1', 'WITHSCORES');
      const held: Held[] = [];
      for (let at = 0; at + 1 < flat.length; at += 2) {
        const untilMs = Number(flat[at + 1]);
        if (untilMs === exceptUntilMs) continue;
        const text = await redis.hget(outboxKey(channel, 'entries'), flat[at] ?? '');
        // One that cannot be read is set aside when its time comes.
        const entry = text === null ? null : entryOf(text);
        if (entry !== null && !('unreadable' in entry)) held.push({ entry, untilMs });
      }
      return held;
    },
    async holdUntil(channel, entryId, untilMs) {
      await redis.zadd(outboxKey(channel, 'held'), 'XX', untilMs, entryId);
    },
    async remove(channel, entryId) {
      await remove.run(keysOf(channel), [entryId]);
    },
    channels: () => redis.smembers(channelsKey),
  };
}

function createSendings(redis: RedisClient): Sendings {
  const lookScript = defineScript(redis, scripts.look);
  const claim = defineScript(redis, scripts.claim);
  const resolve = defineScript(redis, scripts.resolve);
  const resolveAs = async (
    channel: string,
    { ref, attempt, entryIds }: Sending,
    how: 'sent' | 'unsent' | 'again' | 'dropped' | 'redirected',
    what: string | number = '',
    whereOf: (entryId: string) => string = () => '',
  ): Promise<void> => {
    const sent = how === 'sent' ? entryIds : [];
    const keys = [...keysOf(channel), ...sent.map((id) => outboxKey(channel, `sent:${id}`))];
    const where = sent.flatMap((id) => [id, whereOf(id)]);
    await resolve.run(keys, [ref, how, what, attempt, SENT_TTL_SECONDS, ...where]);
  };

  async function look(channel: string, max: number): Promise<NextEntries> {
    const answer = (await lookScript.run(keysOf(channel), [max, HELD_WAIT_MS])) as (string | number)[];
    const [now, text, heldUntil, ...rest] = answer;
    const age = (since: unknown): number => Math.max(0, Number(now) - Number(since));
    const read: Waiting[] = [];
    const unreadable: UnreadableEntry[] = [];
    for (let at = 0; at + 2 < rest.length; at += 3) {
      if (rest[at] === '') continue;
      const most = rest[at + 2];
      const entry = entryOf(String(rest[at]));
      if ('unreadable' in entry) unreadable.push(entry.unreadable);
      else read.push({ entry, ageMs: age(rest[at + 1]), most: most === '' ? null : Number(most) });
    }
    const heldForMs = heldUntil === '' ? null : Math.max(1, Number(heldUntil) - Number(now));
    if (text === '') return { unresolved: null, waiting: read, unreadable, heldForMs };
    const sending = sendingFormat.read(String(text));
    const entries = read.map(({ entry }) => entry);
    return { unresolved: { sending, entries, ageMs: age(sending.startedAt) }, waiting: [], unreadable, heldForMs };
  }

  return {
    look,
    async waiting(channel) {
      // Moves held entries that are due into the queue.
      await look(channel, 1);
      return await redis.zcard(outboxKey(channel, 'queue'));
    },
    async claim(channel, entryIds, slackMs) {
      const args = [refOf(channel, entryIds), slackMs === null ? '' : Math.round(slackMs), ...entryIds];
      const text = await claim.run(keysOf(channel), args);
      return typeof text === 'string' ? sendingFormat.read(text) : null;
    },
    markSent: (channel, sending, ts) => resolveAs(channel, sending, 'sent', '', () => ts),
    markMoved(channel, sending, { to, entryIds }) {
      const moved = new Set(entryIds);
      return resolveAs(channel, sending, 'sent', '', (id) => (moved.has(id) ? `${ELSEWHERE}:${to}` : ELSEWHERE));
    },
    takeBack: createTakeBack(redis),
    sentAt: (channel, entryIds) => redis.mget(entryIds.map((id) => outboxKey(channel, `sent:${id}`))),
    beginRedirect: (channel, sending, redirect) => resolveAs(channel, sending, 'redirected', JSON.stringify(redirect)),
    requeue: (channel, sending, most) => resolveAs(channel, sending, 'unsent', most),
    keepUnsent: (channel, sending) => resolveAs(channel, sending, 'again'),
    drop: (channel, sending) => resolveAs(channel, sending, 'dropped'),
  };
}

function createTakeBack(redis: RedisClient): Sendings['takeBack'] {
  return async (channel, entryIds, from) => {
    const keys = entryIds.map((id) => outboxKey(channel, `sent:${id}`));
    const places = await redis.mget(keys);
    const moved = keys.filter((_key, index) => places[index] === `${ELSEWHERE}:${from}`);
    if (moved.length > 0) await redis.del(moved);
    return moved.length > 0;
  };
}

function createPauses(redis: RedisClient): Pauses {
  const pause = defineScript(redis, scripts.pause);
  const keyOf = (channel: string): string => outboxKey(channel, 'paused');
  return {
    async countTry(channel, entryId) {
      const key = outboxKey(channel, `tries:${entryId}`);
      const tries = await redis.incr(key);
      await redis.expire(key, SENT_TTL_SECONDS);
      return tries;
    },
    pauseLeft: async (channel) => Number(await pause.run([keyOf(channel)], [])),
    async pauseFor(channel, ms) {
      await pause.run([keyOf(channel)], [Math.max(1, Math.ceil(ms))]);
    },
  };
}

/** The channels that may have something waiting. */
export const channelsKey = stateKey('outbox-channels');

/** Notes a channel that may have something waiting. Whoever asks for that while a note is on its way shares it. */
export function createNoteChannel(redis: RedisClient): (channel: string) => Promise<void> {
  const underWay = new Map<string, Promise<unknown>>();
  return async (channel) => {
    const note = underWay.get(channel) ?? redis.sadd(channelsKey, channel).finally(() => underWay.delete(channel));
    underWay.set(channel, note);
    await note;
  };
}
