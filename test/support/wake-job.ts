import { Queue } from 'bullmq';
import { QUEUE_PREFIX, stateKey } from '../../src/core/keys.ts';
import { alterRecord } from './alter-record.ts';
import type { RunningCardbell } from './running-cardbell.ts';
import { until } from './until.ts';

/**
 * Runs a scheduled job now. Waits until it is scheduled, which may be just after the related message is shown.
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

/** Moves the end of a temporary change to now, because no job ends it early. */
async function endTime(store: RunningCardbell['store'], jobId: string): Promise<void> {
  const id = jobId.replace(/^temporary-change-/, '');
  const text = id === jobId ? null : await store.hget(stateKey('temporary-changes'), id);
  if (text === null) return;
  const endsAt = new Date(Date.now() - 1000).toISOString();
  await alterRecord(store, 'temporary change', [stateKey('temporary-changes'), id], () => ({ endsAt }));
}
