import { randomBytes } from 'node:crypto';
import type { Cluster, Redis } from 'ioredis';
import type { z } from 'zod';
import { outboxKey, stateKey } from '../core/keys.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { maxWaitMs, OutboxEntry, Sending } from './entry.ts';

/** How long we know that something was posted: longer than any retry of it can come. */
const SENT_TTL_SECONDS = 8 * 24 * 3600;

/** An entry that may be posted now. */
export interface Waiting {
  readonly entry: OutboxEntry;
  /** Milliseconds since it came; of a held one, since its time came. */
  readonly ageMs: number;
  /** With how many at most it may share a message, because Slack refused a larger one; null: any number. */
  readonly most: number | null;
}

export interface Look {
  /** Somebody posted, or tried to, and did not write down how it ended. Nothing can be claimed before it is settled. */
  readonly unsettled: {
    readonly sending: Sending;
    readonly entries: readonly OutboxEntry[];
    /** Milliseconds since it was claimed. */
    readonly ageMs: number;
  } | null;
  /** What may be posted now, most urgent first. */
  readonly waiting: readonly Waiting[];
  /** Milliseconds until the next held entry may go out; null when none is held. */
  readonly heldForMs: number | null;
}

/** An entry that quiet hours hold, and until when (ms). */
export interface Held {
  readonly entry: OutboxEntry;
  readonly untilMs: number;
}

export interface Outbox {
  /**
   * Adds an entry unless it waits already or was posted. Safe to repeat. `notBefore` (ms) holds it until then; one that is
   * held is let go when it is put again without.
   */
  put(channel: string, entry: z.input<typeof OutboxEntry>): Promise<boolean>;
  /** Lets go what quiet hours hold. @returns how many entries. */
  releaseHeld(channel: string): Promise<number>;
  /** What quiet hours hold, soonest first, but for what they hold until `exceptUntilMs`. */
  held(channel: string, exceptUntilMs?: number | null): Promise<Held[]>;
  /** Holds an entry that is held until another time (ms); 0 lets it go. Nothing where it is not held any more. */
  holdUntil(channel: string, entryId: string, untilMs: number): Promise<void>;
  look(channel: string, max: number): Promise<Look>;
  /**
   * Takes these entries as one message; null when somebody else was quicker. Nothing else can be claimed until it is
   * settled.
   */
  claim(channel: string, entryIds: readonly string[]): Promise<Sending | null>;
  /** The message stands at `ts`. */
  settleSent(channel: string, ref: string, ts: string): Promise<void>;
  /** It was not posted: the entries wait again, each to share a message with `most` others at most. */
  settleUnsent(channel: string, ref: string, most?: number): Promise<void>;
  /** It can never be posted here: the entries leave this channel. */
  settleDropped(channel: string, ref: string): Promise<void>;
  /** How often this was called for an entry, now included. */
  countTry(channel: string, entryId: string): Promise<number>;
  /** Milliseconds until the channel may be posted to again; 0 when it may now. */
  pauseLeft(channel: string): Promise<number>;
  pauseFor(channel: string, ms: number): Promise<void>;
  /** Channels that may have something waiting. */
  channels(): Promise<string[]>;
  /** How many entries may be posted now. */
  waiting(channel: string): Promise<number>;
}

/** What was held waits on as long as the least urgent that people want to see: quiet hours are over, nothing burns. */
const HELD_PATIENCE_MS = maxWaitMs.spend;

/**
 * Their keys: the queue (sorted by place), the entries (id → JSON, and `since:` id → when it came), the sending, what is
 * held (sorted by when its time comes), and `most` (id → how many may share a message).
 *
 * Times are Redis' own: the clocks of workers differ. With a clock an hour fast an entry would wait behind all others, and
 * a message on its way would look abandoned.
 */
const scripts = {
  put: readScript(new URL('./put.lua', import.meta.url)),
  look: readScript(new URL('./look.lua', import.meta.url)),
  release: readScript(new URL('./release.lua', import.meta.url)),
  claim: readScript(new URL('./claim.lua', import.meta.url)),
  settle: readScript(new URL('./settle.lua', import.meta.url)),
};

const channelsKey = stateKey('outbox-channels');

/** One queue of messages for each channel, with the memory of what was posted. All keys of a channel share a slot. */
export function createOutbox(redis: Redis | Cluster): Outbox {
  const put = defineScript(redis, scripts.put);
  const release = defineScript(redis, scripts.release);
  const look = defineScript(redis, scripts.look);
  const claim = defineScript(redis, scripts.claim);
  const settle = defineScript(redis, scripts.settle);
  const keysOf = (channel: string): string[] =>
    ['queue', 'entries', 'sending', 'held', 'most'].map((name) => outboxKey(channel, name));
  const resolveAs = async (channel: string, ref: string, how: 'sent' | 'unsent' | 'dropped', what: string | number) => {
    await settle.run(keysOf(channel), [ref, how, what, SENT_TTL_SECONDS, outboxKey(channel, 'sent:')]);
  };

  return {
    async put(channel, given) {
      const entry = OutboxEntry.parse(given);
      // First, so that a sweep finds the channel even if we stop between the two.
      await redis.sadd(channelsKey, channel);
      const keys = [...keysOf(channel), outboxKey(channel, `sent:${entry.id}`)];
      const args = [entry.id, JSON.stringify(entry), maxWaitMs[entry.priority], Math.ceil(entry.notBefore ?? 0)];
      return (await put.run(keys, args)) === 1;
    },
    releaseHeld: async (channel) => Number(await release.run(keysOf(channel), [])),
    async held(channel, exceptUntilMs) {
      const [, entriesKey = '', , heldKey = ''] = keysOf(channel);
      const found = await redis.zrange(heldKey, '0', '-1', 'WITHSCORES');
      const held: Held[] = [];
      for (let at = 0; at + 1 < found.length; at += 2) {
        const untilMs = Number(found[at + 1]);
        if (untilMs === exceptUntilMs) continue;
        const text = await redis.hget(entriesKey, found[at] ?? '');
        if (text !== null) held.push({ entry: OutboxEntry.parse(JSON.parse(text)), untilMs });
      }
      return held;
    },
    async holdUntil(channel, entryId, untilMs) {
      await redis.zadd(outboxKey(channel, 'held'), 'XX', untilMs, entryId);
    },
    async look(channel, max) {
      const answer = (await look.run(keysOf(channel), [max, HELD_PATIENCE_MS])) as (string | number)[];
      const [now, text, heldUntil, ...rest] = answer;
      const age = (since: unknown): number => Math.max(0, Number(now) - Number(since));
      const found: Waiting[] = [];
      for (let at = 0; at + 2 < rest.length; at += 3) {
        if (rest[at] === '') continue;
        const entry = OutboxEntry.parse(JSON.parse(String(rest[at])));
        const most = rest[at + 2];
        found.push({ entry, ageMs: age(rest[at + 1]), most: most === '' ? null : Number(most) });
      }
      const heldForMs = heldUntil === '' ? null : Math.max(1, Number(heldUntil) - Number(now));
      if (text === '') return { unsettled: null, waiting: found, heldForMs };
      const sending = Sending.parse(JSON.parse(String(text)));
      const entries = found.map(({ entry }) => entry);
      return { unsettled: { sending, entries, ageMs: age(sending.startedAt) }, waiting: [], heldForMs };
    },
    async claim(channel, entryIds) {
      const ref = `m_${randomBytes(9).toString('base64url')}`;
      const text = await claim.run(keysOf(channel), [ref, ...entryIds]);
      return typeof text === 'string' ? Sending.parse(JSON.parse(text)) : null;
    },
    settleSent: (channel, ref, ts) => resolveAs(channel, ref, 'sent', ts),
    settleUnsent: (channel, ref, most) => resolveAs(channel, ref, 'unsent', most ?? ''),
    settleDropped: (channel, ref) => resolveAs(channel, ref, 'dropped', ''),
    async countTry(channel, entryId) {
      const key = outboxKey(channel, `tries:${entryId}`);
      const tries = await redis.incr(key);
      await redis.expire(key, SENT_TTL_SECONDS);
      return tries;
    },
    async pauseLeft(channel) {
      return Math.max(0, await redis.pttl(outboxKey(channel, 'paused')));
    },
    async pauseFor(channel, ms) {
      await redis.set(outboxKey(channel, 'paused'), '1', 'PX', Math.max(1, Math.ceil(ms)));
    },
    channels: () => redis.smembers(channelsKey),
    async waiting(channel) {
      // What was held until now joins the queue.
      await this.look(channel, 1);
      return await redis.zcard(outboxKey(channel, 'queue'));
    },
  };
}
