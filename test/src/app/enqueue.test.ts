import { type ConnectionOptions, Worker } from 'bullmq';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createEnqueue, createKeepIntervals, type Enqueue, toJob, toJobs } from '../../../src/app/enqueue.ts';
import { type JobName, jobs } from '../../../src/app/jobs.ts';
import { UnreadableError } from '../../../src/core/errors.ts';
import { QUEUE_PREFIX } from '../../../src/core/keys.ts';
import { closeQueues, openQueues, type Queues } from '../../../src/core/queues.ts';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { burstOf } from '../../../src/intake/burst.ts';
import type { InboxEntry } from '../../../src/intake/intake.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask } from '../../support/perform-world.ts';
import { read } from '../webhooks/read.ts';

const redis = useRedis();
let queues: Queues;
beforeEach(() => {
  queues = openQueues(redis());
});
afterEach(() => {
  vi.restoreAllMocks();
  return closeQueues(queues);
});

it('adds a job with an id once, however often it is enqueued', async () => {
  const enqueue = createEnqueue(queues, () => new Date());

  await enqueue('end-mute', { muteId: 'm1' }, { delayMs: 60_000 });
  await enqueue('end-mute', { muteId: 'm1' });

  expect(await queues.maintenance.getJobCounts('waiting', 'delayed')).toEqual({ waiting: 0, delayed: 1 });
});

it('adds a second job beside the delayed one if it has a separate id', async () => {
  const enqueue = createEnqueue(queues, () => new Date());

  await enqueue('end-mute', { muteId: 'm1' }, { atMs: Date.now() + 60_000 });
  await enqueue('end-mute', { muteId: 'm1' }, { id: 'mute-m1-now' });

  expect(await queues.maintenance.getJobCounts('waiting', 'delayed')).toEqual({ waiting: 1, delayed: 1 });
});

it('merges jobs that update the same message', async () => {
  const enqueue = createEnqueue(queues, () => new Date());

  for (const id of ['evt_1', 'evt_1', 'evt_2']) await enqueue('update-messages', { kind: 'alert', id });

  expect(await queues.updates.getJobCounts('waiting')).toEqual({ waiting: 2 });
});

it('keeps a wake of an outbox that is requested while one for the same second runs early', async () => {
  const enqueue = createEnqueue(queues, () => new Date());
  const wake = { channel: 'C1', second: 7 };
  const patient = redis().duplicate({ maxRetriesPerRequest: null });
  const connection = patient as ConnectionOptions;
  const worker = new Worker('outbox', null, { connection, prefix: QUEUE_PREFIX, autorun: false });
  await enqueue('wake-outbox', wake);
  const early = await worker.getNextJob('token');

  for (let count = 0; count < 3; count += 1) await enqueue('wake-outbox', wake, { delayMs: 60_000 });
  await early?.moveToCompleted(null, 'token', false);

  expect(await queues.outbox.getJobCounts('waiting', 'delayed')).toEqual({ waiting: 0, delayed: 1 });
  await worker.close();
  patient.disconnect();
});

it('runs an overdue job at once', async () => {
  await createEnqueue(queues, () => new Date())('end-mute', { muteId: 'm1' }, { atMs: Date.now() - 60_000 });

  expect(await queues.maintenance.getJobCounts('waiting')).toEqual({ waiting: 1 });
});

it('schedules every job of the table that has an interval, including a lost one, except the unneeded ones', async () => {
  const keepIntervals = createKeepIntervals(queues, ['copy-audit'], () => new Date());
  await keepIntervals();
  await queues.maintenance.removeJobScheduler('refresh-homes');
  await keepIntervals();

  const scheduled = await queues.maintenance.getJobSchedulers();
  const repeated = Object.entries(jobs).filter(([name, { everyMs }]) => everyMs !== undefined && name !== 'copy-audit');
  expect(Object.fromEntries(scheduled.map(({ name, every }) => [name, Number(every)]))).toEqual(
    Object.fromEntries(repeated.map(([name, { everyMs }]) => [name, everyMs])),
  );
});

it('schedules a job anew that a worker with a clock six hours fast ran last, and no other', async () => {
  const keepIntervals = createKeepIntervals(queues, [], () => new Date());
  const nextIn = async (name: JobName): Promise<number> =>
    Number((await queues.maintenance.getJobScheduler(name))?.next) - Date.now();
  const later = (ms: number): void => {
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + ms);
  };
  await keepIntervals();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6 * 3_600_000 });
  await queues.maintenance.removeJobScheduler('copy-audit');
  await keepIntervals();
  vi.useRealTimers();
  const untouched = await nextIn('refresh-directory');
  await keepIntervals();
  expect(await nextIn('copy-audit'), 'perhaps that worker still runs it on time').toBeGreaterThan(5 * 3_600_000);

  later(40_000);
  await keepIntervals();

  expect(await nextIn('copy-audit')).toBeLessThan(10_000);
  expect(await nextIn('refresh-directory')).toBeLessThanOrEqual(untouched);
});

it('does not schedule a job anew that is due and waits for its turn', async () => {
  const start = performance.now();
  let ms = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => start + ms);
  const keepIntervals = createKeepIntervals(queues, [], () => new Date(Date.now() + ms));
  for (; ms < 300_000; ms += 20_000) await keepIntervals();

  const jobsOf = await queues.maintenance.getJobs();
  expect(jobsOf.filter(({ name }) => name === 'copy-audit')).toHaveLength(1);
});

/** The requests in the order in which a worker takes them. */
async function taken(): Promise<string[]> {
  const patient = redis().duplicate({ maxRetriesPerRequest: null });
  const connection = patient as ConnectionOptions;
  const worker = new Worker('actions', null, { connection, prefix: QUEUE_PREFIX, autorun: false });
  const ids: string[] = [];
  for (let job = await worker.getNextJob('token'); job !== undefined; job = await worker.getNextJob('token'))
    ids.push(job.id ?? '');
  await worker.close();
  patient.disconnect();
  return ids;
}

const perform = (action: VerbAction) =>
  createEnqueue(queues, () => new Date())('perform-action', { action, signature: 'signed' });

it.each<[string, VerbAction]>([
  ['block', ask('block', { id: 'act_now' })],
  ['*Block all*', ask('block-all', { id: 'act_now', acctIds: [7378], names: ['Jane Doe'] })],
])('puts a %s in front of everything that people asked for before it', async (_what, action) => {
  for (const id of ['act_1', 'act_2']) await perform(ask('show', { id }));
  await perform(action);

  expect(await taken()).toEqual(['act_now', 'act_1', 'act_2']);
});

it('keeps a block that had to wait in front of other requests, and blocks in the order in which people asked', async () => {
  const enqueue = createEnqueue(queues, () => new Date());
  const block = { action: ask('block', { id: 'act_limited' }), signature: 'signed' };
  await enqueue('perform-action', block, { delayMs: 60_000 });
  await perform(ask('show', { id: 'act_show' }));
  for (const id of ['act_block1', 'act_block2']) await perform(ask('block', { id }));
  await enqueue('record-refusal', {
    action: ask('show', { id: 'act_refused' }),
    why: 'not-holder',
    signature: 'signed',
  });

  await (await queues.actions.getJob('act_limited'))?.promote();

  expect(await taken()).toEqual(['act_block1', 'act_block2', 'act_limited', 'act_show', 'act_refused']);
});

it('takes a request that an older version has added before newer ones', async () => {
  await perform(ask('show', { id: 'act_new' }));
  const data = { action: ask('show', { id: 'act_old' }), signature: 'signed' };
  await queues.actions.add('perform-action', data, { jobId: 'act_old' });

  expect(await taken()).toEqual(['act_old', 'act_new']);
});

function collected() {
  const added: [string, unknown][] = [];
  const enqueue: Enqueue = async (name, data) => void added.push([name, data]);
  return { added, enqueue };
}
const ofNewerVersion = { type: 'forecast', day: 'monday' } as unknown as InboxEntry;

it('enqueues a person’s action as the job that performs it', async () => {
  const { added, enqueue } = collected();
  const action = ask('block');

  await toJob({ type: 'action', action, signature: 'signed' }, enqueue);

  expect(added).toEqual([['perform-action', { action, signature: 'signed' }]]);
});

it('sets an entry of a newer version aside in a job that fails until a newer worker takes it', async () => {
  const { added, enqueue } = collected();

  await toJob(ofNewerVersion, enqueue);

  expect(added).toEqual([['forward-entry', { entry: ofNewerVersion }]]);
  await expect(toJob(ofNewerVersion, enqueue, true)).rejects.toThrow(UnreadableError);
});

const declined = (id: number) => ({ type: 'event', event: read('decline', { NetworkTransactionId: id }) }) as const;

it('makes one job from events that were read together, and adds it once', async () => {
  const enqueue = createEnqueue(queues, () => new Date());

  for (let time = 0; time < 2; time += 1) await toJobs([declined(1), declined(2), declined(3)], enqueue);

  expect(await queues.alerts.getWaitingCount()).toBe(0);
  const [job, ...more] = await queues.bursts.getWaiting();
  expect([job?.name, more]).toEqual(['deliver-burst', []]);
  expect(job?.data).toEqual(burstOf([declined(1), declined(2), declined(3)]));
});

it('makes an ordinary job from an event that was read alone', async () => {
  await toJobs(
    [declined(1)],
    createEnqueue(queues, () => new Date()),
  );

  expect(await queues.bursts.getWaitingCount()).toBe(0);
  expect((await queues.alerts.getWaiting()).map(({ name, id }) => [name, id])).toEqual([
    ['deliver-alert', declined(1).event.id],
  ]);
});
