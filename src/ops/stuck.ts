import type { Job, Queue } from 'bullmq';
import { maskCardNumbers } from '../core/card-number.ts';
import type { QuarantinedWebhook } from '../core/event.ts';
import type { QueueName, Queues } from '../core/queues.ts';
import type { RedisClient } from '../core/redis.ts';
import { jobFailed } from './issue.ts';
import type { NotifyOps, OpsIssue } from './notify-ops.ts';

/** Something that waits for people: a webhook that did not fit, or a job that failed for good. */
interface Stuck {
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
    queues.all.map(async ({ name, queue }) => (await queue.getFailed(0, limit - 1)).map((job) => ({ name, job }))),
  );
  return found.flat().filter(({ job }) => job !== undefined);
}

/** Failures of longer ago have been reported. */
const RECENTLY_MS = 3_600_000;
const REPORTED_MAX = 100;

/** Reports the jobs of all queues that failed for good lately, once for each cause. Safe to repeat. */
export async function reportFailedJobs(queues: Queues, notifyOps: NotifyOps, nowMs: number): Promise<void> {
  const causes = new Map<string, OpsIssue>();
  for (const { name, job } of await failedJobs(queues, REPORTED_MAX)) {
    if (nowMs - (job.finishedOn ?? 0) > RECENTLY_MS) continue;
    const [why = ''] = maskCardNumbers(job.failedReason ?? '').split('\n');
    const issue = jobFailed(`${name}/${job.name}`, why.slice(0, 200), job.id ?? '');
    if (!causes.has(issue.cause)) causes.set(issue.cause, issue);
  }
  for (const issue of causes.values()) await notifyOps(issue);
}

/** Clocks that are right differ by less. */
const CLOCK_DIFFERENCE_MS = 5_000;
/** BullMQ keeps the time (ms) in the upper bits of a score. */
const BULLMQ_TIME = 0x1000;
/** How many of the delayed jobs are checked at once, those due last. */
const LOOKED_AT_MAX = 1000;

/**
 * Runs delayed jobs at once that were delayed by a process whose clock was fast, judged by Redis' clock. BullMQ uses the
 * clock of the process, so a clock that is an hour fast would hold up a channel for an hour.
 *
 * @param mayRunEarly whether jobs of this name look again at what there is to do, and put themselves off.
 * @returns how many jobs it woke.
 */
export async function wakeSkewedJobs(
  queue: Queue,
  redis: RedisClient,
  mayRunEarly: (name: string) => boolean,
): Promise<number> {
  const [seconds] = await redis.time();
  const nowMs = Number(seconds) * 1000;
  let woken = 0;
  const delayed = await queue.getJobs(['delayed'], 0, LOOKED_AT_MAX - 1);
  if (delayed.length === 0) return 0;
  const due = await redis.zmscore(queue.toKey('delayed'), ...delayed.map(({ id = '' }) => id));
  for (const [index, job] of delayed.entries()) {
    // By the clock that delayed it, which may have jumped while the job ran: `processedOn` says nothing about that.
    const delayedAtMs = Number(due[index] ?? 0) / BULLMQ_TIME - job.delay;
    if (delayedAtMs - nowMs <= CLOCK_DIFFERENCE_MS || !mayRunEarly(job.name)) continue;
    await job.promote().then(
      () => (woken += 1),
      // Another worker was faster.
      () => {},
    );
  }
  return woken;
}
