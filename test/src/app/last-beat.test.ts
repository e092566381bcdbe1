import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../../local/redis.ts';
import { lastBeat } from '../../../src/app/last-beat.ts';
import { stateKey, webKeys } from '../../../src/core/keys.ts';
import { createLog } from '../../../src/core/log.ts';
import { startHeartbeat } from '../../../src/intake/heartbeat.ts';
import { createWorkers } from '../../../src/ops/health.ts';
import { until } from '../../support/until.ts';

const log = createLog({ level: 'silent', process: 'test' });
let server: LocalRedis;
let store: Redis;

beforeAll(async () => {
  server = await startRedis();
  store = new Redis(server.url);
});
afterAll(async () => {
  store.disconnect();
  await server.stop();
});
beforeEach(async () => {
  await store.config('SET', 'maxmemory', '0');
  await store.flushall();
});

it('finds no process in an empty Redis, and none that went long ago', async () => {
  expect(await lastBeat(store)).toBeNull();

  await store.mset(webKeys.open, Date.now() - 60_000, webKeys.alive, Date.now() - 60_000);

  expect(await lastBeat(store)).toBeNull();
});

it.each([webKeys.alive, webKeys.open])('finds a web process by %s', async (key) => {
  const atMs = Date.now();
  await store.set(key, atMs);

  expect(await lastBeat(store)).toBe(atMs);
});

it('finds a web process that takes nothing because Redis is full', async () => {
  await store.config('SET', 'maxmemory', '1');
  const heart = startHeartbeat(store, log, { beatMs: 20, isTaking: () => false });

  await until(async () => (await lastBeat(store)) !== null, 'it is found');

  heart.stop();
  expect(await store.exists(webKeys.open)).toBe(0);
});

it('finds a web process whose beats a full Redis refuses', async () => {
  await store.config('SET', 'maxmemory', '1');
  const heart = startHeartbeat(store, log, { beatMs: 20 });

  await until(async () => (await lastBeat(store)) !== null, 'it is found');

  heart.stop();
});

it('finds a worker of a full Redis', async () => {
  await store.config('SET', 'maxmemory', '1');
  await expect(store.set(stateKey('anything'), 1)).rejects.toThrow('OOM');
  const atMs = Date.now();

  await createWorkers(store).beat('one', { atMs, isCardApiAway: false });

  expect(await lastBeat(store)).toBe(atMs);
});
