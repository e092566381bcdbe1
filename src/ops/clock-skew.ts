import type { Queue } from 'bullmq';
import { QUEUE_PREFIX } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';

/** Clocks that agree differ by less. */
const SLACK_MS = 5_000;
/** Looked at in one round: the ones that are due last. */
const LOOKED_AT_MAX = 100;

/**
 * Runs jobs whose waiting time was stamped by a clock that was fast: they are due later than the whole time that they
 * were to wait. BullMQ writes due times by the clock of the worker, so an hour's jump of one clock would hold a
 * channel for an hour.
 *
 * Judged by Redis' clock. Only for queues whose jobs may run too early without harm: they ask again what there is to do.
 */
export async function wakeSkewedJobs(queue: Queue, redis: RedisClient): Promise<number> {
  const [seconds = '0'] = (await redis.time()) as unknown as string[];
  const key = `${QUEUE_PREFIX}:${queue.name}`;
  const found = await redis.zrevrange(`${key}:delayed`, 0, LOOKED_AT_MAX - 1, 'WITHSCORES');
  let woken = 0;
  for (let i = 0; i < found.length; i += 2) {
    const id = found[i] ?? '';
    // BullMQ keeps an order among equal times in the lowest twelve bits.
    const leftMs = Number(found[i + 1]) / 0x1000 - Number(seconds) * 1000;
    if (leftMs <= SLACK_MS) break;
    const delayMs = Number((await redis.hget(`${key}:${id}`, 'delay')) ?? 0);
    if (leftMs <= delayMs + SLACK_MS) continue;
    const job = await queue.getJob(id);
    // Somebody else may have been faster.
    await job?.promote().then(
      () => (woken += 1),
      () => {},
    );
  }
  return woken;
}
