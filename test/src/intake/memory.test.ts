import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../../local/redis.ts';
import { inboxKeys } from '../../../src/intake/intake.ts';
import { type MemoryWatch, watchMemory } from '../../../src/intake/memory.ts';
import { until } from '../../support/until.ts';

let server: LocalRedis;
let store: Redis;
let memory: MemoryWatch | undefined;

beforeAll(async () => {
  server = await startRedis();
  store = new Redis(server.url);
});
afterAll(async () => {
  store.disconnect();
  await server.stop();
});
afterEach(async () => {
  memory?.stop();
  await store.config('SET', 'maxmemory', '0');
  await store.flushall();
});

const MB = 1024 * 1024;
const levelOf = ({ isFull, isFilling }: MemoryWatch): string | null =>
  isFull() === null || isFilling() === null ? null : isFull() ? 'full' : isFilling() ? 'filling' : 'enough';
const used = async (): Promise<number> => Number(/^used_memory:(\d+)/m.exec(await store.info('memory'))?.[1]);

/** A Redis with this many free bytes below the 85 % limit. */
async function watch(freeBytes: number, inHand = 0, everyMs = 20): Promise<MemoryWatch> {
  await store.config('SET', 'maxmemory', String(Math.round(((await used()) + freeBytes) / 0.85)));
  memory = watchMemory(store, { fullAt: 0.85, inHand: async () => inHand, everyMs });
  // The first call measures before it reserves.
  await memory.reserve(1);
  return memory;
}

it('a Redis without a limit is never full', async () => {
  await store.ping();
  memory = watchMemory(store, { fullAt: 0.85, inHand: async () => 0 });

  expect(await memory.reserve(1000 * MB)).toBe(true);
  expect(levelOf(memory)).toBe('enough');
  expect(memory.share()).toBeNull();
});

it('counts the backlog of all shards: polls one shard at a time, and all of them before it refuses a webhook', async () => {
  await store.config('SET', 'maxmemory', String(Math.round(((await used()) + 20 * MB) / 0.85)));
  const waits = [0, 0, 0, 0];
  const asked: number[] = [];
  const inHand = async (shard: number): Promise<number> => {
    asked.push(shard);
    return waits[shard] ?? 0;
  };
  memory = watchMemory(store, { fullAt: 0.85, shards: 4, inHand, everyMs: 20 });
  const { reserve, share } = memory;
  expect(await reserve(1)).toBe(true);
  expect(asked.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3]);
  const before = share() ?? 0;

  waits.fill(400);

  await until(() => (share() ?? 0) > before + 0.3, 'each shard was polled again');
  const again = asked.slice(4);
  for (const [index, shard] of again.slice(1).entries()) expect(shard).toBe(((again[index] ?? 0) + 1) % 4);
  waits.fill(4000);
  expect(await reserve(15 * MB)).toBe(false);
});

it('counts the backlog of every card program of the process, because all fill the same Redis', async () => {
  await store.config('SET', 'maxmemory', String(Math.round(((await used()) + 20 * MB) / 0.85)));
  const eu = store.duplicate({ keyPrefix: 'eu:' });
  await eu.ping();
  const backlogs = new Map<string, number>();
  let waiting = 0;
  const own = watchMemory(store, { fullAt: 0.85, inHand: async () => 0, everyMs: 20, backlogs });
  const others = watchMemory(eu, { fullAt: 0.85, inHand: async () => waiting, everyMs: 20, backlogs });
  expect([await own.reserve(10 * MB), await others.reserve(1)]).toEqual([true, true]);

  waiting = 3000;

  await until(() => backlogs.get('eu:') === waiting, 'the backlog of the other program was read again');
  expect(await own.reserve(10 * MB)).toBe(false);
  expect(own.share()).toBeCloseTo(others.share() ?? 0, 1);
  own.stop();
  others.stop();
  eu.disconnect();
});

it('polls often while webhooks arrive, and rarely while none do', async () => {
  let looks = 0;
  memory = watchMemory(store, { fullAt: 0.85, inHand: async () => (looks += 1), everyMs: 20 });
  await memory.reserve(1);
  await until(() => looks === 2, 'polls once more after a reservation');
  const before = looks;
  for (let time = 0; time < 40; time += 1) {
    await memory.reserve(1);
    await sleep(10);
  }
  const busy = looks - before;
  await sleep(40);
  const from = looks;
  await sleep(400);

  expect(looks - from).toBeLessThan(busy / 2);
});

it("reserves the memory each webhook's alert will need, and refuses when there is no room", async () => {
  const { reserve } = await watch(MB, 0, 60_000);

  let taken = 0;
  // Until the next measurement is due.
  while (reserve(1000) === true && taken < 10_000) taken += 1;

  expect(taken).toBeGreaterThan(100);
  expect(taken, 'seven kilobytes each').toBeLessThan(160);
});

it('reports filling before it reports full, and has room again when memory is added', async () => {
  const watched = await watch(10 * MB);
  expect(levelOf(watched)).toBe('enough');
  expect(watched.share()).toBeCloseTo((await used()) / (((await used()) + 10 * MB) / 0.85), 1);

  await store.config('SET', 'maxmemory', String(Math.round((await used()) / 0.8)));
  await until(() => levelOf(watched) === 'filling', 'filling');
  await store.config('SET', 'maxmemory', String(await used()));
  await until(() => watched.isFull() === true, 'full');
  expect(await watched.reserve(1)).toBe(false);
  await store.config('SET', 'maxmemory', String(100 * MB));

  expect(await watched.reserve(1), 'measures before it refuses').toBe(true);
  expect(levelOf(watched)).toBe('enough');
});

it('refuses at once when Redis does not say how full it is', async () => {
  memory = watchMemory(store, { fullAt: 0.85, inHand: () => new Promise(() => {}) });
  await store.ping();
  const startedAt = performance.now();

  expect(await memory.reserve(1)).toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

it('counts the backlog in the inbox and the queue as used memory', async () => {
  expect((await watch(2 * MB, 0)).isFull()).toBe(false);
  memory?.stop();
  expect((await watch(2 * MB, 1000)).isFull()).toBe(true);
  memory?.stop();

  const adding = store.pipeline();
  for (let i = 0; i < 1000; i += 1) adding.xadd(inboxKeys.webhooks, '*', 'entry', 'x');
  await adding.exec();
  expect((await watch(2 * MB, 0)).isFull()).toBe(true);
});

it('stays full until a share of the memory is free, so that refusals do not flap', async () => {
  const watched = await watch(20 * MB);
  const limit = (share: number): Promise<unknown> =>
    used().then((bytes) => store.config('SET', 'maxmemory', String(Math.round(bytes / share))));

  await limit(0.9);
  await until(() => watched.isFull() === true, 'full');
  await limit(0.84);
  await watched.reserve(1);
  expect(watched.isFull(), 'almost no memory is free').toBe(true);
  await limit(0.8);

  await until(() => !watched.isFull(), 'has room');
});

it('warns once while usage stays around the limit of the warning, and knows nothing yet if it starts there', async () => {
  const start = (): MemoryWatch => watchMemory(store, { fullAt: 0.85, inHand: async () => 0, everyMs: 2 });
  const use = async (share: number, watched: MemoryWatch): Promise<void> => {
    await store.config('SET', 'maxmemory', String(Math.round((await used()) / share)));
    await until(() => Math.abs((watched.share() ?? 0) - share) < 0.005, 'it has measured');
  };
  const early = start();
  await use(0.5, early);
  const levels = [levelOf(early)];
  for (const share of [0.69, 0.71, 0.69, 0.71, 0.66]) {
    await use(share, early);
    levels.push(levelOf(early));
  }
  const late = start();
  await use(0.67, late);
  levels.push(levelOf(late));
  await use(0.6, early);
  await use(0.61, late);
  levels.push(levelOf(early), levelOf(late));
  for (const one of [early, late]) one.stop();

  expect(levels).toEqual(['enough', 'enough', 'filling', 'filling', 'filling', 'filling', null, 'enough', 'enough']);
});

it.each([
  ['filling, and not whether it is full', 0.82, { isFull: null, isFilling: true }],
  ['not full, and not whether it is filling', 0.67, { isFull: false, isFilling: null }],
])('knows at its start that Redis is %s', async (_what, share, known) => {
  await store.config('SET', 'maxmemory', String(Math.round((await used()) / share)));
  memory = watchMemory(store, { fullAt: 0.85, inHand: async () => 0, everyMs: 2 });
  await until(() => memory?.share() !== null, 'it has measured');

  expect(memory.share()).toBeCloseTo(share, 1);
  expect({ isFull: memory.isFull(), isFilling: memory.isFilling() }).toEqual(known);
});

it('a Redis without a limit is not filling up either, however early webhooks are refused', async () => {
  memory = watchMemory(store, { fullAt: 0.1, inHand: async () => 0 });
  await memory.reserve(1);

  expect({ isFull: memory.isFull(), isFilling: memory.isFilling() }).toEqual({ isFull: false, isFilling: false });
});
