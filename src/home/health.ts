import type { QueueName } from '../queue/jobs.ts';
import type { Queues } from '../queue/queues.ts';
import type { QuarantineStore } from '../store/quarantine.ts';

/** How the bot itself fares. */
export interface BotHealth {
  /** Webhooks and clicks that wait to be worked on. */
  readonly waiting: number;
  /** How long the oldest of them has waited, in milliseconds. */
  readonly oldestMs: number;
  /** Newest first, at most `SHOWN_MAX`; `failedCount` is all. */
  readonly failed: readonly { readonly id: string; readonly what: string; readonly why: string }[];
  readonly failedCount: number;
  /** Webhooks that did not fit, newest first. */
  readonly quarantined: readonly { readonly id: string; readonly path: string; readonly why: string }[];
}

const SHOWN_MAX = 5;
/** Where people wait for something. */
const watched: readonly QueueName[] = ['alerts', 'actions', 'updates', 'upkeep'];

/** Looks at the queues and the quarantine; changes nothing. */
export async function botHealth(
  queues: Pick<Queues, 'queue'>,
  quarantined: Pick<QuarantineStore, 'list'>,
  nowMs: number,
): Promise<BotHealth> {
  const looks = await Promise.all(
    watched.map(async (name) => {
      const queue = queues.queue(name);
      const [counts, [oldest], failed] = await Promise.all([
        queue.getJobCounts('waiting', 'failed'),
        queue.getWaiting(0, 0),
        queue.getFailed(0, SHOWN_MAX - 1),
      ]);
      return { name, counts, oldest, failed: failed.filter((job) => job !== undefined) };
    }),
  );
  const failed = looks.flatMap(({ name, failed: jobs }) => jobs.map((job) => ({ name, job })));
  const kept = await quarantined.list(SHOWN_MAX);
  return {
    waiting: sum(looks.map(({ counts }) => counts['waiting'] ?? 0)),
    oldestMs: Math.max(0, ...looks.map(({ oldest }) => (oldest === undefined ? 0 : nowMs - oldest.timestamp))),
    failed: failed
      .toSorted((one, other) => (other.job.finishedOn ?? 0) - (one.job.finishedOn ?? 0))
      .slice(0, SHOWN_MAX)
      .map(({ name, job }) => ({ id: job.id ?? '', what: `${name}/${job.name}`, why: job.failedReason ?? '' })),
    failedCount: sum(looks.map(({ counts }) => counts['failed'] ?? 0)),
    quarantined: kept.map(({ id, path, issues }) => ({ id, path, why: issues.slice(0, 2).join('; ') })),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
