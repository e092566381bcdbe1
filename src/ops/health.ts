import type { Queue } from 'bullmq';
import { z } from 'zod';
import { redisNow } from '../core/clock.ts';
import { stateKey } from '../core/keys.ts';
import { type QueueName, type Queues, queueNames } from '../core/queues.ts';
import { recordFormat } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { shardsOf } from '../core/shards.ts';
import { eventsIn } from '../intake/burst.ts';
import { streamsOf } from '../intake/intake.ts';
import type { MemoryWatch } from '../intake/memory.ts';
import * as opsIssue from './issue.ts';
import { createOpsMemory } from './notify-ops.ts';
import { opsUnreachable } from './refused-messages.ts';

/** The health of Cardbell according to Redis, for App Home, metrics and the ops channel. */
export type Health = Awaited<ReturnType<typeof readHealth>>;

/** The queues that people wait for. Other queues may have to wait for Slack. */
const promptQueues = ['alerts', 'bursts', 'actions'] as const;

/** How long a refusal in the ops channel counts: an issue that lasts is reported, and refused, once a day. */
const REFUSED_LATELY_MS = 24 * 3_600_000;

export interface HealthDeps {
  readonly redis: RedisClient;
  readonly queues: Queues;
  readonly quarantined: { readonly count: () => Promise<number> };
  readonly memory: Pick<MemoryWatch, 'share'>;
}

export async function readHealth(deps: HealthDeps) {
  const { redis, queues: opened, memory } = deps;
  const opsMemory = createOpsMemory(redis);
  const [nowMs, inbox, queues, quarantined, workers, isSlackTokenDead, opsRefusedAt, isCardTokenDead] =
    await Promise.all([
      redisNow(redis),
      readInbox(redis, opened.shards),
      readDepths(opened),
      deps.quarantined.count(),
      createWorkers(redis).all(),
      opsMemory.isKnown(opsIssue.slackTokenDead),
      opsMemory.lastNoticed(opsUnreachable),
      opsMemory.isKnown(opsIssue.cardTokenDead),
    ]);
  const oldest = earliest([inbox.oldestMs, ...promptQueues.map((name) => queues[name].oldestMs)]);
  return {
    /** Webhooks and requests that no worker has taken yet. */
    inbox,
    queues,
    /** How long the oldest alert or request has waited for a worker, in milliseconds. */
    lagMs: oldest === null ? 0 : Math.max(0, nowMs - oldest),
    /** Jobs that failed for good, across all queues. */
    failed: Object.values(queues).reduce((sum, { failed }) => sum + failed, 0),
    quarantined,
    /** Number of live workers. */
    workers: workers.length,
    /** True while a worker has stopped calling the card API because it does not answer. */
    isCardApiAway: workers.some(({ isCardApiAway }) => isCardApiAway),
    isSlackTokenDead,
    /** True when Slack refused a message in the ops channel lately. It may have no other message that shows the end. */
    isOpsUnreachable: opsRefusedAt !== null && nowMs - Date.parse(opsRefusedAt) < REFUSED_LATELY_MS,
    isCardTokenDead,
    /** How much of its memory Redis uses, with the backlog; null: it has no limit. */
    memoryShare: memory.share(),
  };
}

/** For several card programs: the sum of their backlogs, and the worst state of each indicator. */
export function healthOfAll(all: readonly Health[]): Health {
  return all.reduce((one, other) => ({
    inbox: addInboxes(one.inbox, other.inbox),
    queues: Object.fromEntries(
      queueNames.map((name) => [name, addDepths(one.queues[name], other.queues[name])]),
    ) as Health['queues'],
    lagMs: Math.max(one.lagMs, other.lagMs),
    failed: one.failed + other.failed,
    quarantined: one.quarantined + other.quarantined,
    workers: Math.min(one.workers, other.workers),
    isCardApiAway: one.isCardApiAway || other.isCardApiAway,
    isSlackTokenDead: one.isSlackTokenDead || other.isSlackTokenDead,
    isOpsUnreachable: one.isOpsUnreachable || other.isOpsUnreachable,
    isCardTokenDead: one.isCardTokenDead || other.isCardTokenDead,
    memoryShare: one.memoryShare === null ? other.memoryShare : Math.max(one.memoryShare, other.memoryShare ?? 0),
  }));
}

function earliest(times: readonly (number | null)[]): number | null {
  const dated = times.filter((ms) => ms !== null);
  return dated.length === 0 ? null : Math.min(...dated);
}

type Depth = Awaited<ReturnType<typeof readDepth>>;

/** The number of jobs in each queue. */
export async function readDepths(queues: Queues): Promise<Record<QueueName, Depth>> {
  const read = await Promise.all(queues.all.map(async ({ name, queue }) => ({ name, depth: await readDepth(queue) })));
  const depths = queueNames.map((name) => {
    const ofShards = read.filter((one) => one.name === name).map(({ depth }) => depth);
    return [name, ofShards.reduce(addDepths, empty)] as const;
  });
  return Object.fromEntries(depths) as Record<QueueName, Depth>;
}

const empty: Depth = { waiting: 0, active: 0, delayed: 0, failed: 0, oldestMs: null };

function addDepths(one: Depth, other: Depth): Depth {
  return {
    waiting: one.waiting + other.waiting,
    active: one.active + other.active,
    delayed: one.delayed + other.delayed,
    failed: one.failed + other.failed,
    oldestMs: earliest([one.oldestMs, other.oldestMs]),
  };
}

/** The number of jobs in a queue; for the queue of bursts, the number of events. */
async function readDepth(queue: Queue) {
  const [counts, next] = await Promise.all([countsOf(queue), queue.getJobs(['waiting', 'prioritized'], 0, 0, true)]);
  const { waiting = 0, prioritized = 0, active = 0, delayed = 0, failed = 0 } = counts;
  return {
    waiting: waiting + prioritized,
    active,
    /** Scheduled for later: a retry, a pause requested by Slack, the end of a temporary change. */
    delayed,
    failed,
    /** Since when (ms) the oldest job has been runnable; null: none waits. */
    oldestMs: earliest(next.map(({ timestamp, delay }) => timestamp + delay)),
  };
}

async function countsOf(queue: Queue): Promise<Record<string, number>> {
  if (queue.name !== 'bursts') return queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed');
  const [waiting, active, delayed, { failed = 0 }] = await Promise.all([
    eventsOf(queue, ['waiting']),
    eventsOf(queue, ['active']),
    eventsOf(queue, ['delayed']),
    // A failed burst is inspected and replayed as one job.
    queue.getJobCounts('failed'),
  ]);
  return { waiting, active, delayed, failed };
}

type Waits = readonly ('waiting' | 'active' | 'delayed')[];

/** The id of a burst contains its number of events. There are few bursts. */
async function eventsOf(bursts: Queue, states: Waits): Promise<number> {
  const ids = await bursts.getRanges([...states], 0, -1);
  return ids.reduce((sum, id) => sum + eventsIn(id), 0);
}

/** Events of a shard in jobs or bursts that were added and are not done. */
export async function countEvents({ all }: Queues, states: Waits, shard = 0): Promise<number> {
  const counts = all.map(async ({ name, shard: its, queue }) => {
    if (its !== shard) return 0;
    if (name === 'bursts') return await eventsOf(queue, states);
    return name === 'alerts' ? await queue.getJobCountByTypes(...states) : 0;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

type Inbox = Awaited<ReturnType<typeof readStream>>;

/** Entries that the web process has stored and no worker has taken yet. */
export async function readInbox(redis: RedisClient, shards = 1): Promise<Inbox> {
  const streams = shardsOf(shards).flatMap(streamsOf);
  return (await Promise.all(streams.map((key) => readStream(redis, key)))).reduce(addInboxes);
}

async function readStream(redis: RedisClient, key: string) {
  const [entries, [first]] = await Promise.all([redis.xlen(key), redis.xrange(key, '-', '+', 'COUNT', 1)]);
  // An entry's id starts with the time at which it was stored.
  return { entries, oldestMs: first === undefined ? null : Number(first[0].split('-')[0]) };
}

function addInboxes(one: Inbox, other: Inbox): Inbox {
  return { entries: one.entries + other.entries, oldestMs: earliest([one.oldestMs, other.oldestMs]) };
}

/** A worker without a heartbeat for this long counts as gone. */
const SILENT_MS = 45_000;

const Worker = z.strictObject({
  /** Milliseconds since 1970, on Redis' clock: workers' clocks differ. */
  atMs: z.number(),
  /** True while this worker has stopped calling the card API because it does not answer. */
  isCardApiAway: z.boolean(),
});
const beatSource = readScript(new URL('./worker-beat.lua', import.meta.url));
type WorkerVitals = z.infer<typeof Worker>;

/** Heartbeats of the workers, with the state that each reports. */
export type Workers = ReturnType<typeof createWorkers>;

export const workersKey = stateKey('workers');

export function createWorkers(redis: RedisClient) {
  const format = recordFormat(Worker);
  const script = defineScript(redis, beatSource);
  return {
    async beat(workerId: string, vitals: Omit<WorkerVitals, 'atMs'>): Promise<void> {
      await script.run([workersKey], [workerId, JSON.stringify(vitals)]);
    },
    async gone(workerId: string): Promise<void> {
      await redis.hdel(workersKey, workerId);
    },
    /** The live workers. */
    async all(): Promise<WorkerVitals[]> {
      const [entries, nowMs] = await Promise.all([redis.hgetall(workersKey), redisNow(redis)]);
      const workers = Object.entries(entries).map(([id, text]) => ({ id, ...format.read(text) }));
      const silent = workers.filter(({ atMs }) => nowMs - atMs > SILENT_MS);
      if (silent.length > 0) await redis.hdel(workersKey, ...silent.map(({ id }) => id));
      return workers
        .filter((worker) => !silent.includes(worker))
        .map(({ atMs, isCardApiAway }) => ({ atMs, isCardApiAway }));
    },
  };
}
