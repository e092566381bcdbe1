import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionOptions, Worker } from 'bullmq';
import { afterEach, expect, it, vi } from 'vitest';
import type { Enqueue } from '../../../src/app/enqueue.ts';
import { createMaintenance } from '../../../src/app/maintenance.ts';
import { createClock } from '../../../src/core/clock.ts';
import { QUEUE_PREFIX } from '../../../src/core/keys.ts';
import { createLog } from '../../../src/core/log.ts';
import { closeQueues, openQueues, type Queues } from '../../../src/core/queues.ts';
import { unreadableKey } from '../../../src/core/record-store.ts';
import type { MemoryWatch } from '../../../src/intake/memory.ts';
import type { TemporaryChange } from '../../../src/limits/temporary-change-store.ts';
import { createWorkers } from '../../../src/ops/health.ts';
import { createOpsMemory } from '../../../src/ops/notify-ops.ts';
import { redisFilling } from '../../../src/ops/redis-issue.ts';
import { useRedis } from '../../support/on-redis.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';
import { until } from '../../support/until.ts';

const redis = useRedis();
let queues: Queues | undefined;
let stop = (): void => {};
afterEach(async () => {
  stop();
  if (queues !== undefined) await closeQueues(queues);
});

const roomy: Pick<MemoryWatch, 'isFull' | 'isFilling'> = { isFull: () => false, isFilling: () => false };

/** Starts a worker and returns what it did until it checked its token, which is the last step. */
async function started({
  failing = '',
  memory = roomy,
  temporaryChanges = [] as TemporaryChange[],
  onNotify = async (_did: readonly string[]): Promise<unknown> => null,
  sweepMs = 15_000,
  tokenEndsOn = undefined as string | null | undefined,
  slackNow = (): number | null => null,
} = {}): Promise<string[]> {
  const did: string[] = [];
  const step = (name: string) => async (): Promise<void> => {
    did.push(name);
    if (name === failing) throw new Error('Redis went away');
  };
  const enqueue: Enqueue = async (...job) => void did.push(JSON.stringify(job));
  queues = openQueues(redis());
  const maintenance = createMaintenance(
    {
      redis: redis(),
      queues,
      enqueue,
      temporaryChanges: { all: async () => temporaryChanges },
      quarantined: { count: async () => 0 },
      clock: createClock(redis()),
      slackClock: { now: slackNow },
      memory: { ...memory, share: () => null },
      log: createLog({ level: 'silent', process: 'test' }),
      async notifyOps({ title }) {
        did.push(title);
        await onNotify(did);
      },
      async notifyResolved({ cause }) {
        // The clock of this machine is right.
        if (!cause.startsWith('clock:')) did.push(cause === 'lag' ? 'no lag' : `over: ${cause}`);
      },
      card: {
        async ping() {
          did.push('ping');
          throw new Error('the card API does not answer');
        },
        async getCurrentToken() {
          did.push('token');
          if (tokenEndsOn === undefined) throw new Error('the card API does not answer');
          return { expiresOn: tokenEndsOn };
        },
      },
      directory: { refresh: step('directory') },
      isCardApiAway: () => true,
    },
    { workerId: 'worker-1', sweepMs, sweep: step('sweep') },
  );
  stop = maintenance.stop;
  maintenance.start();
  await until(() => did.includes(failing === '' ? 'token' : failing), 'the worker has begun');
  return did;
}

it('writes the worker heartbeat, sweeps, and loads the directory at startup', async () => {
  expect(await started()).toEqual(['no lag', 'sweep', 'directory', 'token']);

  expect(await createWorkers(redis()).all()).toMatchObject([{ isCardApiAway: true }]);
});

it('asks a card API that is away from time to time whether it answers again', async () => {
  const did = await started({ sweepMs: 20 });

  await until(() => did.filter((step) => step === 'ping').length > 1, 'it asks again');
});

it('schedules the end of every open temporary change, even if its job was lost', async () => {
  const temporaryChanges = [
    temporaryChangeOf({ id: 'act_open', endsAt: '2026-11-20T16:00:00.000Z' }),
    temporaryChangeOf({ id: 'act_ended', state: 'ended' }),
  ];

  expect((await started({ temporaryChanges })).filter((step) => step.startsWith('['))).toEqual([
    JSON.stringify([
      'end-temporary-change',
      { temporaryChangeId: 'act_open' },
      { atMs: Date.parse('2026-11-20T16:00:00.000Z') },
    ]),
  ]);
});

it('notifies ops if people wait too long', async () => {
  await redis().xadd('{cardbell:in}:webhooks', `${Date.now() - 90_000}-0`, 'entry', '{}');

  expect((await started())[0]).not.toBe('no lag');
});

it('notifies ops if Redis’ clock differs from Slack’s, and says when they agree again', async () => {
  let aheadMs = 70_000;
  const did = await started({ slackNow: () => Date.now() + aheadMs, sweepMs: 20 });
  expect(did).toContain('Redis’ clock and Slack’s differ by more than a minute');
  expect(did).not.toContain('over: redis-clock');

  aheadMs = 0;
  await until(() => did.includes('over: redis-clock'), 'it is reported as over');
});

it('says nothing more about a clock that is about a minute off: answers come a second late or early', async () => {
  let aheadMs = 60_500;
  const did = await started({ slackNow: () => Date.now() + aheadMs, sweepMs: 20 });
  const rounds = async (): Promise<void> => {
    const before = timesIn(did, 'sweep');
    await until(() => timesIn(did, 'sweep') > before + 2, 'it has looked again');
  };
  aheadMs = 59_500;
  await rounds();

  expect(did).not.toContain('over: redis-clock');
});

it('says whose clock it is if that of its machine differs from Redis’', async () => {
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => performance.timeOrigin + performance.now() - 70_000);
  const did = await started().finally(() => clock.mockRestore());

  expect(did).toContain(`The clock of ${hostname()} and Redis’ differ by more than a minute`);
});

it('survives a failing step and runs again', async () => {
  expect(await started({ failing: 'sweep' })).toEqual(['no lag', 'sweep']);
});

it.each([
  ['in 13 days', 13, 'The token of the card service ends soon'],
  ['today', 0, 'The token of the card service ends soon'],
  ['yesterday in UTC, which may be today where the card service is', -1, 'The token of the card service ends soon'],
  ['in 16 days', 16, 'over: card-token-ends'],
  ['two days ago, although it works', -2, 'over: card-token-ends'],
  ['long ago, which is no date', -700_000, 'over: card-token-ends'],
  ['at a time that is not known', null, 'over: card-token-ends'],
])('says early enough that the token of the card service ends: one that ends %s', async (_when, days, said) => {
  const tokenEndsOn = days === null ? null : new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const did = await started({ tokenEndsOn });

  await until(() => did.at(-1) === said, said);
});

const timesIn = (did: readonly string[], step: string): number => did.filter((one) => one === step).length;
const ofRedis = (did: readonly string[]): string[] => did.filter((step) => /redis/i.test(step));

it('notifies ops once when Redis is filling up, when it is full, and when it has room again', async () => {
  let [isFull, isFilling] = [false, true];
  const did = await started({ memory: { isFull: () => isFull, isFilling: () => isFilling } });
  const told = (): string[] => ofRedis(did);
  await until(() => told().length === 2, 'ops are notified that Redis is filling up');
  isFull = true;
  await until(() => told().length === 3, 'ops are notified that Redis is full');
  isFull = false;
  isFilling = false;
  await until(() => told().length === 5, 'ops are notified that Redis has room again');

  expect(told()).toEqual([
    'Redis is filling up',
    'over: redis-full',
    'Redis is full: webhooks are refused',
    'over: redis-filling',
    'over: redis-full',
  ]);
});

it.each([
  ['that Redis is filling up, while it is not known whether it is full', null, true, 'Redis is filling up'],
  ['that Redis is no longer full, while it is not known whether it is filling up', false, null, 'over: redis-full'],
])('tells ops %s', async (_what, isFull, isFilling, said) => {
  const did = await started({ memory: { isFull: () => isFull, isFilling: () => isFilling } });

  await until(() => ofRedis(did).length > 0, 'ops are told');

  expect(ofRedis(did)).toEqual([said]);
});

it('says again each minute that Redis is filling up, because ops are notified of it once a day', async () => {
  const opsMemory = createOpsMemory(redis());
  const did = await started({
    memory: { ...roomy, isFilling: () => true },
    onNotify: () => opsMemory.remember(redisFilling, new Date().toISOString()),
  });
  await until(() => opsMemory.isKnown(redisFilling), 'it has said it');
  const [now, before] = [performance.now.bind(performance), timesIn(did, redisFilling.title)];
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 61_000);

  await until(() => timesIn(did, redisFilling.title) === 2, 'it says it again').finally(() => clock.mockRestore());
  expect(before).toBe(1);
});

it('does not say again that Redis is filling up when another worker has said that it is over', async () => {
  let isFilling = true;
  const did = await started({ memory: { ...roomy, isFilling: () => isFilling } });
  await until(() => timesIn(did, redisFilling.title) === 1, 'it has said it');
  await createOpsMemory(redis()).end(redisFilling, new Date().toISOString());
  let looks = 0;
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    looks += 1;
    return now() + 61_000 * looks;
  });

  await sleep(2500);
  clock.mockRestore();
  const after = timesIn(did, redisFilling.title);
  isFilling = false;

  await until(() => did.includes('over: redis-filling'), 'a change is reported');
  expect(after).toBe(1);
});

it('reports unreadable records that another process finds while it reports others', async () => {
  await redis().sadd(unreadableKey, 'claims');

  await started({ onNotify: () => redis().sadd(unreadableKey, 'requests') });

  expect(await redis().smembers(unreadableKey)).toEqual(['requests']);
});

it('reads a failed job once, however long the look takes in which it was found', async () => {
  await failHalfAnHourAgo();
  const times = (did: readonly string[], step: string): number => did.filter((one) => one.startsWith(step)).length;

  const did = await started({
    sweepMs: 20,
    onNotify: (did) => until(() => times(did, 'ping') > 4, 'others would have been started'),
  });
  await until(() => times(did, 'no lag') > 3, 'it has looked again');

  expect(times(did, 'A job failed for good')).toBe(1);
});

async function failHalfAnHourAgo(): Promise<void> {
  const all = openQueues(redis());
  const patient = redis().duplicate({ maxRetriesPerRequest: null });
  const connection = patient as ConnectionOptions;
  const worker = new Worker('actions', null, { connection, prefix: QUEUE_PREFIX, autorun: false });
  await all.actions.add('job', {});
  const job = await worker.getNextJob('token');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 1_800_000 });
  await job?.moveToFailed(new Error('a fault'), 'token').finally(() => vi.useRealTimers());
  await worker.close();
  patient.disconnect();
  await closeQueues(all);
}
