import { type ConnectionOptions, Queue, Worker } from 'bullmq';
import { afterEach, expect, it, vi } from 'vitest';
import { QUEUE_PREFIX } from '../../../src/core/keys.ts';
import { closeQueues, openQueues } from '../../../src/core/queues.ts';
import type { NotifyOps } from '../../../src/ops/notify-ops.ts';
import { removeOldFailed, reportFailedJobs, wakeSkewedJobs } from '../../../src/ops/stuck.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const HOUR_MS = 3_600_000;

afterEach(() => {
  vi.useRealTimers();
});

/** Runs the given work while this process's clock is ahead, or behind. */
async function ahead<T>(byMs: number, work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}
const anHourFast = <T>(work: () => Promise<T>): Promise<T> => ahead(HOUR_MS, work);

it('wakes jobs that a fast clock delayed by an hour, but not jobs that are meant to wait', async () => {
  const options = { connection: redis() as ConnectionOptions, prefix: QUEUE_PREFIX };
  const queue = new Queue('alerts', options);
  const patient = redis().duplicate({ maxRetriesPerRequest: null });
  const worker = new Worker('alerts', null, { ...options, connection: patient as ConnectionOptions, autorun: false });
  await queue.add('put off', {}, { jobId: 'put-off' });
  await anHourFast(async () => {
    const job = await worker.getNextJob('token');
    await job?.moveToDelayed(Date.now() + 1050, 'token');
  });
  await queue.add('put off after a jump', {}, { jobId: 'jumped' });
  const begun = await worker.getNextJob('token');
  await anHourFast(async () => await begun?.moveToDelayed(Date.now() + 1050, 'token'));
  await queue.add('failed after a jump', {}, { jobId: 'tried-again', attempts: 2, backoff: 1050 });
  const failing = await worker.getNextJob('token');
  await anHourFast(async () => await failing?.moveToFailed(new Error('a fault'), 'token'));
  await anHourFast(() => queue.add('digest', {}, { jobId: 'digest', delay: 1050 }));
  await anHourFast(() => queue.add('added', {}, { jobId: 'added', delay: 1050 }));
  await queue.add('patient', {}, { jobId: 'patient', delay: HOUR_MS });
  await queue.add('soon', {}, { jobId: 'soon', delay: 1050 });

  expect(await wakeSkewedJobs(queue, redis(), (name) => name !== 'digest')).toBe(4);

  const states = await Promise.all(
    ['put-off', 'jumped', 'tried-again', 'added', 'digest', 'patient', 'soon'].map((id) => queue.getJobState(id)),
  );
  expect(states).toEqual(['waiting', 'waiting', 'waiting', 'waiting', 'delayed', 'delayed', 'delayed']);
  await worker.close();
  patient.disconnect();
  await queue.close();
});

it('reports the jobs of every queue that have failed since a time, once per cause', async () => {
  const options = { connection: redis() as ConnectionOptions, prefix: QUEUE_PREFIX };
  const queues = openQueues(redis());
  const patient = redis().duplicate({ maxRetriesPerRequest: null });
  const fail = async (name: 'actions' | 'updates', reasons: readonly string[]): Promise<void> => {
    const worker = new Worker(name, null, { ...options, connection: patient as ConnectionOptions, autorun: false });
    for (const reason of reasons) {
      await queues[name].add('job', {});
      await (await worker.getNextJob('token'))?.moveToFailed(new Error(reason), 'token');
    }
    await worker.close();
  };
  await fail('actions', ['a cause that 250 others follow', 'cannot read field 7', 'cannot read field 8']);
  await fail(
    'actions',
    Array.from({ length: 250 }, (_, index) => `cannot read field ${index}`),
  );
  await fail('updates', ['cannot read field 7', 'card 4111111111111111 is gone']);
  const reported: string[] = [];
  const notifyOps: NotifyOps = async ({ title, what }) => void reported.push(`${title} ${what}`);

  await reportFailedJobs(queues, notifyOps, Date.now() - HOUR_MS);

  expect(reported.map((text) => /\((.*)\)/.exec(text)?.[1] ?? '').toSorted()).toEqual([
    'actions/job',
    'actions/job',
    'updates/job',
    'updates/job',
  ]);
  expect(reported.join()).not.toContain('4111111111111111');
  reported.length = 0;
  await reportFailedJobs(queues, notifyOps, Date.now() + HOUR_MS);
  expect(reported).toEqual([]);
  patient.disconnect();
  await closeQueues(queues);
});

it('removes jobs that failed 14 days ago in every queue and shard, although no other job fails there', async () => {
  const queues = openQueues(redis(), 2);
  const patient = redis().duplicate({ maxRetriesPerRequest: null });
  for (const { name, shard, queue } of queues.all) {
    const options = { connection: patient as ConnectionOptions, prefix: queues.prefixOf(shard), autorun: false };
    const worker = new Worker(name, null, options);
    for (const [jobId, ageHours] of [
      ['old', 14 * 24 + 1],
      ['newer', 14 * 24 - 1],
    ] as const) {
      await queue.add('job', { holder: 'Jane Doe' }, { jobId });
      await ahead(-ageHours * HOUR_MS, async () => {
        await (await worker.getNextJob('token'))?.moveToFailed(new Error('a fault'), 'token');
      });
    }
    await worker.close();
  }

  // Redis' time counts, not that of this machine.
  await ahead(24 * HOUR_MS, () => removeOldFailed(queues, Date.now() - 24 * HOUR_MS));

  for (const { name, shard, queue } of queues.all) {
    expect(
      (await queue.getFailed()).map(({ id }) => id),
      `${name} ${shard}`,
    ).toEqual(['newer']);
    expect(await redis().exists(queue.toKey('old')), `${name} ${shard}`).toBe(0);
  }
  patient.disconnect();
  await closeQueues(queues);
});
