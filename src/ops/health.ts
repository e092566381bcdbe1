import type { Queue } from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { stateKey, webKeys } from '../core/keys.ts';
import type { QueueName, Queues } from '../core/queues.ts';
import { recordFormat } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import { inboxKeys } from '../intake/intake.ts';
import type { MemoryWatch } from '../intake/memory.ts';
import * as opsIssue from './issue.ts';
import { causeKey, createOpsMemory } from './notify-ops.ts';

/** The health of Cardbell as Redis knows it, for App Home, metrics and the ops channel. */
export interface Health {
  /** Webhooks and requests that no worker has taken yet. */
  readonly inbox: InboxDepth;
  readonly queues: Readonly<Record<QueueName, Depth>>;
  /** How long the oldest alert or request has waited for a worker, in milliseconds. */
  readonly lagMs: number;
  /** Jobs that failed for good, over all queues. */
  readonly failed: number;
  /** Webhooks that did not fit, kept aside. */
  readonly quarantined: number;
  /** Last heartbeat of a web process (ms); null: never. */
  readonly webSeenAtMs: number | null;
  /** Live workers, and the last heartbeat of one (ms). */
  readonly workers: number;
  readonly workerSeenAtMs: number | null;
  /** True while a worker sends nothing to the card API because it does not answer. */
  readonly isCardApiAway: boolean;
  readonly isSlackTokenDead: boolean;
  readonly isCardTokenDead: boolean;
  /** How much of its memory Redis uses, with what waits; null: it has no limit. */
  readonly memoryShare: number | null;
}

/** The queues that people wait for. The others may have to wait for Slack. */
const promptQueues = ['alerts', 'actions'] as const;

interface Deps {
  readonly redis: RedisClient;
  readonly queues: Queues;
  /** How many webhooks are in quarantine. */
  readonly countQuarantined: () => Promise<number>;
  readonly memory: Pick<MemoryWatch, 'share'>;
  readonly now?: () => number;
}

export async function readHealth(deps: Deps): Promise<Health> {
  const { redis, queues: opened, countQuarantined, memory, now = Date.now } = deps;
  const told = createOpsMemory(redis);
  const [inbox, queues, quarantined, webSeenAt, workers, isSlackTokenDead, isCardTokenDead] = await Promise.all([
    readInbox(redis),
    readDepths(opened),
    countQuarantined(),
    redis.get(webKeys.open),
    createWorkers(redis, now).all(),
    told.isKnown(causeKey(opsIssue.slackTokenDead())),
    told.isKnown(causeKey(opsIssue.cardTokenDead())),
  ]);
  const oldest = [inbox.oldestMs, ...promptQueues.map((name) => queues[name].oldestMs)].filter((ms) => ms !== null);
  const seen = workers.map(({ atMs }) => atMs);
  return {
    inbox,
    queues,
    lagMs: oldest.length === 0 ? 0 : Math.max(0, now() - Math.min(...oldest)),
    failed: Object.values(queues).reduce((sum, { failed }) => sum + failed, 0),
    quarantined,
    webSeenAtMs: webSeenAt === null ? null : Number(webSeenAt),
    workers: workers.length,
    workerSeenAtMs: seen.length === 0 ? null : Math.max(...seen),
    isCardApiAway: workers.some(({ isCardApiAway }) => isCardApiAway),
    isSlackTokenDead,
    isCardTokenDead,
    memoryShare: memory.share(),
  };
}

/** How full a queue is. */
interface Depth {
  readonly waiting: number;
  readonly active: number;
  /** Scheduled for later: a retry, a pause that Slack asks for, the end of a temporary limit. */
  readonly delayed: number;
  readonly failed: number;
  /** Since when (ms) the oldest job could have been run; null: none waits. */
  readonly oldestMs: number | null;
}

/** How full each queue is. */
export async function readDepths(queues: Queues): Promise<Record<QueueName, Depth>> {
  const [alerts, outbox, updates, actions, maintenance] = await Promise.all([
    readDepth(queues.alerts),
    readDepth(queues.outbox),
    readDepth(queues.updates),
    readDepth(queues.actions),
    readDepth(queues.maintenance),
  ]);
  return { alerts, outbox, updates, actions, maintenance };
}

async function readDepth(queue: Queue): Promise<Depth> {
  const [counts, [next]] = await Promise.all([
    queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed'),
    queue.getWaiting(0, 0),
  ]);
  const { waiting = 0, prioritized = 0, active = 0, delayed = 0, failed = 0 } = counts;
  const oldestMs = next === undefined ? null : next.timestamp + next.delay;
  return { waiting: waiting + prioritized, active, delayed, failed, oldestMs };
}

/** Alerts whose jobs have been added and are not done. */
export async function countAlertJobs({ alerts }: Pick<Queues, 'alerts'>): Promise<number> {
  return await alerts.getJobCountByTypes('waiting', 'active', 'delayed');
}

/** What the web process has stored and no worker has taken yet. */
interface InboxDepth {
  readonly entries: number;
  readonly oldestMs: number | null;
}

export async function readInbox(redis: RedisClient): Promise<InboxDepth> {
  const streams = await Promise.all(
    Object.values(inboxKeys).map(async (key) => ({
      entries: await redis.xlen(key),
      // An entry's id begins with the time at which it was stored.
      oldestMs: Number((await redis.xrange(key, '-', '+', 'COUNT', 1))[0]?.[0].split('-')[0] ?? Number.NaN),
    })),
  );
  const times = streams.map(({ oldestMs }) => oldestMs).filter((ms) => !Number.isNaN(ms));
  return {
    entries: streams.reduce((sum, { entries }) => sum + entries, 0),
    oldestMs: times.length === 0 ? null : Math.min(...times),
  };
}

/** A worker without a heartbeat for this long is gone. */
const SILENT_MS = 45_000;

const Worker = z.strictObject({
  /** Milliseconds since 1970, by the worker's clock. */
  atMs: z.number(),
  /** True while this worker sends nothing to the card API because it does not answer. */
  isCardApiAway: z.boolean(),
});
type WorkerVitals = z.infer<typeof Worker>;

/** Heartbeats of the workers, and what each sees. */
export type Workers = ReturnType<typeof createWorkers>;

export function createWorkers(redis: Redis | Cluster, now: () => number = Date.now) {
  const key = stateKey('workers');
  const format = recordFormat(Worker);
  return {
    async beat(workerId: string, vitals: WorkerVitals): Promise<void> {
      await redis.hset(key, workerId, format.write(vitals));
    },
    async gone(workerId: string): Promise<void> {
      await redis.hdel(key, workerId);
    },
    /** The live ones. */
    async all(): Promise<WorkerVitals[]> {
      const entries = Object.entries(await redis.hgetall(key));
      const workers = entries.map(([id, text]) => ({ id, ...format.read(text) }));
      const silent = workers.filter(({ atMs }) => now() - atMs > SILENT_MS);
      if (silent.length > 0) await redis.hdel(key, ...silent.map(({ id }) => id));
      return workers
        .filter((worker) => !silent.includes(worker))
        .map(({ atMs, isCardApiAway }) => ({ atMs, isCardApiAway }));
    },
  };
}
