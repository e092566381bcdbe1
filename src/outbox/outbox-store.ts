import type { z } from 'zod';
import { batchedBy } from '../core/batched.ts';
import { chunksOf } from '../core/chunks.ts';
import { shareRunning } from '../core/join-calls.ts';
import { outboxKey, stateKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { currentTrace } from '../core/trace.ts';
import { forAnotherChannel, type OutboxEntry, parseEntry, type StoredEntry, storedEntry, waitOf } from './entry.ts';
import { createSendings, keysOf, SENT_TTL_SECONDS } from './sending-store.ts';

/** The channels that may have something waiting. */
export const channelsKey = stateKey('outbox-channels');

/** Keeps one command from blocking Redis for long. */
const READ_AT_ONCE = 500;

export type Outbox = ReturnType<typeof createOutbox>;

const scripts = {
  put: readScript(new URL('./put.lua', import.meta.url)),
  remove: readScript(new URL('./remove-entry.lua', import.meta.url)),
  hold: readScript(new URL('./hold.lua', import.meta.url)),
  pause: readScript(new URL('./pause.lua', import.meta.url)),
};

/** One message queue per channel, and a record of what was posted from it. All keys of a channel share a slot. */
export function createOutbox(redis: RedisClient) {
  return { ...createEntries(redis), ...createSendings(redis), ...createPauses(redis) };
}

/** An outbox whose channels start to post what is put into them. */
export function wakingOutbox(outbox: Outbox, wake: (channel: string) => Promise<void>): Outbox {
  return {
    ...outbox,
    async put(channel, entry) {
      const isNew = await outbox.put(channel, entry);
      // Even if it was there before: a worker may have died between the two.
      await wake(channel);
      return isNew;
    },
  };
}

function createEntries(redis: RedisClient) {
  const put = defineScript(redis, scripts.put);
  const hold = defineScript(redis, scripts.hold);
  const remove = defineScript(redis, scripts.remove);
  const noteChannel = createNoteChannel(redis);
  /** Most entries that arrive together wait as long. */
  const putTogether = batchedBy(
    ({ channel, entry }: StoredEntry & { readonly channel: string }) =>
      `${channel} ${waitOf(entry)} ${entry.notBefore}`,
    async (all) => {
      const [{ channel, entry }] = all;
      const sent = all.map(({ entry: { id } }) => outboxKey(channel, `sent:${id}`));
      const args = [waitOf(entry), Math.ceil(entry.notBefore ?? 0), ...all.map(({ text }) => text)];
      // Together, in this order: a sweep finds the entries of every channel that is noted.
      const [, answers] = await Promise.all([noteChannel(channel), put.run([...keysOf(channel), ...sent], args)]);
      return answers as (number | string)[];
    },
  );
  return {
    /**
     * Adds an entry unless it is already waiting or was posted. Idempotent. `notBefore` (ms) holds it until then. Adding a
     * held entry again without `notBefore` releases it. An entry that was moved to another channel is added there, because
     * a rewound Redis may have lost it there.
     *
     * @returns false when nothing changed.
     */
    async put(channel: string, given: z.input<typeof OutboxEntry>): Promise<boolean> {
      const trace = currentTrace();
      let stored = storedEntry(trace === undefined ? given : { trace, ...given });
      let answer = await putTogether({ channel, ...stored });
      for (const been = new Set([channel]); typeof answer === 'string'; ) {
        if (been.has(answer)) return false;
        been.add(answer);
        stored = storedEntry(forAnotherChannel(stored.entry));
        answer = await putTogether({ channel: answer, ...stored });
      }
      return answer === 1;
    },
    /** What the channel holds, as far as this version can read it. */
    async held(channel: string): Promise<OutboxEntry[]> {
      const entries: OutboxEntry[] = [];
      for (const ids of chunksOf(await redis.zrange(outboxKey(channel, 'held'), '0', '-1'), READ_AT_ONCE)) {
        const texts = await redis.hmget(outboxKey(channel, 'entries'), ...ids);
        for (const [index, text] of texts.entries()) {
          const entry = text === null ? null : parseEntry(ids[index] ?? '', text);
          if (entry !== null && !('unreadable' in entry)) entries.push(entry);
        }
      }
      return entries;
    },
    /** Sets until when all held entries are held (ms); 0 releases them. @returns how many they are. */
    holdUntil: async (channel: string, untilMs: number) => Number(await hold.run(keysOf(channel), [untilMs])),
    /** Removes an entry from the channel, whatever its state. */
    async remove(channel: string, entryId: string): Promise<void> {
      await remove.run(keysOf(channel), [entryId]);
    },
    channels: () => redis.smembers(channelsKey),
  };
}

function createPauses(redis: RedisClient) {
  const pause = defineScript(redis, scripts.pause);
  const keyOf = (channel: string): string => outboxKey(channel, 'paused');
  return {
    /** How often this was called for an entry, including this call. */
    async countTry(channel: string, entryId: string): Promise<number> {
      const key = outboxKey(channel, `tries:${entryId}`);
      const tries = await redis.incr(key);
      await redis.expire(key, SENT_TTL_SECONDS);
      return tries;
    },
    /** Milliseconds until the channel may be posted to again; 0 when it may be now. */
    pauseLeft: async (channel: string) => Number(await pause.run([keyOf(channel)], [])),
    async pauseFor(channel: string, ms: number): Promise<void> {
      await pause.run([keyOf(channel)], [Math.max(1, Math.ceil(ms))]);
    },
  };
}

/** Concurrent calls for one channel share a write. */
export function createNoteChannel(redis: RedisClient) {
  return shareRunning((channel: string) => redis.sadd(channelsKey, channel));
}
