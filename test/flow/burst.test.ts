import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stormDeclines } from '../../bench/storm-declines.ts';
import { QUEUE_PREFIX } from '../../src/core/keys.ts';
import { closeQueues, openQueues } from '../../src/core/queues.ts';
import { inboxKeys } from '../../src/intake/intake.ts';
import { burstSteps, name, table } from '../support/crash-points.ts';
import { createOrderSheet } from '../support/orders.ts';
import { channels } from '../support/people.ts';
import { readableAmounts } from '../support/readable.ts';
import { atOnce, useCardbell } from '../support/running-cardbell.ts';
import { settled, until } from '../support/until.ts';

const OF_EACH = 20;

const cardbell = useCardbell({ pace: atOnce });
const rows = table(burstSteps);
const died: string[] = [];
let amounts: number[] = [];
let folder: string;

/** An event that this version cannot read, as the last one of a burst. */
const newerEvent = (row: number) => ({ id: `evt_${String(row).padStart(16, '0')}`, kind: 'forecast', acctId: 1 });

/** Each worker is killed during a burst; later workers finish its events. */
beforeAll(async () => {
  const { workers, startWorker, sandbox, deliver, store } = cardbell();
  folder = await mkdtemp(join(tmpdir(), 'cardbell-burst-'));
  const orders = await createOrderSheet(join(folder, 'orders.json'));
  await workers.at(-1)?.stop();
  const acctIds = sandbox.accounts().map(({ AcctId }) => AcctId);
  const declines = stormDeclines(OF_EACH * rows.length, acctIds);
  amounts = declines.map(({ amountCents }) => amountCents);

  for (const [row, [when, step]] of rows.entries()) {
    const ofRow = declines.slice(row * OF_EACH, (row + 1) * OF_EACH);
    await Promise.all(ofRow.map(({ body }) => deliver({ kind: 'decline', body })));
    const entry = JSON.stringify({ type: 'event', event: newerEvent(row) });
    await store.xadd(inboxKeys.webhooks, '*', 'entry', entry);
    await orders.write({ killAt: { pattern: burstSteps[step]?.({ actionId: '' }) ?? '', when } });
    const worker = await startWorker(orders.env);
    await until(() => !worker.isRunning(), `the worker dies ${name(when, step)}`);
    died.push(name(when, step));
  }
  await startWorker();
  const { workspace } = cardbell();
  const shown = () => readableAmounts(workspace, workspace.messages(channels.declines));
  await until(async () => (await shown()).length >= amounts.length, 'all declines are shown', 60_000);
  const states = ['wait', 'active'].map((state) => `${QUEUE_PREFIX}:bursts:${state}`);
  const left = async () => (await store.xlen(inboxKeys.webhooks)) + (await store.exists(...states));
  await until(async () => (await left()) === 0, 'no burst is left');
  await settled(1000);
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

it.each(rows)('kills a worker just %s %s', (when, step) => {
  expect(died).toContain(name(when, step));
});

it('shows each event of the bursts once after all these crashes', async () => {
  const { workspace } = cardbell();

  const shown = await readableAmounts(workspace, workspace.messages(channels.declines));

  expect(shown.toSorted((a, b) => a - b)).toEqual(amounts.toSorted((a, b) => a - b));
});

it('turns each unreadable event into one separate job that is retried and then fails for good', async () => {
  const queues = openQueues(cardbell().store);

  const jobs = await queues.alerts.getJobs(['waiting', 'active', 'delayed', 'failed']);

  expect(new Set(jobs.map(({ id }) => id))).toEqual(new Set(rows.map((_, row) => newerEvent(row).id)));
  expect(jobs).toHaveLength(rows.length);
  expect(jobs.map(({ data }) => data)).toContainEqual(newerEvent(0));
  expect(jobs.map(({ opts }) => opts.attempts)).toEqual(rows.map(() => 12));
  expect(await queues.bursts.getJobCounts('waiting', 'active', 'delayed', 'failed')).toEqual({
    waiting: 0,
    active: 0,
    delayed: 0,
    failed: 0,
  });
  await closeQueues(queues);
});
