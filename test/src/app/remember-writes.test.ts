import { describe, expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../../local/redis.ts';
import { createEnqueue, rememberJobs, toJobs } from '../../../src/app/enqueue.ts';
import { remembered } from '../../../src/app/remember-writes.ts';
import { createLock } from '../../../src/core/lock.ts';
import { createLog } from '../../../src/core/log.ts';
import { closeQueues, openQueues } from '../../../src/core/queues.ts';
import { connectPatient, whenReady } from '../../../src/core/redis.ts';
import { createRedo } from '../../../src/core/redo.ts';
import { createWriteOrder, type WriteOrder } from '../../../src/core/write-order.ts';
import { inboxKeys } from '../../../src/intake/intake.ts';
import { startRelay } from '../../../src/intake/relay.ts';
import { OutboxEntry } from '../../../src/outbox/entry.ts';
import { ELSEWHERE } from '../../../src/outbox/sending-store.ts';
import type { Mute } from '../../../src/routing/mute-store.ts';
import { openRequestOf } from '../../support/limit-requests.ts';
import { useRedis } from '../../support/on-redis.ts';
import { createRememberingWorker } from '../../support/remembering-worker.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';
import { settled, until } from '../../support/until.ts';
import { card, statusAlert, change as statusChange } from '../../templates/fixtures.ts';
import { read } from '../webhooks/read.ts';

const redis = useRedis();

const createWorker = (over: Partial<WriteOrder> = {}) => createRememberingWorker(redis(), over);
type Worker = ReturnType<typeof createWorker>;

/** Runs `meanwhile`, then resets Redis to its state before. */
async function losing(meanwhile: () => Promise<unknown>): Promise<void> {
  const keys = await redis().keys('*');
  const dumps = await Promise.all(keys.map((key) => redis().dumpBuffer(key)));
  await meanwhile();
  await redis().flushall();
  await Promise.all(keys.map((key, index) => redis().restore(key, 0, dumps[index] ?? Buffer.alloc(0))));
}

const notice = { kind: 'notice' as const, id: 'notice-1', message: { text: 'x', blocks: [] } };
const at = '2026-11-20T15:00:00.000Z';
const earlier = '2026-11-20T14:59:00.000Z';
const blocked = { kind: 'status', status: 'BLOCKED', cardId: null } as const;
const change = temporaryChangeOf();

it('does not post a message again whose record Redis lost, even if its entry waits again', async () => {
  const { outbox, writeAgain } = createWorker();
  await outbox.put('C1', notice);
  await losing(async () => {
    const sending = await outbox.claim('C1', ['notice-1'], null);
    if (sending === null) throw new Error('nothing was claimed');
    await outbox.markSent('C1', sending, '1.1');
  });

  await writeAgain();

  expect((await outbox.look('C1', 10)).waiting).toEqual([]);
  expect(await outbox.sentAt('C1', ['notice-1'])).toEqual(['1.1']);
  expect(await outbox.put('C1', notice), 'it is recorded as posted').toBe(false);
});

it('leaves a message in flight to its sender when Redis loses writes', async () => {
  const { outbox, writeAgain } = createWorker();
  await outbox.put('C1', notice);
  const sending = await outbox.claim('C1', ['notice-1'], null);

  await redis().flushall();
  await outbox.put('C1', notice);
  await writeAgain();

  expect((await outbox.look('C1', 10)).unresolved?.sending.ref).toBe(sending?.ref);
});

it('leaves a message in flight to its sender when Redis loses it with its entries, before their jobs run again', async () => {
  const { outbox, writeAgain } = createWorker();
  await outbox.put('C1', notice);
  const sending = await outbox.claim('C1', ['notice-1'], null, [OutboxEntry.parse(notice)]);
  if (sending === null) throw new Error('nothing was claimed');

  await redis().flushall();
  await writeAgain();
  await outbox.put('C1', notice);

  expect(await outbox.look('C1', 10)).toMatchObject({ unresolved: { sending: { ref: sending.ref } }, waiting: [] });
  await outbox.markSent('C1', sending, '1.1');
  expect(await outbox.look('C1', 10)).toMatchObject({ unresolved: null, waiting: [] });
});

it('leaves no message in flight whose entries were posted in smaller messages, when Redis loses all of them', async () => {
  const { outbox, writeAgain } = createWorker();
  const entries = ['a', 'b'].map((id) => OutboxEntry.parse({ ...notice, id }));
  for (const entry of entries) await outbox.put('C1', entry);
  const refused = await outbox.claim('C1', ['a', 'b'], null, entries);
  if (refused === null) throw new Error('nothing was claimed');
  await outbox.requeue('C1', refused, 1);
  for (const entry of entries) {
    const sending = await outbox.claim('C1', [entry.id], null, [entry]);
    if (sending === null) throw new Error('nothing was claimed');
    await outbox.markSent('C1', sending, '1.1');
  }

  await redis().flushall();
  await writeAgain();

  expect(await outbox.look('C1', 10)).toMatchObject({ unresolved: null, waiting: [] });
});

it('does not return a message posted elsewhere to its own channel', async () => {
  const { outbox, writeAgain } = createWorker();
  await outbox.put('C1', notice);
  await losing(async () => {
    const sending = await outbox.claim('C1', ['notice-1'], null);
    if (sending === null) throw new Error('nothing was claimed');
    await outbox.markSent('C1', sending, ELSEWHERE);
  });

  await writeAgain();

  expect(await outbox.look('C1', 10)).toMatchObject({ unresolved: null, waiting: [] });
  expect(await outbox.put('C1', notice), 'when its job runs again').toBe(false);
});

it('warns in the posted message again, also when another decline finds the same reason first', async () => {
  const { warned, writeAgain } = createWorker();
  await losing(() => warned.messageOf('subscription-1', 'of the first decline', 60_000));

  await writeAgain();

  expect(await warned.messageOf('subscription-1', 'of the second decline', 60_000)).toBe('of the first decline');
});

it('still collects the events of a fraud case only in the channels that have the case', async () => {
  const { fraudCases, writeAgain } = createWorker();
  await losing(() => fraudCases.addChannel('evt_case', 'C1'));

  await writeAgain();

  expect(await fraudCases.channels('evt_case')).toEqual(['C1']);
});

it('still finds the thread of a block, and takes no card for blocked that was unblocked', async () => {
  const { cardOrders, writeAgain } = createWorker();
  await cardOrders.setBlockThread(1, 'block-1');
  await losing(async () => {
    await cardOrders.note({ acctId: 2, cardOrderId: 7 }, 'shipped', at, 'evt_shipped');
    await cardOrders.setBlockThread(2, 'order-2-7');
    await cardOrders.setBlockThread(1, null);
  });

  await writeAgain();

  expect([await cardOrders.blockThread(1), await cardOrders.blockThread(2)]).toEqual([null, 'order-2-7']);
  expect(await cardOrders.ofAccount(2)).toMatchObject([{ progress: { shipped: at }, alertIds: ['evt_shipped'] }]);
});

it('reports a status once whose webhook arrives after a recovery, although Redis lost that it was reported', async () => {
  const { backfilled, writeAgain } = createWorker();
  const { event } = statusAlert([statusChange()]);
  const [blocked] = event.cards;
  if (blocked === undefined) throw new Error('the event names no card');
  const span = { status: blocked.status, after: '2026-11-20T14:00:00Z', until: '2026-11-20T15:00:00Z' };
  await losing(() => backfilled.remember(blocked.cardId, span));

  await writeAgain();

  expect(await backfilled.covers(event, [])).toBe(true);
});

it('restores the progress of an action and what it changed', async () => {
  const { progress, latestChanges, writeAgain } = createWorker();
  const status = { kind: 'status', status: 'BLOCKED', cardId: null } as const;
  await losing(async () => {
    await progress.write('act_1', { state: 'asked' });
    await latestChanges.changed(1, status, { id: 'act_1', verb: 'block', askedAt: at });
  });

  await writeAgain();

  expect(await progress.read('act_1')).toEqual({ state: 'asked' });
  expect(await latestChanges.isOvertaken(1, status, { id: 'act_0', askedAt: '2026-11-20T14:59:00.000Z' })).toBe(true);
});

it('restores a lost temporary change, and keeps an ended one ended', async () => {
  const { temporaryChanges, writeAgain } = createWorker();
  await losing(() => temporaryChanges.save(change));
  await writeAgain();
  expect(await temporaryChanges.all()).toEqual([change]);

  await losing(() => temporaryChanges.save({ ...change, state: 'ended' }));
  await writeAgain();

  expect((await temporaryChanges.get('act_1'))?.state).toBe('ended');
  expect(await temporaryChanges.all()).toEqual([]);
});

const subscription = { channel: 'C1', filter: 'declines', by: 'U0ANA', at };
const mute: Mute = {
  kind: 'mute',
  id: 'mute_1',
  acctId: 7,
  card,
  by: 'U0ANA',
  reason: '',
  at,
  endsAt: '2036-11-20T16:00:00.000Z',
};
const link = { acctId: 7, userId: 'U0HUGO', provedBy: 'approver', by: 'U0ANA', at } as const;
const window = { from: '22:00', to: '07:00', zone: 'UTC', days: [1] };
const quiet = { channel: 'C1', window, except: null, by: 'U0ANA', at };
const digest = { channel: 'C1', weekday: null, isMonthly: false, hour: 9, minute: 0, zone: 'UTC', by: 'U0ANA', at };
const raise = { actionId: 'act_1', acctId: 7, rule: 'daily', cents: 100, by: 'U0ANA', inPlaceOf: [], askedBy: 'U0ANA' };
const request = openRequestOf();
const approvals = [{ by: 'U0BEN', at, actionId: 'act_ben' }];

interface Setting {
  readonly set: (worker: Worker) => Promise<unknown>;
  /** Removes the setting or sets another one. */
  readonly change: (worker: Worker) => Promise<unknown>;
  readonly read: (worker: Worker) => Promise<unknown>;
}

describe.each<[string, Setting]>([
  [
    'a request',
    {
      set: ({ requests }) => requests.save(request),
      change: ({ requests }) => requests.save({ ...request, approvals }),
      read: async ({ requests }) => (await requests.open()).map((open) => open.approvals.length),
    },
  ],
  [
    'a link between a person and a card',
    {
      set: ({ links }) => links.link(link),
      change: ({ links }) => links.unlink(7),
      read: ({ links }) => links.ofAccount(7),
    },
  ],
  [
    'a mute',
    {
      set: ({ mutes }) => mutes.put(mute),
      async change({ mutes }) {
        await mutes.end(mute);
        await mutes.remove(mute);
      },
      read: async ({ mutes }) => [await mutes.inForce(), await mutes.ended()],
    },
  ],
  [
    'a subscription',
    {
      set: ({ subscriptions }) => subscriptions.add(subscription),
      change: ({ subscriptions }) => subscriptions.remove(subscription),
      read: async ({ subscriptions }) => (await subscriptions.all()).map(({ filter }) => filter),
    },
  ],
  [
    'quiet hours',
    {
      set: ({ quietHours }) => quietHours.set(quiet),
      change: ({ quietHours }) => quietHours.remove('C1'),
      read: ({ quietHours }) => quietHours.all(),
    },
  ],
  [
    'long alerts',
    {
      set: ({ longAlerts }) => longAlerts.set('C1', true),
      change: ({ longAlerts }) => longAlerts.set('C1', false),
      read: ({ longAlerts }) => longAlerts.has('C1'),
    },
  ],
  [
    'a digest',
    {
      set: ({ digests }) => digests.set(digest),
      change: ({ digests }) => digests.remove('C1', 'daily'),
      read: ({ digests }) => digests.all(),
    },
  ],
  [
    'a preference',
    {
      set: ({ preferences }) => preferences.set('U0HUGO', 'declines', false),
      change: ({ preferences }) => preferences.set('U0HUGO', 'declines', true),
      read: ({ preferences }) => preferences.switchedOff('U0HUGO'),
    },
  ],
  [
    'a raise that counts towards a cap',
    {
      set: ({ recentRaises }) => recentRaises.add({ ...raise, atMs: Date.parse(at) }),
      change: ({ recentRaises }) => recentRaises.cancel(raise),
      read: ({ recentRaises }) => recentRaises.list('program', Date.parse(at)),
    },
  ],
  [
    'which action changed a card last',
    {
      set: ({ latestChanges }) => latestChanges.changed(7, blocked, { id: 'act_1', verb: 'block', askedAt: at }),
      change: ({ latestChanges }) => latestChanges.changed(7, blocked, { id: 'act_2', verb: 'unblock', askedAt: at }),
      read: ({ latestChanges }) => latestChanges.changedBy(7, blocked),
    },
  ],
  [
    'a change that was sent and not made',
    {
      set: ({ latestChanges }) => latestChanges.changed(7, blocked, { id: 'act_1', verb: 'block', askedAt: at }),
      change: ({ latestChanges }) => latestChanges.notMade(7, blocked, { id: 'act_1' }),
      read: ({ latestChanges }) => latestChanges.isOvertaken(7, blocked, { id: 'act_0', askedAt: earlier }),
    },
  ],
  [
    'an emergency override',
    {
      set: ({ recentRaises }) => recentRaises.reserveOverride(7, 'act_1'),
      change: ({ recentRaises }) => recentRaises.releaseOverride(7, 'act_1'),
      read: () => redis().keys('*emergency-override*'),
    },
  ],
])('%s that Redis has lost', (_what, { set, change, read }) => {
  it('is restored', async () => {
    const worker = createWorker();
    await losing(() => set(worker));
    const expected = await afterwards(set);

    await worker.writeAgain();

    expect(await read(worker)).toEqual(expected);
  });

  it('is removed again if it had been removed', async () => {
    const worker = createWorker();
    await set(worker);
    await losing(() => change(worker));
    await worker.writeAgain();

    expect(await read(worker)).toEqual(await afterwards(set, change));
  });

  it.each([
    ['the worker that set it', 0],
    ['the worker that removed it', 1],
  ])('ends in its last state, with %s writing again first', async (_who, first) => {
    const workers = [createWorker(), createWorker()] as const;
    await losing(async () => {
      await set(workers[0]);
      await change(workers[1]);
    });

    await workers[first as 0 | 1].writeAgain();
    await workers[first === 0 ? 1 : 0].writeAgain();

    expect(await read(workers[0])).toEqual(await afterwards(set, change));
  });

  /** The state after these steps in a Redis that has lost nothing. */
  async function afterwards(...steps: ((worker: Worker) => Promise<unknown>)[]): Promise<unknown> {
    let found: unknown;
    await losing(async () => {
      await redis().flushall();
      const worker = createWorker();
      for (const step of steps) await step(worker);
      found = await read(worker);
    });
    return found;
  }
});

it('repeats concurrent writes in the order in which Redis received them, even if their numbers arrive late', async () => {
  let note = (): void => {};
  const isNoted = new Promise<void>((resolve) => {
    note = resolve;
  });
  const other = createWorker();
  const slow = createWorker({
    async note(subject) {
      await isNoted;
      return await createWriteOrder(redis(), createLock(redis())).note(subject);
    },
  });
  let last: unknown;
  await losing(async () => {
    const first = slow.quietHours.set(quiet);
    await until(async () => (await slow.quietHours.all()).length === 1, 'the first worker has written');
    const second = other.quietHours.set({ ...quiet, by: 'U0BEN' });
    await settled(100);
    note();
    await Promise.all([first, second]);
    last = await other.quietHours.all();
  });

  await slow.writeAgain();
  await other.writeAgain();

  expect(await other.quietHours.all()).toEqual(last);
});

it('remembers a write before its number is known, because Redis may be lost in between', async () => {
  const worker = createWorker({ note: () => Promise.resolve(1) });
  const lost = createWorker({ note: () => new Promise<number>((resolve) => setTimeout(resolve, 50, 1)) });
  await losing(async () => {
    void lost.quietHours.set(quiet);
    await until(async () => (await lost.quietHours.all()).length === 1, 'it is written');
  });

  await lost.writeAgain();

  expect(await worker.quietHours.all()).toEqual([quiet]);
});

/** A worker whose writes get a number only while `takes` is true, as if Redis had just become a replica. */
function createRejectedWorker() {
  const order = createWriteOrder(redis(), createLock(redis()));
  const numbers = { takes: false };
  const worker = createWorker({
    async note(subject) {
      if (!numbers.takes) throw new Error("READONLY You can't write against a read only replica.");
      return await order.note(subject);
    },
  });
  return { worker, numbers };
}

describe('a write whose number Redis rejected', () => {
  const newer = { ...quiet, by: 'U0BEN' };

  it('is restored', async () => {
    const { worker } = createRejectedWorker();
    await losing(() => expect(worker.quietHours.set(quiet)).rejects.toThrow('READONLY'));

    await worker.writeAgain();

    expect(await worker.quietHours.all()).toEqual([quiet]);
  });

  it('is restored over an earlier write of the same worker', async () => {
    const { worker, numbers } = createRejectedWorker();
    numbers.takes = true;
    await worker.quietHours.set(quiet);
    numbers.takes = false;
    await losing(() => expect(worker.quietHours.set(newer)).rejects.toThrow('READONLY'));

    await worker.writeAgain();

    expect(await worker.quietHours.all()).toEqual([newer]);
  });

  it.each([
    ['its worker', 0],
    ['the other worker', 1],
  ])('is not restored over a newer write of another worker, with %s writing again first', async (_who, first) => {
    const { worker } = createRejectedWorker();
    const workers = [worker, createWorker()] as const;
    await losing(async () => {
      await expect(workers[0].quietHours.set(quiet)).rejects.toThrow('READONLY');
      await workers[1].quietHours.set(newer);
    });

    await workers[first as 0 | 1].writeAgain();
    await workers[first === 0 ? 1 : 0].writeAgain();

    expect(await worker.quietHours.all()).toEqual([newer]);
  });
});

it('does not restore a refused emergency override over the used one', async () => {
  const [used, refused] = [createWorker(), createWorker()];
  await losing(async () => {
    await used.recentRaises.reserveOverride(7, 'act_used');
    expect(await refused.recentRaises.reserveOverride(7, 'act_refused')).toBe(false);
  });

  await refused.writeAgain();
  await used.writeAgain();

  expect(await used.recentRaises.reserveOverride(7, 'act_other'), 'it can be used again').toBe(false);
  expect(await used.recentRaises.reserveOverride(7, 'act_used')).toBe(true);
});

it('restores a request together with its reminder', async () => {
  const [own, other] = [createWorker(), createWorker()];
  await losing(async () => {
    await own.requests.save(request);
    await other.requests.remind(request.id, at);
  });

  await other.writeAgain();
  await own.writeAgain();

  expect(await own.requests.open()).toEqual([{ ...request, remindedAt: at }]);
});

it('restores a request together with who asked for the same', async () => {
  const [own, other] = [createWorker(), createWorker()];
  await losing(async () => {
    await own.requests.save(request);
    await other.requests.addAsker(request.id, 'U0ZOE');
  });

  await other.writeAgain();
  await own.writeAgain();

  expect(await own.requests.open()).toEqual([{ ...request, askedToo: ['U0ZOE'] }]);
});

it('restores who wanted a card blocked, so that nobody undoes the block', async () => {
  const { latestChanges, writeAgain } = createWorker();
  const expected = { kind: 'status', status: 'BLOCKED', cardId: 8 } as const;
  const asked = (userId: string) => ({ id: `act_${userId}`, verb: 'block', askedAt: at, actor: { userId } });
  await losing(async () => {
    await latestChanges.changed(7, expected, asked('U0OLGA'));
    await latestChanges.alreadyInEffect(7, expected, asked('U0ANA'));
  });

  await writeAgain();

  expect((await latestChanges.blocksWanted(7)).map(({ by }) => by)).toEqual(['U0OLGA', 'U0ANA']);
});

it('repeats only writes that succeeded', async () => {
  const again: (() => Promise<unknown>)[] = [];
  const write = remembered({ remember: (one) => void again.push(one) }, async (fails: boolean) => {
    if (fails) throw new Error('Redis is away');
  });

  await write(false);
  await expect(write(true)).rejects.toThrow('away');

  expect(again).toHaveLength(1);
});

it('enqueues an event again whose job Redis lost, although it has left the inbox', async () => {
  const log = createLog({ level: 'silent', process: 'test' });
  // Redis comes back in the state of its last SAVE.
  const args = ['--appendonly', 'no'];
  let server: LocalRedis = await startRedis({ extraArgs: args });
  const { port, folder } = server;
  const clients = ['a', 'b'].map((name) => connectPatient({ urls: [server.url], log, name }));
  const [client, reader] = clients as [(typeof clients)[number], (typeof clients)[number]];
  await whenReady(client, 5000);
  const redo = createRedo(client, log);
  const queues = openQueues(client);
  const { enqueue } = rememberJobs(
    redo,
    createEnqueue(queues, () => new Date()),
  );
  const event = read('decline', { NetworkTransactionId: 1 });
  await client.xadd(inboxKeys.webhooks, '*', 'entry', JSON.stringify({ type: 'event', event }));
  await client.xgroup('CREATE', inboxKeys.webhooks, 'relay', '0');
  await client.save();
  const relay = startRelay({
    reader,
    redis: client,
    log,
    roomInQueue: async () => 1000,
    async handOn(entries) {
      await toJobs(entries, enqueue);
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

it('remembers a finished job once and enqueues it again', async () => {
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

it('does not restore an attempt that was given up over one that another worker has begun since', async () => {
  const [older, newer] = [createWorker(), createWorker()];
  const sending = { state: 'sending', before: null, after: null } as const;
  await losing(async () => {
    await older.progress.begin('act_1', sending);
    await older.progress.write('act_1', { state: 'asked' });
    await newer.progress.begin('act_1', sending);
  });

  await newer.writeAgain();
  await older.writeAgain();

  expect(await newer.progress.read('act_1')).toEqual(sending);
});
