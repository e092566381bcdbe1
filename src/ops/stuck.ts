import type { Job, Queue } from 'bullmq';
import { maskCardNumbers } from '../core/card-number.ts';
import type { QuarantinedWebhook } from '../core/event.ts';
import { type QueueName, type Queues, queueNames } from '../core/queues.ts';
import type { RedisClient } from '../core/redis.ts';

/** Something that does not go on by itself: a webhook that did not fit, or a job that failed for good. */
export interface Stuck {
  readonly id: string;
  readonly kind: 'quarantined' | 'failed';
  /** Receiver of a webhook (`decline`), or queue and job (`alerts/deliver-alert`). */
  readonly what: string;
  /** UTC ISO 8601. */
  readonly at: string;
  /** Why, masked. */
  readonly cause: string;
}

interface Deps {
  readonly queues: Queues;
  /** Webhooks in quarantine, newest first. */
  readonly quarantined: { readonly list: (limit: number) => Promise<readonly QuarantinedWebhook[]> };
}

/** Newest first of each kind, at most `limit` of each kind and queue. */
export async function listStuck({ queues, quarantined }: Deps, limit: number): Promise<Stuck[]> {
  const kept = await quarantined.list(limit);
  const failed = await failedJobs(queues, limit);
  return [
    ...kept.map(
      ({ id, path, receivedAt, issues }): Stuck => ({
        id,
        kind: 'quarantined',
        what: path,
        at: receivedAt,
        cause: maskCardNumbers(issues.join('; ')),
      }),
    ),
    ...failed.map(
      ({ name, job }): Stuck => ({
        id: job.id ?? '',
        kind: 'failed',
        what: `${name}/${job.name}`,
        at: new Date(job.finishedOn ?? job.timestamp).toISOString(),
        cause: maskCardNumbers(job.failedReason ?? ''),
      }),
    ),
  ];
}

/** Jobs that failed for good, of every queue, newest first. */
export async function failedJobs(
  queues: Queues,
  limit: number,
): Promise<{ readonly name: QueueName; readonly job: Job }[]> {
  const found = await Promise.all(
    queueNames.map(async (name) => (await queues[name].getFailed(0, limit - 1)).map((job) => ({ name, job }))),
  );
  return found.flat().filter(({ job }) => job !== undefined);
}

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
