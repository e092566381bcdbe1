import { Queue } from 'bullmq';
import { QUEUE_PREFIX } from '../../src/core/keys.ts';
import type { RunningCardbell } from './running-cardbell.ts';
import { until } from './until.ts';

/**
 * Runs now what would run by itself later. Waits until it is scheduled: that may be a moment after people are shown what
 * it belongs to.
 */
export async function wakeJob(store: RunningCardbell['store'], id: string): Promise<void> {
  const queue = new Queue('maintenance', { connection: store as never, prefix: QUEUE_PREFIX });
  try {
    await until(async () => (await (await queue.getJob(id))?.isDelayed()) === true, `the job ${id} is scheduled`);
    await (await queue.getJob(id))?.promote();
  } finally {
    await queue.close();
  }
}
