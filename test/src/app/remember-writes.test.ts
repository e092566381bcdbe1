import { expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../../local/redis.ts';
import { createProgress } from '../../../src/actions/progress-store.ts';
import { createEnqueue } from '../../../src/app/enqueue.ts';
import { toJob } from '../../../src/app/inbox-jobs.ts';
import { remembered, rememberJobs, rememberWrites } from '../../../src/app/remember-writes.ts';
import { createLog } from '../../../src/core/log.ts';
import { closeQueues, openQueues } from '../../../src/core/queues.ts';
import { connectPatient, whenReady } from '../../../src/core/redis.ts';
import { createRedo } from '../../../src/core/redo.ts';
import { inboxKeys } from '../../../src/intake/intake.ts';
import { startRelay } from '../../../src/intake/relay.ts';
import { createTemporaryChanges } from '../../../src/limits/temporary-change-store.ts';
import { createOutbox } from '../../../src/outbox/outbox-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';
import { until } from '../../support/until.ts';
import { read } from '../webhooks/read.ts';

const redis = useRedis();

/** Stores that remember, and what a Redis that has lost everything does with it. */
function createWorld() {
  const writes: (() => Promise<unknown>)[] = [];
  const redo = { remember: (again: () => Promise<unknown>) => void writes.push(again) };
  const stores = rememberWrites(redo, {
    outbox: createOutbox(redis()),
    progress: createProgress(redis()),
    temporaryChanges: createTemporaryChanges(redis()),
  });
  return {
    ...stores,
    async writeAgain() {
      for (const again of writes) await again();
    },
  };
}

const notice = { kind: 'notice' as const, id: 'notice-1', message: { text: 'x', blocks: [] } };

const change = temporaryChangeOf();

it('what was posted and lost is not posted again, also when the entry waits again', async () => {
  const { outbox, writeAgain } = createWorld();
  await outbox.put('C1', notice);
  const sending = await outbox.claim('C1', ['notice-1'], null);
  if (sending === null) throw new Error('nothing was claimed');
  await outbox.markSent('C1', sending, '1.1');

  await redis().flushall();
  await outbox.put('C1', notice);
  await writeAgain();

  expect((await outbox.look('C1', 10)).waiting).toEqual([]);
  expect(await outbox.sentAt('C1', 'notice-1')).toBe('1.1');
  expect(await outbox.put('C1', notice), 'it is known to be posted').toBe(false);
});

it('what was on its way when Redis came back older belongs to its sender: nobody posts it meanwhile', async () => {
  const { outbox, writeAgain } = createWorld();
  await outbox.put('C1', notice);
  const sending = await outbox.claim('C1', ['notice-1'], null);

  await redis().flushall();
  await outbox.put('C1', notice);
  await writeAgain();

  expect((await outbox.look('C1', 10)).unresolved?.sending.ref).toBe(sending?.ref);
});

it('how far an action got is known again, and never goes back', async () => {
  const { progress, writeAgain } = createWorld();
  await progress.write('act_1', { state: 'asked' });
  await redis().flushall();
  await writeAgain();

  expect(await progress.read('act_1')).toEqual({ state: 'asked' });
});

it('a temporary change that was lost ends even so; one that has ended stays ended', async () => {
  const { temporaryChanges, writeAgain } = createWorld();
  await temporaryChanges.save(change);
  await redis().flushall();
  await writeAgain();
  expect(await temporaryChanges.all()).toEqual([change]);

  await temporaryChanges.save({ ...change, state: 'ended' });
  await redis().flushall();
  await createTemporaryChanges(redis()).save(change);
  await writeAgain();

  expect((await temporaryChanges.get('act_1'))?.state).toBe('ended');
  expect(await temporaryChanges.all()).toEqual([]);
});

it('only what was written is repeated', async () => {
  const again: (() => Promise<unknown>)[] = [];
  const write = remembered({ remember: (one) => void again.push(one) }, async (fails: boolean) => {
    if (fails) throw new Error('Redis is away');
  });

  await write(false);
  await expect(write(true)).rejects.toThrow('away');

  expect(again).toHaveLength(1);
});

it('an event whose job Redis lost is a job again, though the inbox has let go of it by then', async () => {
  const log = createLog({ level: 'silent', process: 'test' });
  // It comes back as it was when it was told to save.
  const args = ['--appendonly', 'no'];
  let server: LocalRedis = await startRedis({ extraArgs: args });
  const { port, folder } = server;
  const clients = ['a', 'b'].map((name) => connectPatient({ urls: [server.url], log, name }));
  const [client, reader] = clients as [(typeof clients)[number], (typeof clients)[number]];
  await whenReady(client, 5000);
  const redo = createRedo(client, log);
  const queues = openQueues(client);
  const { enqueue } = rememberJobs(redo, createEnqueue(queues));
  const event = read('decline', { NetworkTransactionId: 1 });
  await client.xadd(inboxKeys.webhooks, '*', 'entry', JSON.stringify({ type: 'event', event }));
  await client.xgroup('CREATE', inboxKeys.webhooks, 'relay', '0');
  await client.save();
  const relay = startRelay({
    reader,
    redis: client,
    consumer: 'worker',
    log,
    roomInQueue: async () => 1000,
    async handOn(entry) {
      await toJob(entry, enqueue);
      await server.kill();
      server = await startRedis({ port, folder, extraArgs: args });
    },
  });

  await until(async () => (await client.xlen(inboxKeys.webhooks)) === 0, 'the inbox is empty');
  await redo.settled();

  expect(await queues.alerts.getWaitingCount(), 'jobs for the event').toBe(1);
  await relay.stop();
  redo.stop();
  await closeQueues(queues);
  for (const one of clients) one.disconnect();
  await server.stop();
});

it('a job that is done is remembered once, and added again', async () => {
  const added: string[] = [];
  const again = new Map<unknown, () => Promise<unknown>>();
  const { enqueue, jobDone } = rememberJobs({ remember: (one, key) => void again.set(key, one) }, async (name) => {
    added.push(name);
  });

  await enqueue('end-mute', { muteId: 'm1' });
  jobDone('end-mute', { muteId: 'm1' });
  for (const one of again.values()) await one();

  expect(added).toEqual(['end-mute', 'end-mute']);
});
