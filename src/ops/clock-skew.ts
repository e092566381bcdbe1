import type { Queue } from 'bullmq';
import type { RedisClient } from '../core/redis.ts';

/** Clocks that agree differ by less. */
const SLACK_MS = 5_000;
/** Looked at in one round: the jobs that are due last. */
const LOOKED_AT_MAX = 100;

/**
 * Runs jobs whose waiting time was stamped by a clock that was fast: they were added, or put off, at a time that still
 * lies ahead. BullMQ writes due times by the clock of the process, so an hour's jump of one clock would hold a channel
 * for an hour.
 *
 * Judged by Redis' clock. Only for queues whose jobs may run too early without harm: they ask again what there is to do.
 *
 * @returns how many jobs it woke.
 */
export async function wakeSkewedJobs(queue: Queue, redis: RedisClient): Promise<number> {
  const [seconds] = await redis.time();
  const nowMs = Number(seconds) * 1000;
  let woken = 0;
  for (const job of await queue.getJobs(['delayed'], 0, LOOKED_AT_MAX - 1)) {
    // A job is put off while it runs, by the clock that stamped when it began to run.
    if ((job.processedOn ?? job.timestamp) - nowMs <= SLACK_MS) continue;
    await job.promote().then(
      () => (woken += 1),
      // Somebody else was faster.
      () => {},
    );
  }
  return woken;
}
