import { MOVING, writeFormat, writeShards } from '../../src/app/stored-format.ts';
import { contentId } from '../../src/core/content-id.ts';
import { groupBy } from '../../src/core/group-by.ts';
import { intakeKey, queuePrefix } from '../../src/core/keys.ts';
import { type QueueName, queueNames, shardsWith } from '../../src/core/queues.ts';
import { commit } from '../../src/core/record-store.ts';
import type { RedisClient } from '../../src/core/redis.ts';
import { SHARDS_MAX, shardOf, shardsOf } from '../../src/core/shards.ts';
import { movedKey, seenKey } from '../../src/intake/intake.ts';
import { RECOVERY_TTL_SECONDS } from '../../src/intake/take-late.ts';
import { scanKeys } from '../scan-keys.ts';

const PAGE = 500;

interface Moved {
  readonly entries: number;
  readonly jobs: number;
  readonly seen: number;
}

/**
 * Moves stored data to where it belongs with this number of shards. No process may be running, and none can start until
 * the move is done.
 *
 * Everything is written to its new place before it is removed from the old one, and not written again if it is already
 * there. So after a crash, run it again, with the same number or another one.
 *
 * @throws without any change when this Redis user may not remove what was moved.
 */
export async function moveToShards(redis: RedisClient, shards: number): Promise<Moved> {
  // Nothing has these names. From the next line on, no process starts until the move is done.
  for (const shard of shardsOf(SHARDS_MAX))
    for (const key of [intakeKey('none', shard), `${queuePrefix(shard)}:none`]) await redis.unlink(key);
  await writeFormat(redis, MOVING);
  await stopOthers(redis, 'moving');
  const moved = {
    seen: await moveSeen(redis, shards),
    entries: await moveEntries(redis, shards),
    jobs: (await moveJobs(redis, 'bursts', shards)) + (await moveJobs(redis, 'alerts', shards)),
  };
  await clear(redis, shards);
  await stopOthers(redis, shards);
  await writeShards(redis, shards);
  return moved;
}

/** From here on, a process that was asleep and has another number of shards stores nothing. */
async function stopOthers(redis: RedisClient, shards: number | 'moving'): Promise<void> {
  for (const shard of shardsOf(SHARDS_MAX)) await redis.set(movedKey(shard), shards);
}

const seenPrefixes = shardsOf(SHARDS_MAX).map((shard) => seenKey('', shard));

/** Shard of an id's deduplication key. Clicks and App Home openings are not split and stay in the first shard. */
const seenIn = (id: string, shards: number): number => (/^(?:act|home)_/.test(id) ? 0 : shardOf(id, shards));

/** Moves deduplication keys of webhooks, with their remaining time. Safe to repeat. */
async function moveSeen(redis: RedisClient, shards: number): Promise<number> {
  let moved = 0;
  for await (const keys of scanKeys(redis, seenKey('*').replace(':in', '*:in'), PAGE)) {
    const places = keys.map((key) => {
      const from = seenPrefixes.findIndex((prefix) => key.startsWith(prefix));
      const id = key.slice(seenPrefixes[from]?.length);
      return { id, from, to: seenIn(id, shards) };
    });
    const misplaced = places.filter(({ from, to }) => from !== to);
    for (const [from, ofShard] of groupBy(misplaced, (place) => place.from))
      for (const [to, ofBoth] of groupBy(ofShard, (place) => place.to)) {
        const ids = ofBoth.map(({ id }) => id);
        await moveSeenIds(redis, ids, from, to);
        moved += ids.length;
      }
  }
  return moved;
}

async function moveSeenIds(redis: RedisClient, ids: readonly string[], from: number, to: number): Promise<void> {
  const reading = redis.multi();
  for (const id of ids) reading.get(seenKey(id, from)).pexpiretime(seenKey(id, from));
  const read = await commit(reading);
  const writing = redis.multi();
  for (const [index, id] of ids.entries()) {
    const [times = 0, untilMs = 0] = read.slice(index * 2, index * 2 + 2).map(Number);
    // It may have expired a moment ago.
    if (times > 0 && untilMs > 0) writing.set(seenKey(id, to), times, 'PXAT', untilMs);
  }
  await commit(writing);
  await redis.unlink(...ids.map((id) => seenKey(id, from)));
}

type StreamEntry = readonly [id: string, fields: readonly string[]];

async function* pagesOf(redis: RedisClient, stream: string): AsyncGenerator<StreamEntry[]> {
  let from = '-';
  for (;;) {
    const page = await redis.xrange(stream, from, '+', 'COUNT', PAGE);
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    from = `(${page.at(-1)?.[0]}`;
  }
}

/** The id that selects the shard. For an entry that only a newer version knows, an id made from its text. */
function idOf([, [, text = '']]: StreamEntry): string {
  try {
    const { event, webhook } = JSON.parse(text) as { event?: { id?: string }; webhook?: { id?: string } };
    return event?.id ?? webhook?.id ?? contentId('entry_', [text]);
  } catch {
    return contentId('entry_', [text]);
  }
}

/** Webhooks that no worker has taken, or that one was working on. */
async function moveEntries(redis: RedisClient, shards: number): Promise<number> {
  const inPlace = new Set<string>();
  for (const shard of shardsOf(shards)) {
    for await (const page of pagesOf(redis, intakeKey('webhooks', shard)))
      for (const id of page.map(idOf)) if (shardOf(id, shards) === shard) inPlace.add(id);
  }
  let moved = 0;
  for (const from of shardsOf(SHARDS_MAX)) {
    const stream = intakeKey('webhooks', from);
    for await (const page of pagesOf(redis, stream)) {
      const misplaced = page.filter((entry) => shardOf(idOf(entry), shards) !== from);
      if (misplaced.length === 0) continue;
      for (const [to, group] of groupBy(misplaced, (entry) => shardOf(idOf(entry), shards))) {
        const missing = group.filter((entry) => !inPlace.has(idOf(entry)));
        const adding = redis.multi();
        for (const [, fields] of missing) adding.xadd(intakeKey('webhooks', to), '*', ...fields);
        await commit(adding);
        for (const entry of missing) inPlace.add(idOf(entry));
      }
      const ids = misplaced.map(([id]) => id);
      await redis.xdel(stream, ...ids);
      moved += ids.length;
    }
  }
  return moved;
}

/**
 * Where BullMQ keeps job ids. In a list, the next job is the last element. A job that was active when its worker died
 * waits again.
 */
const lists = ['wait', 'paused', 'active'] as const;
const sets = ['delayed', 'prioritized', 'failed', 'completed'] as const;

interface QueuedJob {
  readonly id: string;
  readonly shard: number;
  readonly at: string;
  /** Null: it is in a list. */
  readonly score: string | null;
}

/** Moves a queue's jobs in every state, with all their attempts and errors. */
async function moveJobs(redis: RedisClient, queue: QueueName, shards: number): Promise<number> {
  const key = (shard: number, name: string): string => `${queuePrefix(shard)}:${queue}:${name}`;
  // Numeric ids are BullMQ's own, for jobs without an id. These are in shard 0.
  const homeOf = (id: string): number => (/^\d+$/.test(id) ? 0 : shardOf(id, shards));
  const jobs = (await Promise.all(shardsOf(SHARDS_MAX).map((shard) => jobsIn(redis, shard, key)))).flat();
  const inPlace = new Set(jobs.filter(({ id, shard }) => homeOf(id) === shard).map(({ id }) => id));
  const misplaced = jobs.filter(({ id, shard }) => homeOf(id) !== shard);
  for (const job of misplaced) {
    const { id, shard, at, score } = job;
    const to = homeOf(id);
    const dump = inPlace.has(id) ? null : await redis.dumpBuffer(key(shard, id));
    if (dump !== null) {
      const adding = redis.multi().restore(key(to, id), 0, dump, 'REPLACE');
      await commit(score === null ? adding.lpush(key(to, 'wait'), id) : adding.zadd(key(to, at), score, id));
    }
    inPlace.add(id);
    const removing = redis
      .multi()
      .srem(key(shard, 'stalled'), id)
      .unlink(key(shard, id), key(shard, `${id}:lock`));
    await commit(score === null ? removing.lrem(key(shard, at), 0, id) : removing.zrem(key(shard, at), id));
  }
  return misplaced.length;
}

/** The jobs of a shard, next one first. */
async function jobsIn(redis: RedisClient, shard: number, key: (shard: number, name: string) => string) {
  const jobs: QueuedJob[] = [];
  for (const at of lists.toReversed())
    for (const id of (await redis.lrange(key(shard, at), 0, -1)).toReversed())
      jobs.push({ id, shard, at, score: null });
  for (const at of sets) {
    const members = await redis.zrange(key(shard, at), '0', '-1', 'WITHSCORES');
    for (let index = 0; index < members.length; index += 2)
      jobs.push({ id: members[index] ?? '', shard, at, score: members[index + 1] ?? '0' });
  }
  return jobs;
}

/** Clears what removed shards leave behind: empty streams, BullMQ's metadata of queues, counts of recoveries. */
async function clear(redis: RedisClient, shards: number): Promise<void> {
  for (const shard of shardsOf(SHARDS_MAX).slice(shards)) {
    const prefix = intakeKey('recovery:', shard);
    for await (const keys of scanKeys(redis, `${prefix}*`, PAGE)) {
      for (const key of keys) await moveCounts(redis, key, intakeKey(`recovery:${key.slice(prefix.length)}`));
    }
    await redis.unlink(intakeKey('webhooks', shard));
    for (const queue of queueNames.filter((name) => shardsWith(name, SHARDS_MAX).length > 1)) {
      const names = ['meta', 'id', 'events', 'marker', 'stalled', 'stalled-check'];
      await redis.unlink(...names.map((name) => `${queuePrefix(shard)}:${queue}:${name}`));
    }
  }
}

/**
 * Adds the counts to the new key, with a note that they were added, because a crash may happen before the old key is
 * deleted.
 */
async function moveCounts(redis: RedisClient, from: string, to: string): Promise<void> {
  const [note, counts] = [`moved:${from}`, await redis.hgetall(from)];
  const text = JSON.stringify(counts);
  if ((await redis.hget(to, note)) !== text) {
    const adding = redis.multi();
    for (const [field, count] of Object.entries(counts)) adding.hincrby(to, field, Number(count));
    await commit(adding.hset(to, note, text).expire(to, RECOVERY_TTL_SECONDS));
  }
  await redis.unlink(from);
  await redis.hdel(to, note);
}
