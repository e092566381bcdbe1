import type { Job } from 'bullmq';
import { maskCardNumbers } from '../core/card-number.ts';
import type { QuarantinedWebhook } from '../core/quarantined-webhook.ts';
import { type QueueName, type Queues, queueNames } from '../core/queues.ts';

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
