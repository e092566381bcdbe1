import { afterEach, expect, it, vi } from 'vitest';
import { createEnqueue } from '../../../src/app/enqueue.ts';
import { intakeKey, stateKey } from '../../../src/core/keys.ts';
import { closeQueues, openQueues, type Queues } from '../../../src/core/queues.ts';
import { shardsOf } from '../../../src/core/shards.ts';
import { burstOf } from '../../../src/intake/burst.ts';
import { countEvents, createWorkers, readDepths, readHealth, readInbox } from '../../../src/ops/health.ts';
import { createOpsMemory } from '../../../src/ops/notify-ops.ts';
import { opsUnreachable } from '../../../src/ops/refused-messages.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask } from '../../support/perform-world.ts';
import { read } from '../webhooks/read.ts';

const redis = useRedis();
const inbox = '{cardbell:in}:webhooks';
const health = (queues: Queues) =>
  readHealth({ redis: redis(), queues, quarantined: { count: async () => 0 }, memory: { share: () => 0.4 } });
/** Makes the last beats this much older. */
async function age(beats: Readonly<Record<string, number>>): Promise<void> {
  for (const [id, byMs] of Object.entries(beats)) {
    const key = stateKey('workers');
    const { atMs, ...vitals } = JSON.parse((await redis().hget(key, id)) ?? '');
    await redis().hset(key, id, JSON.stringify({ ...vitals, atMs: atMs - byMs }));
  }
}
afterEach(() => void vi.useRealTimers());
/** Only Redis' clock is right. */
const setMachineAhead = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });

it("reports each queue's depth and the age of its oldest job", async () => {
  const queues = openQueues(redis());
  const enqueue = createEnqueue(queues, () => new Date());
  for (let id = 0; id < 3; id += 1) await enqueue('deliver-alert', read('decline', { NetworkTransactionId: id }));
  await enqueue('end-temporary-change', { temporaryChangeId: 'one' }, { delayMs: 60_000 });
  const before = Date.now();
  await enqueue('flush-outbox', { channel: 'C1' });

  const depths = await readDepths(queues);

  expect(depths.alerts.waiting).toBe(3);
  expect(depths.maintenance.delayed).toBe(1);
  expect(depths.alerts.oldestMs).toBeLessThanOrEqual(before);
  expect(depths.updates.oldestMs).toBeNull();
  await closeQueues(queues);
});

it('counts the events of waiting and active bursts', async () => {
  const queues = openQueues(redis());
  const enqueue = createEnqueue(queues, () => new Date());
  const events = Array.from({ length: 12 }, (_, id) => read('decline', { NetworkTransactionId: id }));
  await enqueue('deliver-burst', burstOf(events.slice(0, 10).map((event) => ({ type: 'event', event }))));
  await enqueue('deliver-alert', read('decline', { NetworkTransactionId: 10 }));
  const later = burstOf(events.slice(5).map((event) => ({ type: 'event', event })));
  await enqueue('deliver-burst', later, { delayMs: 60_000 });

  expect(await readDepths(queues)).toMatchObject({
    alerts: { waiting: 1 },
    bursts: { waiting: 10, active: 0, delayed: 7, failed: 0 },
  });
  expect(await countEvents(queues, ['waiting'])).toBe(11);
  expect(await countEvents(queues, ['waiting', 'active', 'delayed'])).toBe(18);
  await closeQueues(queues);
});

it("counts all shards together, and one shard's events for its worker", async () => {
  const queues = openQueues(redis(), 16);
  const enqueue = createEnqueue(queues, () => new Date());
  const events = Array.from({ length: 30 }, (_, id) => read('decline', { NetworkTransactionId: id }));
  for (const event of events.slice(0, 20)) await enqueue('deliver-alert', event);
  await enqueue('deliver-burst', burstOf(events.slice(20).map((event) => ({ type: 'event', event }))));
  await redis().xadd(intakeKey('webhooks', 7), '1600000000000-0', 'entry', '{}');
  await redis().xadd(inbox, '1700000000000-0', 'entry', '{}');

  const { queues: depths, inbox: waiting } = await health(queues);

  expect(depths).toMatchObject({ alerts: { waiting: 20 }, bursts: { waiting: 10 } });
  expect(waiting).toEqual({ entries: 2, oldestMs: 1_600_000_000_000 });
  const counts = await Promise.all(shardsOf(16).map((shard) => countEvents(queues, ['waiting'], shard)));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(30);
  expect(counts.filter((count) => count > 0).length).toBeGreaterThan(5);
  await closeQueues(queues);
});

it("reports the inbox's size and the age of its oldest entry", async () => {
  expect(await readInbox(redis())).toEqual({ entries: 0, oldestMs: null });
  await redis().xadd(inbox, '1700000000000-0', 'entry', '{}');
  await redis().xadd('{cardbell:in}:actions', '1600000000000-0', 'entry', '{}');

  expect(await readInbox(redis())).toEqual({ entries: 2, oldestMs: 1_600_000_000_000 });
});

it('measures lag by the oldest entry in the inbox and the prompt queues, without delayed jobs', async () => {
  const queues = openQueues(redis());
  await createEnqueue(queues, () => new Date())(
    'end-temporary-change',
    { temporaryChangeId: 'one' },
    { delayMs: 60_000 },
  );
  expect((await health(queues)).lagMs).toBe(0);

  await redis().xadd(inbox, `${Date.now() - 90_000}-0`, 'entry', '{}');

  expect((await health(queues)).lagMs).toBeGreaterThanOrEqual(90_000);
  await closeQueues(queues);
});

it.each([
  ['requests', 'show', 90_000, 'block', 30_000],
  ['blocks', 'block', 90_000, 'show', 30_000],
] as const)('measures lag by the request that waits longest: %s', async (_what, first, firstMs, second, secondMs) => {
  const queues = openQueues(redis());
  const enqueue = createEnqueue(queues, () => new Date());
  for (const [verb, agoMs] of [
    [first, firstMs],
    [second, secondMs],
    [first, 1000],
  ] as const) {
    setMachineAhead(-agoMs);
    const action = ask(verb, { id: `act_${verb}${agoMs}` });
    await enqueue('perform-action', { action, signature: 'signed' }).finally(() => vi.useRealTimers());
  }

  const { lagMs, queues: depths } = await health(queues);

  expect(depths.actions.waiting).toBe(3);
  expect(lagMs).toBeGreaterThanOrEqual(89_000);
  expect(lagMs).toBeLessThan(120_000);
  await closeQueues(queues);
});

it('does not count silent workers as alive', async () => {
  const queues = openQueues(redis());
  const workers = createWorkers(redis());
  await workers.beat('one', { isCardApiAway: false });
  await workers.beat('two', { isCardApiAway: true });

  expect(await health(queues)).toMatchObject({ workers: 2, isCardApiAway: true });
  await age({ one: 46_000 });
  expect(await health(queues)).toMatchObject({ workers: 1 });
  await workers.gone('two');
  expect(await health(queues)).toMatchObject({ workers: 0 });
  await closeQueues(queues);
});

it('lists the workers that beat within the last 45 seconds, with what each sees', async () => {
  const workers = createWorkers(redis());
  await workers.beat('one', { isCardApiAway: false });
  await workers.beat('two', { isCardApiAway: true });
  await age({ one: 40_000 });
  expect(await workers.all()).toHaveLength(2);

  await age({ one: 6000 });

  expect(await workers.all()).toEqual([{ atMs: expect.closeTo(Date.now(), -4), isCardApiAway: true }]);
});

it('drops a silent worker for good', async () => {
  const workers = createWorkers(redis());
  await workers.beat('one', { isCardApiAway: false });
  await age({ one: 46_000 });

  expect(await workers.all()).toEqual([]);
  expect(await redis().hgetall(stateKey('workers'))).toEqual({});
});

it.each([
  ['ahead', 3_600_000],
  ['behind', -3_600_000],
])('neither a worker nor a reader whose clock is an hour %s has an effect', async (_how, ms) => {
  const queues = openQueues(redis());
  await createWorkers(redis()).beat('right', { isCardApiAway: false });
  setMachineAhead(ms);
  await createWorkers(redis()).beat('wrong', { isCardApiAway: false });

  expect(await health(queues)).toMatchObject({ workers: 2, lagMs: 0 });
  await redis().xadd(inbox, '*', 'entry', '{}');
  expect((await health(queues)).lagMs).toBeLessThan(30_000);
  vi.useRealTimers();
  expect(await health(queues)).toMatchObject({ workers: 2 });
  await age({ wrong: 46_000 });
  expect(await health(queues)).toMatchObject({ workers: 1 });
  await closeQueues(queues);
});

it('drops a worker at once when it signs off', async () => {
  const workers = createWorkers(redis());
  await workers.beat('one', { isCardApiAway: false });

  await workers.gone('one');

  expect(await workers.all()).toEqual([]);
});

it('reports for a day after the last refusal that Slack refuses messages in the ops channel', async () => {
  const queues = openQueues(redis());
  const memory = createOpsMemory(redis());
  const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();

  await memory.remember(opsUnreachable, hoursAgo(23));
  const early = await health(queues);
  await memory.remember(opsUnreachable, hoursAgo(25));
  const late = await health(queues);
  await memory.remember(opsUnreachable, hoursAgo(23));
  await memory.noticeAgain(opsUnreachable, hoursAgo(1));
  const again = await health(queues);

  expect([early, late, again].map(({ isOpsUnreachable }) => isOpsUnreachable)).toEqual([true, false, true]);
  await closeQueues(queues);
});
