import { setTimeout as sleep } from 'node:timers/promises';
import { intakeKey } from '../core/keys.ts';
import type { Log } from '../core/log.ts';
import { keyPrefixOf, type RedisClient } from '../core/redis.ts';
import { mayShareJob } from './burst.ts';
import { type InboxEntry, streamsOf } from './intake.ts';

/** The consumer group of all relays. With NOACK, Redis keeps nothing about its consumers, so all relays share one name. */
const RELAYS = 'relay';
const READ_MAX = 200;
const BLOCK_MS = 2000;
/** Entries that were read and are still there after this time are read again: their worker died. */
const ABANDONED_AFTER_MS = 5_000;
const LOOK_FOR_ABANDONED_MS = 2_500;
/** More than all workers together have in hand. */
const IN_HAND_MAX = 2000;
const RETRY_MS = 500;
/** How often the relay checks for room while the queue is full. */
const NO_ROOM_MS = 200;

type StreamEntry = [id: string, fields: string[] | null];
type Answer = [stream: string, entries: StreamEntry[]][] | null;

interface RelayOptions {
  /** Each shard has its own relay: on a cluster, one read cannot wait for several shards. */
  readonly shard?: number;
  /** A separate connection, because reads block while they wait. */
  readonly reader: RedisClient;
  readonly redis: RedisClient;
  /** Makes one job of entries that may share one. */
  readonly handOn: (entries: readonly InboxEntry[]) => Promise<void>;
  /** How many webhooks the queue can still hold. The others stay in the inbox, where they take less memory. */
  readonly roomInQueue: () => Promise<number>;
  readonly log: Log;
}

export type Relay = ReturnType<typeof startRelay>;

/**
 * Moves what the web process stored into BullMQ: reads an entry, adds the job, and only then removes the entry from the
 * inbox.
 *
 * After a crash in between, an entry is added again, perhaps together with other entries. This is harmless, because the
 * job id, the outbox and the action's progress know what was done. Each worker runs one relay per shard, and the
 * consumer group gives each entry to one of them. The group keeps no list of what is in hand (NOACK): such a list would be
 * written to disk for each entry, and the entries that are still there say the same.
 */
export function startRelay({ shard = 0, reader, redis, handOn, roomInQueue, log }: RelayOptions) {
  const streams = streamsOf(shard);
  /** People's requests and gaps are few and never wait for webhooks. */
  const unlimited = streams.filter((stream) => stream !== intakeKey('webhooks', shard));
  const group = createGroup(redis, reader, streams);
  let isStopping = false;
  let lastTakeover = -ABANDONED_AFTER_MS;
  const inHand = createInHand(redis);
  const done = run();

  return {
    async stop(): Promise<void> {
      isStopping = true;
      // Entries already read are finished before `done` resolves.
      group.stopReading();
      await done;
    },
  };

  async function run(): Promise<void> {
    let hasGroups = false;
    while (!isStopping) {
      try {
        if (!hasGroups) await group.create();
        hasGroups = true;
        const room = await roomInQueue();
        const open = room > 0 ? streams : unlimited;
        if (performance.now() - lastTakeover > LOOK_FOR_ABANDONED_MS) {
          lastTakeover = performance.now();
          for (const stream of open) await handStream(stream, await inHand.abandoned(stream));
        }
        if (open.length === 0) await sleep(NO_ROOM_MS);
        else await handAll(await group.readNew(open, room));
      } catch (error) {
        if (isStopping) return;
        // A Redis that came back empty has no consumer group.
        if (error instanceof Error && error.message.includes('NOGROUP')) hasGroups = false;
        else log.error({ err: error }, 'the relay failed; retrying');
        await sleep(RETRY_MS);
      }
    }
  }

  async function handAll(answer: Answer): Promise<void> {
    // Redis' answer names the streams with the card program's prefix, which each command adds.
    for (const [stream, entries] of answer ?? []) await handStream(stream.slice(keyPrefixOf(reader).length), entries);
  }

  /** A failed entry does not hold up the others, and is retried soon. */
  async function handStream(stream: string, entries: readonly StreamEntry[]): Promise<void> {
    const { done, failure } = await handEach(entries, handOn);
    if (done.size > 0) await redis.xdel(stream, ...done);
    if (failure === undefined) return;
    inHand.abandon(
      stream,
      entries.flatMap(([id]) => (done.has(id) ? [] : id)),
    );
    lastTakeover = Number.NEGATIVE_INFINITY;
    log.error({ err: failure.reason }, 'could not hand on entries of the inbox; retrying');
    await sleep(RETRY_MS);
  }
}

/** @returns the ids of the entries that were handed on, and the first failure. */
async function handEach(entries: readonly StreamEntry[], handOn: RelayOptions['handOn']) {
  const done = new Set<string>();
  const read: { readonly id: string; readonly entry: InboxEntry }[] = [];
  const failures: { readonly reason: unknown }[] = [];
  for (const [id, fields] of entries) {
    const text = fields?.[1];
    try {
      if (text === undefined) done.add(id);
      else read.push({ id, entry: JSON.parse(text) as InboxEntry });
    } catch (reason) {
      failures.push({ reason });
    }
  }
  const together = read.filter(({ entry }) => mayShareJob(entry));
  const alone = read.filter(({ entry }) => !mayShareJob(entry));
  const handAs = async (items: typeof read): Promise<void> => {
    try {
      await handOn(items.map(({ entry }) => entry));
      for (const { id } of items) done.add(id);
    } catch (reason) {
      // One of the entries may be the cause, so try each alone.
      if (items.length > 1) await handAlone(items);
      else failures.push({ reason });
    }
  };
  const handAlone = (items: typeof read) => Promise.all(items.map((item) => handAs([item])));
  await Promise.all([together.length > 0 && handAs(together), handAlone(alone)]);
  return { done, failure: failures[0] };
}

function createGroup(redis: RedisClient, reader: RedisClient, streams: readonly string[]) {
  let isStopped = false;
  let endRead = (): void => {};
  return {
    async create(): Promise<void> {
      for (const stream of streams) {
        await redis.xgroup('CREATE', stream, RELAYS, '0', 'MKSTREAM').catch((error: unknown) => {
          if (!(error instanceof Error && error.message.includes('BUSYGROUP'))) throw error;
        });
      }
    },
    /** Waits until one of these streams has an entry. */
    async readNew(open: readonly string[], room: number): Promise<Answer> {
      if (isStopped) return null;
      const isWhole = open.length === streams.length;
      const count = isWhole ? Math.min(READ_MAX, room) : READ_MAX;
      const options = ['COUNT', count, 'BLOCK', isWhole ? BLOCK_MS : NO_ROOM_MS, 'NOACK'];
      const ids = open.map(() => '>');
      const read = reader.call('xreadgroup', 'GROUP', RELAYS, RELAYS, ...options, 'STREAMS', ...open, ...ids);
      return await new Promise((resolve, reject) => {
        endRead = () => resolve(null);
        (read as Promise<Answer>).then(resolve, reject);
      });
    },
    /** Ends the blocking read at once. A connection that is lost when it is closed would never end it. */
    stopReading(): void {
      isStopped = true;
      reader.disconnect();
      endRead();
    },
  };
}

/** The entries of streams that relays have read and not removed. */
function createInHand(redis: RedisClient) {
  /** When each was first seen, by stream. */
  const seen = new Map<string, Map<string, number>>();
  return {
    /** Those that nobody has removed for too long. */
    async abandoned(stream: string): Promise<StreamEntry[]> {
      const now = performance.now();
      const before = seen.get(stream);
      const lastRead = await lastReadIn(stream);
      const entries = lastRead === null ? [] : await redis.xrange(stream, '-', lastRead, 'COUNT', IN_HAND_MAX);
      const since = new Map(entries.map(([id]) => [id, before?.get(id) ?? now]));
      const abandoned = entries.filter(([id]) => now - (since.get(id) ?? now) >= ABANDONED_AFTER_MS);
      // Whoever takes them over may also die.
      for (const [id] of abandoned) since.set(id, now);
      seen.set(stream, since);
      return abandoned;
    },
    /** Counts these as abandoned from now on. */
    abandon(stream: string, ids: readonly string[]): void {
      const since = seen.get(stream) ?? new Map<string, number>();
      for (const id of ids) since.set(id, Number.NEGATIVE_INFINITY);
      seen.set(stream, since);
    },
  };

  /** The id of the newest entry that any relay has read; null when Redis came back empty. */
  async function lastReadIn(stream: string): Promise<string | null> {
    const groups = (await redis.xinfo('GROUPS', stream).catch(noneWithoutStream)) as unknown[][];
    const fields = groups.find((group) => group.includes(RELAYS));
    return fields === undefined ? null : String(fields[fields.indexOf('last-delivered-id') + 1]);
  }
}

function noneWithoutStream(error: unknown): [] {
  if (error instanceof Error && error.message.includes('no such key')) return [];
  throw error;
}
