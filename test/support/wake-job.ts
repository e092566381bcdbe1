import { Queue } from 'bullmq';
import { QUEUE_PREFIX, stateKey } from '../../src/core/keys.ts';
import { alterRecord } from './alter-record.ts';
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
    await endTime(store, id);
    await (await queue.getJob(id))?.promote();
  } finally {
    await queue.close();
  }
}

/** A temporary change is not ended before its time, whoever wakes it: so its time is over now. */
async function endTime(store: RunningCardbell['store'], jobId: string): Promise<void> {
  const id = jobId.replace(/^temporary-change-/, '');
  const text = id === jobId ? null : await store.hget(stateKey('temporary-changes'), id);
  if (text === null) return;
  const endsAt = new Date(Date.now() - 1000).toISOString();
  await alterRecord(store, 'temporary change', [stateKey('temporary-changes'), id], () => ({ endsAt }));
}
