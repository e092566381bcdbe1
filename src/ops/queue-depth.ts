import { QUEUE_PREFIX } from '../core/keys.ts';
import { type QueueName, queueNames } from '../core/queues.ts';
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

/**
 * How full each queue is, by BullMQ's own keys: the web process tells it without having a queue.
 * `test/src/ops/queue-depth.test.ts` compares it with what BullMQ says.
 */
export async function readDepths(redis: RedisClient): Promise<Record<QueueName, Depth>> {
  const depths = await Promise.all(queueNames.map((name) => readDepth(redis, `${QUEUE_PREFIX}:${name}`)));
  return Object.fromEntries(queueNames.map((name, index) => [name, depths[index]])) as Record<QueueName, Depth>;
}

async function readDepth(redis: RedisClient, key: string): Promise<Depth> {
  const [waiting, prioritized, active, delayed, failed, next] = await Promise.all([
    redis.llen(`${key}:wait`),
    redis.zcard(`${key}:prioritized`),
    redis.llen(`${key}:active`),
    redis.zcard(`${key}:delayed`),
    redis.zcard(`${key}:failed`),
    redis.lindex(`${key}:wait`, -1),
  ]);
  const [timestamp, delay] = next === null ? [null, null] : await redis.hmget(`${key}:${next}`, 'timestamp', 'delay');
  const oldestMs = timestamp == null ? null : Number(timestamp) + Number(delay ?? 0);
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
