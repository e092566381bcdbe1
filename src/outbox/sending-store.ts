import { BoundedMap } from '../core/bounded-map.ts';
import { chunksOf } from '../core/chunks.ts';
import { contentId } from '../core/content-id.ts';
import { outboxKey } from '../core/keys.ts';
import { recordFormat } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { HELD_WAIT_MS, type OutboxEntry, parseEntry, Sending, type UnreadableEntry, waitOf } from './entry.ts';

/** Longer than entries can be added again: a failed job is kept for 14 days and may be retried on the last day. */
export const SENT_TTL_SECONDS = 15 * 24 * 3600;

/** An entry that may be posted now. */
export interface Waiting {
  readonly entry: OutboxEntry;
  /** Milliseconds since it was added; for a held entry, since it became due. */
  readonly ageMs: number;
  /** The largest message it may be part of, because Slack refused a larger one; null for any size. */
  readonly most: number | null;
}

/** A message whose sender has not recorded the outcome. */
export interface Unresolved {
  readonly sending: Sending;
  readonly entries: readonly OutboxEntry[];
  /** Milliseconds since it was claimed. */
  readonly ageMs: number;
}

interface NextEntries {
  /** Blocks further claims until it is resolved. */
  readonly unresolved: Unresolved | null;
  /** What may be posted now, most urgent first. */
  readonly waiting: readonly Waiting[];
  /** Entries of a newer version: they are set aside, so that they delay no other entries. */
  readonly unreadable: readonly UnreadableEntry[];
  /** Milliseconds until the next held entry is due; null when none is held. */
  readonly heldForMs: number | null;
}

/** Replaces a timestamp when the entry was posted here in another form, or need not be posted. */
export const ELSEWHERE = 'elsewhere';
/** Replaces a timestamp when the entry was added to another channel. `put.lua` and `resolve.lua` read it. */
export const movedTo = (channel: string): string => `${ELSEWHERE}:${channel}`;

const scripts = {
  look: readScript(new URL('./look.lua', import.meta.url)),
  claim: readScript(new URL('./claim.lua', import.meta.url)),
  resolve: readScript(new URL('./resolve.lua', import.meta.url)),
};

/**
 * Keys of a channel's scripts: the queue (sorted by position), the entries (id → JSON, or the priority of an ordinary
 * alert), the message in flight, the held entries (sorted by due time), and `most` (id → how many entries may share a
 * message).
 *
 * All times are on the clock of Redis, because workers' clocks differ. With a clock an hour fast, an entry would wait
 * behind all others, and a message in flight would seem abandoned.
 */
export function keysOf(channel: string): string[] {
  return ['queue', 'entries', 'sending', 'held', 'most'].map((name) => outboxKey(channel, name));
}

const sendingFormat = recordFormat(Sending);
/** Identifies a message with these entries: opaque, and the same for every attempt. */
export function refOf(channel: string, entryIds: readonly string[]): string {
  return contentId('m_', [channel, ...entryIds.toSorted()]);
}

/** Posting entries. A channel has at most one message in flight; this knows which, and what became of it. */
export function createSendings(redis: RedisClient) {
  const look = createLook(redis);
  const claim = defineScript(redis, scripts.claim);
  const resolve = defineScript(redis, scripts.resolve);
  const resolveAs = async (
    channel: string,
    { ref, attempt, entryIds }: Sending,
    how: 'sent' | 'unsent' | 'again' | 'redirected',
    what: string | number = '',
    where: readonly string[] = [],
  ): Promise<void> => {
    const sent = how === 'sent' ? entryIds : [];
    const keys = [...keysOf(channel), ...sent.map((id) => outboxKey(channel, `sent:${id}`))];
    await resolve.run(keys, [ref, how, what, attempt, SENT_TTL_SECONDS, ...where]);
  };

  return {
    look,
    /** How many entries may be posted now. */
    async waiting(channel: string): Promise<number> {
      // Moves held entries that are due into the queue.
      await look(channel, 1);
      return await redis.zcard(outboxKey(channel, 'queue'));
    },
    /**
     * Until when (ms on the clock of Redis) the most urgent entry may wait to be posted; null: none may be posted now. Also
     * for one that is in flight.
     */
    async dueAt(channel: string): Promise<number | null> {
      const [, position] = await redis.zrange(outboxKey(channel, 'queue'), '0', '0', 'WITHSCORES');
      return position === undefined ? null : Number(position);
    },
    /**
     * Claims these entries as one message, or claims an unsent message again.
     *
     * @param slackMs the time on Slack's clock; null when unknown.
     * @param _entries are added again if Redis loses them together with the claim.
     * @returns null when another worker was faster.
     */
    async claim(
      channel: string,
      entryIds: readonly string[],
      slackMs: number | null,
      _entries?: readonly OutboxEntry[],
    ): Promise<Sending | null> {
      const args = [refOf(channel, entryIds), slackMs === null ? '' : Math.round(slackMs), ...entryIds];
      const text = await claim.run(keysOf(channel), args);
      return typeof text === 'string' ? sendingFormat.read(text) : null;
    },
    ...createWhereabouts(redis),
    /** The message was posted at `ts`, in any attempt. Recorded even if Redis has forgotten that it was in flight. */
    markSent: (channel: string, sending: Sending, ts: string) => resolveAs(channel, sending, 'sent', '', [ts]),
    /** Nothing is left to post here: these entries were added to another channel. */
    markMoved(
      channel: string,
      sending: Sending,
      { to, entryIds }: { readonly to: string; readonly entryIds: readonly string[] },
    ): Promise<void> {
      const moved = new Set(entryIds);
      const where = sending.entryIds.map((id) => (moved.has(id) ? movedTo(to) : ELSEWHERE));
      return resolveAs(channel, sending, 'sent', '', where);
    },
    /** Called before its entries are added to another channel: after a crash, another worker must not post them here. */
    beginRedirect: (channel: string, sending: Sending, redirect: NonNullable<Sending['redirect']>) =>
      resolveAs(channel, sending, 'redirected', JSON.stringify(redirect)),
    /** It was not posted: its entries wait again, in messages of at most `most` entries. */
    requeue: (channel: string, sending: Sending, most?: number) => resolveAs(channel, sending, 'unsent', most),
    /** It was not found but may still appear: the same entries must be posted again, as the same message. */
    keepUnsent: (channel: string, sending: Sending) => resolveAs(channel, sending, 'again'),
  };
}

function createWhereabouts(redis: RedisClient) {
  const sentKey = (channel: string) => (id: string) => outboxKey(channel, `sent:${id}`);
  return {
    /** Where each entry was posted: null when unknown, '' for a file, `elsewhere…` when it is not in this channel. */
    sentAt: (channel: string, entryIds: readonly string[]) => redis.mget(entryIds.map(sentKey(channel))),
    /**
     * Takes back those of the entries that were moved from here to that channel, because it cannot be posted to either.
     * They can then be added here again. @returns whether there are any.
     */
    async takeBack(channel: string, entryIds: readonly string[], from: string): Promise<boolean> {
      const keys = entryIds.map(sentKey(channel));
      const places = await redis.mget(keys);
      const moved = keys.filter((_key, index) => places[index] === movedTo(from));
      if (moved.length > 0) await redis.del(moved);
      return moved.length > 0;
    },
  };
}

/** Keeps a long queue from blocking other requests to Redis. */
const READ_AT_ONCE = 500;
/** How many channels' entries stay in memory. */
const CHANNELS_MAX = 16;

/** A waiting entry. One that returns to the queue, perhaps changed, has another position. */
interface Looked {
  readonly id: string;
  readonly position: number;
  readonly entry: ReturnType<typeof parseEntry>;
}

function createLook(redis: RedisClient): (channel: string, max: number) => Promise<NextEntries> {
  const look = createReadEntries(redis);
  return async (channel, max) => {
    const { now, text, heldUntil, most, all } = await look(channel, max);
    const unreadable = all.flatMap(({ entry }) => ('unreadable' in entry ? entry.unreadable : []));
    const { waiting, redated } = agesOf(all, most, now);
    if (redated.length > 0) await redis.zadd(outboxKey(channel, 'queue'), 'XX', ...redated);
    const heldForMs = heldUntil === '' ? null : Math.max(1, Number(heldUntil) - now);
    if (text === '') return { unresolved: null, waiting, unreadable, heldForMs };
    const sending = sendingFormat.read(text);
    const entries = waiting.map(({ entry }) => entry);
    const ageMs = Math.max(0, now - sending.startedAt);
    return { unresolved: { sending, entries, ageMs }, waiting: [], unreadable, heldForMs };
  };
}

/** By entry id. */
type Texts = ReadonlyMap<string, string>;

/**
 * Reads waiting entries. While a channel collects a burst for one message, its queue is looked at several times, but each
 * entry is read only once. New ones usually come last.
 */
function createReadEntries(redis: RedisClient) {
  const script = defineScript(redis, scripts.look);
  const known = new BoundedMap<string, readonly Looked[]>(CHANNELS_MAX);
  return async (channel: string, max: number) => {
    const before = known.get(channel) ?? [];
    const args = [max, HELD_WAIT_MS, before.at(-1)?.position ?? 0, READ_AT_ONCE];
    const answer = (await script.run(keysOf(channel), args)) as [number, ...texts: string[]];
    const [now, text = '', heldUntil = '', queued = '', read = '', most = ''] = answer;
    const all = await entriesIn(channel, JSON.parse(queued), mapIn(read), before);
    if (all.length === 0) known.delete(channel);
    else if (text === '') known.set(channel, all);
    return { now, text, heldUntil, most: mapIn(most), all };
  };

  /** @param queued ids and positions in turn; no positions for those in flight. */
  async function entriesIn(channel: string, queued: readonly string[], read: Texts, before: readonly Looked[]) {
    const byId = new Map(before.map((one) => [one.id, one]));
    const found: (Looked | { id: string; position: number; entry: undefined })[] = [];
    for (let at = 0; at < queued.length; at += 2) {
      const [id = '', position] = [queued[at], Number(queued[at + 1])];
      const text = read.get(id);
      const kept = byId.get(id);
      if (text === undefined && kept?.position === position) found.push(kept);
      else found.push({ id, position, entry: text === undefined ? undefined : parseEntry(id, text) });
    }
    const others = await textsOf(
      channel,
      found.filter(({ entry }) => entry === undefined).map(({ id }) => id),
    );
    return found.flatMap((one): Looked[] => {
      if (one.entry !== undefined) return [one];
      const text = others.get(one.id);
      return text === undefined ? [] : [{ ...one, entry: parseEntry(one.id, text) }];
    });
  }

  async function textsOf(channel: string, ids: readonly string[]): Promise<Texts> {
    const texts = new Map<string, string>();
    for (const chunk of chunksOf(ids, READ_AT_ONCE)) {
      const read = await redis.hmget(outboxKey(channel, 'entries'), ...chunk);
      for (const [index, text] of read.entries()) if (text !== null) texts.set(chunk[index] ?? '', text);
    }
    return texts;
  }
}

const mapIn = (json: string): Texts => new Map(Object.entries(JSON.parse(json)));

/**
 * How long each entry has waited.
 *
 * @returns also the new positions of entries that seem to have arrived in the future, because the clock was set back. They
 * count as new. Otherwise they would wait until that time, and later ones would overtake them.
 */
function agesOf(all: readonly Looked[], most: Texts, now: number) {
  const waiting: Waiting[] = [];
  const redated: (string | number)[] = [];
  for (const { id, entry, position } of all) {
    if ('unreadable' in entry) continue;
    const ageMs = now + waitOf(entry) - position;
    if (ageMs < 0) redated.push(now + waitOf(entry), id);
    const fitting = most.get(id);
    waiting.push({ entry, ageMs: Math.max(0, ageMs), most: fitting === undefined ? null : Number(fitting) });
  }
  return { waiting, redated };
}
