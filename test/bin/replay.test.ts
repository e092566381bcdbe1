import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ConnectionOptions, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type LocalRedis, startRedis } from '../../local/redis.ts';
import { createAlerts } from '../../src/alerts/alert-store.ts';
import { QuarantinedWebhook, type StoredEvent } from '../../src/core/event.ts';
import { QUEUE_PREFIX } from '../../src/core/keys.ts';
import { closeQueues, openQueues } from '../../src/core/queues.ts';
import { createTrackedMessages } from '../../src/outbox/tracked-message-store.ts';
import { reread } from '../../src/webhooks/kind.ts';
import { createQuarantineStore, quarantine } from '../../src/webhooks/quarantine.ts';
import { webhook as sample } from '../fixtures/webhooks/webhook.ts';
import { urlOf, useRedis } from '../support/on-redis.ts';
import { runCommand } from '../support/run-command.ts';
import { change, statusAlert, transactionAlert } from '../templates/fixtures.ts';

const webhook = QuarantinedWebhook.parse({
  id: 'q_1',
  path: 'decline',
  issues: ['does not fit'],
  body: {},
  version: null,
  receivedAt: new Date().toISOString(),
});

const noData = /^This Redis has no data of Cardbell: correct REDIS_URL or PROGRAM, [^\n]*\n$/;

/** Kills Redis and starts it again with its files of an earlier time. */
async function rewind(redis: LocalRedis, older: string): Promise<LocalRedis> {
  const files = join(redis.folder, 'appendonlydir');
  await redis.kill();
  await rm(files, { recursive: true });
  await cp(older, files, { recursive: true });
  return await startRedis({ port: redis.port, folder: redis.folder });
}

it('what was discarded stays discarded and on record if Redis comes back from before that', async () => {
  const redis = await startRedis({ extraArgs: ['--appendfsync', 'always'] });
  const store = new Redis(redis.url, { retryStrategy: () => 50 });
  store.on('error', () => {
    // Redis is killed on purpose.
  });
  const quarantine = createQuarantineStore(store);
  await quarantine.keep(webhook);
  const older = join(redis.folder, 'older');
  await cp(join(redis.folder, 'appendonlydir'), older, { recursive: true });

  const env = { REDIS_URL: redis.url, CARD_API_TOKEN: 'a-token-that-is-long-enough', ALERTS_CHANNEL: 'C0ALERTS' };
  const command = ['dist/bin/replay.js', 'discard', 'q_1', '--reason', 'a test'];
  const replay = spawn(process.execPath, command, { env: { PATH: process.env.PATH, ...env } });
  const ended = once(replay, 'close');
  const [said] = await once(replay.stdout, 'data');
  expect(String(said)).toContain('discarded');
  const again = await rewind(redis, older);
  const [code] = await ended;

  expect(code).toBe(0);
  expect(await quarantine.get('q_1')).toBeNull();
  expect(await quarantine.count()).toBe(0);
  expect(await store.lrange('{cardbell:audit}:chain', 0, -1)).toEqual([expect.stringContaining('"discard"')]);
  store.disconnect();
  await again.stop();
});

describe('a delivery that failed for good', () => {
  const redis = useRedis();

  /** @returns the name of the job that then waits. */
  async function retried(event: StoredEvent): Promise<string | undefined> {
    const queues = openQueues(redis());
    onTestFinished(() => closeQueues(queues));
    await queues.alerts.add('deliver-alert', event, { jobId: event.id });
    const patient = redis().duplicate({ maxRetriesPerRequest: null });
    const connection = patient as ConnectionOptions;
    const worker = new Worker('alerts', null, { connection, prefix: QUEUE_PREFIX, autorun: false });
    await (await worker.getNextJob('token'))?.moveToFailed(new Error('a fault'), 'token');
    await worker.close();
    patient.disconnect();
    const { out } = await runCommand('replay', ['run', 'all'], { REDIS_URL: await urlOf(redis()) });
    expect(out).toBe(`${event.id}: runs again\n1 replayed, 0 not.\n`);
    const [waiting, ...others] = await queues.alerts.getWaiting();
    expect(waiting).toMatchObject({ data: event, attemptsMade: 0 });
    expect([others, await queues.alerts.getFailed()], 'nothing else waits or has failed').toEqual([[], []]);
    return waiting?.name;
  }

  it('is posted as late when it is replayed, like a webhook from quarantine', async () => {
    expect(await retried(transactionAlert().event)).toBe('deliver-late-alert');
  });

  it('stays on time if its alert was posted before its job failed', async () => {
    const alert = transactionAlert();
    const { id } = alert.event;
    const now = () => new Date();
    await createAlerts(redis(), now).save(alert);
    const shown = { subject: { kind: 'alert', id }, audience: 'team', threadId: null } as const;
    const posted = { step: 'posted', text: 'Posted.' } as const;
    await createTrackedMessages(redis(), now).add({ channel: 'C0ALERTS', ts: '1.1' }, [shown], posted);

    expect(await retried(alert.event)).toBe('deliver-alert');
  });

  it('is late if its alert was stored, but never posted', async () => {
    const alert = transactionAlert();
    await createAlerts(redis(), () => new Date()).save(alert);

    expect(await retried(alert.event)).toBe('deliver-late-alert');
  });

  it('of a status change keeps its job, which skips what a recovery has reported', async () => {
    expect(await retried(statusAlert([change()]).event)).toBe('deliver-alert');
  });
});

describe('with more webhooks and failed jobs than one page', () => {
  const redis = useRedis();
  const MANY = 230;

  const replay = (...args: string[]) => replayWith({}, ...args);

  async function replayWith(more: Record<string, string>, ...args: string[]) {
    const env = { PATH: process.env.PATH, REDIS_URL: await urlOf(redis()), ...more };
    return await new Promise<{ code: unknown; lines: string[]; err: string }>((resolve) => {
      execFile(process.execPath, ['dist/bin/replay.js', ...args], { env }, (error, out, err) =>
        resolve({ code: error === null ? 0 : error.code, lines: out.trim().split('\n'), err }),
      );
    });
  }

  beforeEach(async () => {
    const quarantine = createQuarantineStore(redis());
    for (let n = 0; n < MANY; n += 1) await quarantine.keep({ ...webhook, id: `q_${n}` });
    const queues = openQueues(redis());
    const patient = redis().duplicate({ maxRetriesPerRequest: null });
    const connection = patient as ConnectionOptions;
    const worker = new Worker('updates', null, { connection, prefix: QUEUE_PREFIX, autorun: false });
    for (let n = 0; n < MANY; n += 1) {
      await queues.updates.add('job', {}, { jobId: `job-${n}` });
      await (await worker.getNextJob('token'))?.moveToFailed(new Error('a fault'), 'token');
    }
    await worker.close();
    // BullMQ leaves a connection open that it was given. It would try to reconnect for as long as the test run lasts.
    patient.disconnect();
    await closeQueues(queues);
  });

  it('lists all of them, and finds the oldest by its id', async () => {
    const { lines } = await replay('list');
    const oldest = await replay('show', 'job-0');

    expect(lines).toHaveLength(2 * MANY + 1);
    expect(lines.at(-1)).toBe(`${MANY} quarantined, ${MANY} failed.`);
    expect(oldest.lines.join('')).toContain('"cause": "a fault"');
  });

  it('finds a job by its id without searching the jobs that wait, which would hold Redis up', async () => {
    await redis().config('RESETSTAT');

    expect((await replay('show', 'job-0')).code).toBe(0);
    expect(await redis().info('commandstats')).not.toMatch(/cmdstat_(lpos|lrange):/);
  });

  it('says that an empty Redis is empty and leaves it so, so that a backup can still be restored into it', async () => {
    await redis().flushall();

    expect(await replay('list')).toEqual({
      code: 0,
      lines: ['0 quarantined, 0 failed.'],
      err: expect.stringMatching(noData),
    });
    expect(await replay('run', 'all')).toMatchObject({ code: 0, err: expect.stringMatching(noData) });
    expect(await replay('show', 'q_none')).toMatchObject({ code: 1 });
    expect(await replay('run', 'q_none')).toMatchObject({ code: 1 });
    expect(await replay('discard', 'q_none', '--reason', 'a test')).toMatchObject({ code: 78 });
    expect(await redis().dbsize()).toBe(0);
  });

  it('puts on record what it was told to run again, or says that it cannot', async () => {
    const recorded = await replayWith({ CARD_API_TOKEN: 'a-token-that-is-long-enough' }, 'run', 'job-0');
    const unrecorded = await replay('run', 'q_0');
    const records = await redis().lrange('{cardbell:audit}:chain', 0, -1);

    expect(recorded).toMatchObject({ code: 0, err: '' });
    expect(unrecorded.err).toMatch(/^This is not on record: set AUDIT_KEY/);
    expect(records.map((line) => JSON.parse(line).record)).toEqual([
      expect.objectContaining({ event: 'asked', verb: 'replay', actor: null, detail: 'failed updates/job job-0' }),
    ]);
  });

  it.each(['failed', 'completed', 'meta', 'events'])(
    'finds nothing called “%s”, although the queue has data of its own under this name',
    async (word) => {
      const env = { CARD_API_TOKEN: 'a-token-that-is-long-enough' };
      const err = `${word}: nothing with this id is quarantined or failed.\n`;

      expect(await replay('show', word)).toMatchObject({ code: 1, err });
      expect(await replayWith(env, 'run', word)).toMatchObject({ code: 1, err });
      expect(await replayWith(env, 'discard', word, '--reason', 'a test')).toMatchObject({ code: 1, err });
      expect(await redis().exists('{cardbell:audit}:chain'), 'nothing is on record').toBe(0);
    },
  );

  it('adds nothing for a webhook whose event was reported, however long ago', async () => {
    const receivedAt = new Date().toISOString();
    const kept = quarantine(sample('decline'), { path: 'decline', issues: ['x'], version: '2.0.1.3', receivedAt });
    await createQuarantineStore(redis()).keep(kept);
    // A recovery has stored it before, and the inbox does not remember that any more.
    await createAlerts(redis(), () => new Date()).save(transactionAlert({ id: reread(kept, 'America/New_York').id }));

    expect((await replay('run', kept.id)).lines[0]).toBe(`${kept.id}: was there already, nothing added`);
  });

  it('runs all of them once, although the webhooks still do not fit', async () => {
    const { code, lines } = await replay('run', 'all');
    const after = await replay('list');

    expect(code).toBe(1);
    expect(lines.at(-1)).toBe(`${MANY} replayed, ${MANY} not.`);
    expect(after.lines.at(-1)).toBe(`${MANY} quarantined, 0 failed.`);
  });
});
