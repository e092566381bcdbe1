import type { Job } from 'bullmq';
import { z } from 'zod';
import { Burst, eventsOf } from '../intake/burst.ts';
import { readInbox } from '../ops/health.ts';
import type { WorkerContext } from './worker-context.ts';

/** Longest wait of a digest for declines that are not counted yet. Longer outages are rare, and people wait for it. */
const COUNT_WAIT_MS = 15 * 60_000;

/** Of each state of a queue. With more jobs in hand, the digest waits without reading them. */
const JOBS_READ_MAX = 200;

const states = ['waiting', 'prioritized', 'active', 'delayed'] as const;
const Arrived = z.looseObject({ receivedAt: z.string() });
const OfAlert = z.looseObject({ alertId: z.string() });

/**
 * Whether the declines that arrived before a digest's end are counted: after an outage, or during a burst, they may
 * still be in the inbox or in jobs. They would be in no digest, because the next one begins where this one ends. All other
 * events that arrived before it are then delivered, too.
 */
export function createIsCounted({ redis, queues, alerts, config, now }: WorkerContext) {
  const startedMs = now().getTime();
  const counting = queues.all.filter(({ name }) => name === 'alerts' || name === 'bursts' || name === 'updates');

  return async function isCounted(endMs: number): Promise<boolean> {
    // While no worker ran, nothing could be counted.
    if (now().getTime() - Math.max(endMs, startedMs) > COUNT_WAIT_MS) return true;
    const { oldestMs } = await readInbox(redis, config.redisShards);
    if (oldestMs !== null && oldestMs < endMs) return false;
    for (const { queue } of counting) {
      const inHand = await Promise.all(states.map((state) => queue.getJobs([state], 0, JOBS_READ_MAX)));
      if (inHand.some((jobs) => jobs.length > JOBS_READ_MAX)) return false;
      for (const job of inHand.flat())
        if ((await arrivals(job)).some((receivedAt) => Date.parse(receivedAt) < endMs)) return false;
    }
    return true;
  };

  /** When the events arrived that a job may count. */
  async function arrivals({ name, data }: Job): Promise<string[]> {
    switch (name) {
      case 'deliver-alert':
      case 'deliver-late-alert':
        return [Arrived.parse(data).receivedAt];
      case 'deliver-burst':
        return eventsOf(Burst.parse(data)).map(({ event }) => Arrived.parse(event).receivedAt);
      // A decline whose limits were not known is counted when they are.
      case 'enrich-alert': {
        const alert = await alerts.get(OfAlert.parse(data).alertId);
        return alert === null ? [] : [alert.event.receivedAt];
      }
      default:
        return [];
    }
  }
}
