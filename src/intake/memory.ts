import type { Redis } from 'ioredis';
import { within } from '../core/deadline.ts';
import { intakeKey } from '../core/keys.ts';
import { keyPrefixOf, type RedisClient, serversOf } from '../core/redis.ts';
import { shardsOf } from '../core/shards.ts';
import { ACK_DEADLINE_MS } from './intake.ts';

const LOOK_EVERY_MS = 200;
/**
 * How many times less often to check while no webhooks arrive: these checks were most of an idle process's load on
 * Redis.
 */
const IDLE_TIMES = 10;
/** Memory per event once its alert is posted: about 5 kB were measured for a decline, of which the inbox holds one. */
const GROWTH_BYTES = 6000;
/**
 * Accept webhooks again, and end the warning, only when this share of the memory has become free, so that neither flips
 * with each webhook.
 */
const FREE_AGAIN = 0.05;
/** How early to warn people before webhooks are refused, as a share of the memory. */
const WARN_BEFORE = 0.15;

/** Whether Redis has room for more webhooks and for processing those already accepted. */
export type MemoryWatch = ReturnType<typeof watchMemory>;

/** How many events wait in each card program of a process, by its key prefix. All of them will need memory of one Redis. */
export type Backlogs = Map<string, number>;

interface Options {
  /** Webhooks are refused above this share of `maxmemory`. */
  readonly fullAt: number;
  readonly shards?: number;
  /** Events that have left a shard's inbox and whose alerts are not posted yet. */
  readonly inHand: (shard: number) => Promise<number>;
  readonly everyMs?: number;
  /** Shared by the card programs of this process. */
  readonly backlogs?: Backlogs;
}

/**
 * Checks how full Redis is: a few times a second while webhooks are accepted or refused, otherwise every two seconds. A
 * Redis without `maxmemory` is never full.
 *
 * An event needs several times its size until its alert is posted. So the future needs of events in the inbox count as
 * used: a Redis filled to the brim with webhooks could not process any of them.
 */
export function watchMemory(redis: RedisClient, options: Options) {
  const { fullAt, everyMs = LOOK_EVERY_MS } = options;
  const count = createCount(redis, options);
  /** Null: not checked yet. */
  let room: number | null = null;
  /** Null: since the start, usage has been too high for its end and too low for its beginning. */
  let isFull: boolean | null = null;
  let isFilling: boolean | null = null;
  let share: number | null = null;
  let looking: Promise<void> | null = null;
  let hasReserved = false;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const timer = setInterval(() => {
    if (isFull || hasReserved || performance.now() - lookedAt >= IDLE_TIMES * everyMs) void lookOnce(isFull === true);
  }, everyMs);
  timer.unref();
  void lookOnce(true);

  return {
    /**
     * Reserves what an event of this size will need.
     *
     * @returns false when there is no room. Checks again before a webhook is refused, unless that takes too long: the card
     *   service must hear of it at once.
     */
    reserve(bytes: number): boolean | Promise<boolean> {
      hasReserved = true;
      if (isRoomFor(bytes)) return true;
      const looked = lookOnce(true).then(() => {
        const isRoom = isRoomFor(bytes);
        if (!isRoom) isFull = true;
        return isRoom;
      });
      return within(ACK_DEADLINE_MS, looked, () => false);
    },
    /** Webhooks are refused. Null: not known yet. Another process may know. */
    isFull: () => isFull,
    /** Webhooks are refused soon, or already. Null: not known yet, which `isFull` may be nevertheless. */
    isFilling: () => isFilling,
    /**
     * Share of Redis' memory in use, including what waiting events will need: 1 is all. Null: no limit, or not checked
     * yet.
     */
    share: () => share,
    stop: () => clearInterval(timer),
  };

  function isRoomFor(bytes: number): boolean {
    if (room === null || isFull || room < bytes + GROWTH_BYTES) return false;
    room -= bytes + GROWTH_BYTES;
    return true;
  }

  async function lookOnce(isWhole: boolean): Promise<void> {
    if (redis.status !== 'ready') return;
    hasReserved = false;
    lookedAt = performance.now();
    looking ??= look(isWhole)
      .catch(() => {
        // Keep the last result. A server that does not report its memory use refuses on its own when it is full.
        room ??= Number.POSITIVE_INFINITY;
      })
      .finally(() => {
        looking = null;
      });
    await looking;
  }

  async function look(isWhole: boolean): Promise<void> {
    const [events, ...memory] = await Promise.all([count(isWhole), ...serversOf(redis).map(memoryOf)]);
    const limited = memory.filter(({ max }) => max > 0);
    const needed = events * GROWTH_BYTES;
    room = Math.min(...limited.map(({ used, max }) => fullAt * max - used - needed));
    share = limited.length === 0 ? null : Math.max(...limited.map(({ used, max }) => (used + needed) / max));
    isFull = isReached(fullAt, share, isFull);
    isFilling = isReached(fullAt - WARN_BEFORE, share, isFilling);
  }
}

/** @param share null: no limit. @param before what it was: it stays so until this much is free again. */
function isReached(limit: number, share: number | null, before: boolean | null): boolean | null {
  if (share === null) return false;
  return share >= limit || (share <= limit - FREE_AGAIN ? false : before);
}

/**
 * Counts waiting events in all shards, or in the next shard plus the last counts of the others. Asking all of them each
 * time would be most of an idle process's load on Redis. Those of the other card programs are what their own watches counted.
 */
function createCount(redis: RedisClient, { inHand, shards = 1, backlogs = new Map() }: Options) {
  const waiting = shardsOf(shards).map(() => 0);
  let next = 0;
  return async (isWhole: boolean): Promise<number> => {
    next = (next + 1) % shards;
    await Promise.all(
      (isWhole ? shardsOf(shards) : [next]).map(async (shard) => {
        const [inInbox, taken] = await Promise.all([redis.xlen(intakeKey('webhooks', shard)), inHand(shard)]);
        waiting[shard] = inInbox + taken;
      }),
    );
    backlogs.set(keyPrefixOf(redis), sumOf(waiting));
    return sumOf(backlogs.values());
  };
}

const sumOf = (counts: Iterable<number>): number => [...counts].reduce((sum, events) => sum + events, 0);

/** The part of a server's memory that counts against its limit, and the limit, in bytes. A limit of 0 means none. */
export async function memoryOf(node: Redis): Promise<{ readonly used: number; readonly max: number }> {
  const info = await node.info('memory');
  const said = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  return { used: said('used_memory') - said('mem_not_counted_for_evict'), max: said('maxmemory') };
}
