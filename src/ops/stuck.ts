import type { Job, Queue } from 'bullmq';
import { maskCardNumbers } from '../core/card-number.ts';
import { redisNow } from '../core/clock.ts';
import type { QuarantinedWebhook } from '../core/event.ts';
import type { QueueName, Queues } from '../core/queues.ts';
import type { RedisClient } from '../core/redis.ts';
import { jobFailed } from './issue.ts';
import type { NotifyOps, OpsIssue } from './notify-ops.ts';

/** Something that needs a person: a quarantined webhook, or a job that failed for good. */
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
  readonly quarantined: {
    readonly list: (limit: number, from: number) => Promise<readonly QuarantinedWebhook[]>;
    readonly count: () => Promise<number>;
  };
}

/** How many are read or removed at once. */
const PAGE = 200;

/** The quarantined webhooks, then each queue's failed jobs: at most `limit` of each, newest first. */
export async function listStuck({ queues, quarantined }: Deps, limit: number): Promise<Stuck[]> {
  const kept = await quarantined.list(limit, 0);
  const failed = await failedJobs(queues, limit);
  return [...kept.map(ofWebhook), ...failed.map(ofJob)];
}

/** The same without a limit. */
export async function* everyStuck({ queues, quarantined }: Deps): AsyncGenerator<Stuck> {
  for (let from = 0; from < (await quarantined.count()); from += PAGE)
    yield* (await quarantined.list(PAGE, from)).map(ofWebhook);
  for (const of of queues.all) for await (const job of failedIn(of)) yield ofJob(job);
}

/** Every failed job of a queue, newest first. */
async function* failedIn({ name, queue }: Queues['all'][number]): AsyncGenerator<FailedJob> {
  for (let from = 0; ; from += PAGE) {
    const jobs = await queue.getFailed(from, from + PAGE - 1);
    for (const job of jobs) if (job !== undefined) yield { name, job };
    if (jobs.length < PAGE) return;
  }
}

function ofWebhook({ id, path, receivedAt, issues }: QuarantinedWebhook): Stuck {
  return { id, kind: 'quarantined', what: path, at: receivedAt, cause: maskCardNumbers(issues.join('; ')) };
}

function ofJob({ name, job }: FailedJob): Stuck {
  return {
    id: job.id ?? '',
    kind: 'failed',
    what: `${name}/${job.name}`,
    at: new Date(job.finishedOn ?? job.timestamp).toISOString(),
    cause: maskCardNumbers(job.failedReason ?? ''),
  };
}

interface FailedJob {
  readonly name: QueueName;
  readonly job: Job;
}

/** Jobs that failed for good: at most `limit` of each queue, newest first within the queue. */
async function failedJobs(queues: Queues, limit: number): Promise<FailedJob[]> {
  const found = await Promise.all(
    queues.all.map(async ({ name, queue }) => (await queue.getFailed(0, limit - 1)).map((job) => ({ name, job }))),
  );
  return found.flat().filter(({ job }) => job !== undefined);
}

const WHY_MAX = 200;

/** Reports jobs of all queues that failed for good since then (ms), once per cause. Idempotent. */
export async function reportFailedJobs(queues: Queues, notifyOps: NotifyOps, sinceMs: number): Promise<void> {
  const causes = new Map<string, OpsIssue>();
  for (const of of queues.all) {
    for await (const failed of failedIn(of)) {
      if ((failed.job.finishedOn ?? 0) < sinceMs) break;
      const { id, what, cause } = ofJob(failed);
      const issue = jobFailed(what, (cause.split('\n')[0] ?? '').slice(0, WHY_MAX), id);
      // The newest job of a cause can be replayed for longest.
      if (!causes.has(issue.cause)) causes.set(issue.cause, issue);
    }
  }
  for (const issue of causes.values()) await notifyOps(issue);
}

/** A job that fails for good stays in Redis for two weeks, for inspection and replay. */
export const FAILED_KEPT_SECONDS = 14 * 24 * 3600;

/** BullMQ itself removes old failed jobs only when another job of the same queue fails. */
export async function removeOldFailed(queues: Queues, nowMs: number): Promise<void> {
  // BullMQ counts back from the clock of this machine, which may be wrong.
  const ageMs = Date.now() - nowMs + FAILED_KEPT_SECONDS * 1000;
  for (const { queue } of queues.all) {
    if ((await queue.getFailedCount()) === 0) continue;
    let removed: string[];
    do removed = await queue.clean(ageMs, PAGE, 'failed');
    while (removed.length === PAGE);
  }
}

/** A job that a faster clock delays by no more than this may wait that long. */
const WAKE_TOLERANCE_MS = 5_000;
/** BullMQ stores the time (ms) in the upper bits of a score. */
const BULLMQ_TIME = 0x1000;
/** How many of the delayed jobs are checked at once, latest due first. */
const LOOKED_AT_MAX = 1000;

/**
 * Runs delayed jobs immediately if the process that delayed them had a fast clock, compared to Redis. BullMQ uses the clock
 * of the process, so a clock that is an hour fast would block a channel for an hour.
 *
 * @param redis the connection of the queues, which adds no prefix: the queue's key has it already.
 * @param mayRunEarly whether jobs with this name check what there is to do and delay themselves again.
 * @returns how many jobs it woke.
 */
export async function wakeSkewedJobs(
  queue: Queue,
  redis: RedisClient,
  mayRunEarly: (name: string) => boolean,
): Promise<number> {
  const nowMs = await redisNow(redis);
  let woken = 0;
  const delayed = await queue.getJobs(['delayed'], 0, LOOKED_AT_MAX - 1);
  if (delayed.length === 0) return 0;
  const due = await redis.zmscore(queue.toKey('delayed'), ...delayed.map(({ id = '' }) => id));
  for (const [index, job] of delayed.entries()) {
    // On the clock that delayed it. That clock may have jumped while the job ran, so `processedOn` does not help.
    const delayedAtMs = Number(due[index] ?? 0) / BULLMQ_TIME - job.delay;
    if (delayedAtMs - nowMs <= WAKE_TOLERANCE_MS || !mayRunEarly(job.name)) continue;
    await job.promote().then(
      () => (woken += 1),
      // Another worker was faster.
      () => {},
    );
  }
  return woken;
}
