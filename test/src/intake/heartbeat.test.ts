import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../../local/redis.ts';
import { webKeys } from '../../../src/core/keys.ts';
import { createLog } from '../../../src/core/log.ts';
import { connectFailFast, type RedisClient } from '../../../src/core/redis.ts';
import { type Heartbeat, startHeartbeat } from '../../../src/intake/heartbeat.ts';
import { inboxKeys } from '../../../src/intake/intake.ts';
import { until } from '../../support/until.ts';

const log = createLog({ level: 'silent', process: 'test' });
let server: LocalRedis;
let store: Redis;
const running: { heart: Heartbeat; client: RedisClient }[] = [];

beforeAll(async () => {
  server = await startRedis();
  store = new Redis(server.url);
});
afterAll(async () => {
  store.disconnect();
  await server.stop();
});
beforeEach(async () => {
  await store.flushall();
});
afterEach(() => {
  for (const one of running.splice(0)) stop(one);
});

function stop({ heart, client }: { heart: Heartbeat; client: RedisClient }): void {
  heart.stop();
  client.disconnect();
}

/** A web process's heartbeat, after its first beat. */
async function start(options: { beatMs?: number; stallMs?: number; isTaking?: () => boolean } = {}) {
  const before = await opened();
  const client = connectFailFast({ urls: [server.url], log, name: 'web' });
  const one = { client, heart: startHeartbeat(client, log, { beatMs: 20, ...options }) };
  running.push(one);
  await until(async () => (await opened()) > before, 'the first beat');
  return one;
}

const opened = async (): Promise<number> => Number((await store.get(webKeys.open)) ?? 0);

interface GapEntry {
  readonly fromMs: number;
  readonly toMs: number;
  readonly cause: string;
}
const gaps = async (): Promise<GapEntry[]> =>
  (await store.xrange(inboxKeys.gaps, '-', '+')).map(([, [, text]]) => JSON.parse(text ?? '') as GapEntry);

it('reports no gap at the very first start', async () => {
  await start();

  expect(await gaps()).toEqual([]);
  expect(Number(await store.get(webKeys.since))).toBeGreaterThan(0);
});

it('every later start reports one gap since the last beat, however short, and stores it', async () => {
  const first = await start();
  stop(first);
  const last = await opened();
  await start();
  await until(async () => (await gaps()).length > 0, 'the gap is reported');

  const [gap] = await gaps();
  expect(gap).toMatchObject({ cause: 'start' });
  expect(gap?.fromMs).toBeGreaterThanOrEqual(last);
  expect(gap?.toMs).toBeGreaterThanOrEqual(gap?.fromMs ?? 0);
  expect(await store.zrange(webKeys.gaps, '0', '-1')).toEqual([`${gap?.fromMs}-${gap?.toMs}`]);
  const beat = await opened();
  await until(async () => (await opened()) > beat, 'the next beat');
  expect(await gaps()).toHaveLength(1);
});

it('keeps a gap for more than a year, as long as the card service can be asked about it', async () => {
  const daysAgo = (days: number): number => Date.now() - days * 86_400_000;
  await store.zadd(webKeys.gaps, daysAgo(366), 'in the last year', daysAgo(401), 'older');
  stop(await start());

  await start();

  await until(async () => (await gaps()).length > 0, 'the gap is reported');
  const kept = await store.zrange(webKeys.gaps, '0', '-1');
  expect(kept).toHaveLength(2);
  expect(kept).toContain('in the last year');
});

it('a 503 answer reports a gap since the last beat', async () => {
  const { heart } = await start();

  heart.missed();
  await until(async () => (await gaps()).length > 0, 'the gap is reported');

  expect((await gaps())[0]).toMatchObject({ cause: 'away' });
});

it('a process that refused webhooks since its start reports a gap from then on, although another one accepted them', async () => {
  await start();
  let isTaking = false;
  const startedAt = Date.now();
  const { heart } = await start({ isTaking: () => isTaking });
  heart.missed();
  await new Promise((resolve) => setTimeout(resolve, 2000));
  expect(await gaps(), 'the other one accepts webhooks').toEqual([]);
  isTaking = true;

  await until(async () => (await gaps()).length > 0, 'the gap is reported');
  const [gap] = await gaps();
  expect(gap?.cause).toBe('start');
  expect(Math.abs((gap?.fromMs ?? 0) - startedAt)).toBeLessThan(1000);
});

it('a period in which all webhooks are refused is one gap that ends when they are accepted again', async () => {
  let isTaking = true;
  const { heart } = await start({ isTaking: () => isTaking });
  isTaking = false;
  heart.missed();
  const last = await opened();
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(await opened(), 'no beat claims that webhooks are accepted').toBe(last);
  expect(await gaps()).toEqual([]);
  isTaking = true;

  await until(async () => (await gaps()).length > 0, 'the gap is reported');
  expect(await gaps()).toMatchObject([{ cause: 'away', fromMs: last }]);
});

it('a Redis that comes back older than the last beat causes a gap from the beat it remembers', async () => {
  const { heart } = await start({ beatMs: 50 });
  const older = (await opened()) - 1000;
  await store.set(webKeys.open, older);

  await until(async () => (await gaps()).length > 0, 'the gap is reported');
  expect(await gaps()).toMatchObject([{ cause: 'rewound', fromMs: older }]);
  heart.lost();
  await until(async () => (await gaps()).length > 1, 'a possibly older Redis also reports a gap');
  expect((await gaps())[1]).toMatchObject({ cause: 'rewound' });
});

it('a frozen Redis causes a gap once it answers again', async () => {
  await start();
  const last = await opened();
  process.kill(server.pid, 'SIGSTOP');
  // Longer than the connection's command timeout.
  await new Promise((resolve) => setTimeout(resolve, 2300));
  process.kill(server.pid, 'SIGCONT');

  await until(async () => (await gaps()).length > 0, 'the gap is reported');
  const [gap] = await gaps();
  expect(gap?.cause).toBe('away');
  expect((gap?.toMs ?? 0) - last).toBeGreaterThan(2000);
});

it('a process notices that it was frozen, even while another one was running', async () => {
  await start({ beatMs: 400, stallMs: 200 });
  await until(async () => (await gaps()).length > 0, 'the next beat is late');

  expect((await gaps())[0]).toMatchObject({ cause: 'stalled' });
});

it.each([
  ['not after 10 seconds', 10_000, []],
  ['after 13 seconds', 13_000, [{ cause: 'stalled' }]],
])('a gap begins 12 seconds after the last beat: %s', async (_when, frozenMs, expected) => {
  const client = connectFailFast({ urls: [server.url], log, name: 'web' });
  let beats = 0;
  // Redis says when the last beat was. As if the process had been frozen since then.
  const frozen = new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== 'intake/beat') return value.bind(target);
      return async (...args: unknown[]) => {
        const atMs = Number(await value.apply(target, args));
        beats += 1;
        return atMs - frozenMs;
      };
    },
  });
  running.push({ client, heart: startHeartbeat(frozen, log, { beatMs: 20 }) });
  await until(() => beats >= 2, 'the beat after it was frozen');

  expect((await gaps()).slice(0, 1)).toMatchObject(expected);
});
