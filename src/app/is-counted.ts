import type { Job } from 'bullmq';
import { z } from 'zod';
import { gapOf } from '../core/gap.ts';
import { Burst, eventsOf } from '../intake/burst.ts';
import { inboxKeys } from '../intake/intake.ts';
import { readInbox } from '../ops/health.ts';
import { readUptime } from '../recovery/recovery-store.ts';
import type { WorkerContext } from './worker-context.ts';

/** Longest wait of a digest for declines that are not counted yet. Longer outages are rare, and people wait for it. */
const COUNT_WAIT_MS = 15 * 60_000;

/** Of each state of a queue. With more jobs in hand, the digest waits without reading them. */
const JOBS_READ_MAX = 200;

const states = ['waiting', 'prioritized', 'active', 'delayed'] as const;
const Arrived = z.looseObject({ kind: z.string(), receivedAt: z.string(), occurredAt: z.string().optional() });
const OfAlert = z.looseObject({ alertId: z.string() });

/** Without a beat for this long, webhooks may be missing. */
const BEATS_MISSING_MS = 12_000;

/** What was fetched for a gap may be in the inbox this long after the gap: a recovery waits for the card API. */
const GAP_FETCHED_MS = 3_600_000;

/**
 * Whether the declines before a digest's end are counted: after an outage, or during a burst, they may still be in the inbox
 * or in jobs, or have to be fetched. They would be in no digest, because the next one begins where this one ends. All other
 * events that arrived before it are then delivered, too.
 */
export function createIsCounted({ redis, queues, alerts, config, now }: WorkerContext) {
  const startedMs = now().getTime();
  const counting = queues.all.filter(({ name }) => name === 'alerts' || name === 'bursts' || name === 'updates');

  return async function isCounted(endMs: number): Promise<boolean> {
    // While no worker ran, nothing could be counted.
    if (now().getTime() - Math.max(endMs, startedMs) > COUNT_WAIT_MS) return true;
    const { untilMs, gaps } = await readUptime(redis);
    if (untilMs !== null && untilMs < endMs && now().getTime() - untilMs > BEATS_MISSING_MS) return false;
    const before = gaps.filter(({ fromMs }) => fromMs < endMs);
    if (await isAnyRecovering(before.filter(({ isRecovered }) => !isRecovered))) return false;
    const { oldestMs } = await readInbox(redis, config.redisShards);
    // What was missed arrives later.
    const mayBeFetched = before.some(({ toMs }) => toMs > endMs - GAP_FETCHED_MS);
    if (oldestMs !== null && (mayBeFetched || oldestMs < endMs)) return false;
    for (const { queue } of counting) {
      const inHand = await Promise.all(states.map((state) => queue.getJobs([state], 0, JOBS_READ_MAX)));
      if (inHand.some((jobs) => jobs.length > JOBS_READ_MAX)) return false;
      for (const job of inHand.flat()) if ((await timesOf(job)).some((time) => Date.parse(time) < endMs)) return false;
    }
    return true;
  };

  /** A recovery is an entry in the inbox, then a job. One that has failed for good is not waited for. */
  async function isAnyRecovering(open: readonly { fromMs: number; toMs: number }[]): Promise<boolean> {
    if (open.length === 0) return false;
    if ((await redis.xlen(inboxKeys.gaps)) > 0) return true;
    const ids = open.map(({ fromMs, toMs }) => `recover-${gapOf(fromMs, toMs, 'start').id}`);
    const found = await Promise.all(ids.map((id) => queues.maintenance.getJob(id)));
    const areRunning = await Promise.all(found.map(async (job) => job !== undefined && !(await job.isFailed())));
    return areRunning.includes(true);
  }

  /** When the events happened and arrived that a job may count. */
  async function timesOf({ name, data }: Job): Promise<string[]> {
    switch (name) {
      case 'deliver-alert':
      case 'deliver-late-alert':
        return timesIn(data);
      case 'deliver-burst':
        return eventsOf(Burst.parse(data)).flatMap(({ event }) => timesIn(event));
      // A decline whose limits were not known is counted when they are.
      case 'enrich-alert': {
        const alert = await alerts.get(OfAlert.parse(data).alertId);
        return alert === null ? [] : timesIn(alert.event);
      }
      default:
        return [];
    }
  }
}

/** A decline that was fetched arrives later, and counts for when it happened. */
function timesIn(event: unknown): string[] {
  const { kind, receivedAt, occurredAt } = Arrived.parse(event);
  return kind === 'decline' && occurredAt !== undefined ? [receivedAt, occurredAt] : [receivedAt];
}
