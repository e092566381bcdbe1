import type { Queue } from 'bullmq';
import type { QueueName, Queues } from '../core/queues.ts';
import type { RedisClient } from '../core/redis.ts';
import { inboxKeys } from '../intake/intake.ts';

/** How full a queue is. */
export interface Depth {
  readonly waiting: number;
  readonly active: number;
  /** They wait for their time: a retry, a pause of Slack's, the end of a temporary limit. */
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

/** What web has stored and no worker has taken. */
export interface InboxDepth {
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
