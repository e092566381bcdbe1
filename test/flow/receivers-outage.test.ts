import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../local/redis.ts';
import { webhook } from '../fixtures/webhooks/webhook.ts';
import { movingAddress } from '../support/moving-address.ts';
import { inbox, type RunningWeb, send, startWeb } from '../support/running-web.ts';
import { until } from '../support/until.ts';

/** What counts as "at once" on a busy machine. The card service waits up to ten seconds. */
const AT_ONCE_MS = 1500;
let web: RunningWeb;
let redis: LocalRedis;

beforeAll(async () => {
  web = await startWeb();
  redis = web.redis;
});
afterAll(async () => {
  await web.stop();
  await redis.stop();
});
beforeEach(async () => {
  await web.store.flushall();
});

const deliver = (id: number) =>
  send(`${web.url}/webhooks/decline`, { body: JSON.stringify(webhook('decline', { NetworkTransactionId: id })) });
const isReady = async (): Promise<boolean> => (await fetch(`${web.url}/readyz`)).status === 200;
const stored = (): Promise<number> => web.store.xlen(inbox);

describe('while Redis is gone', () => {
  it('a webhook gets 503 at once, and 200 from the same web process once Redis is back', async () => {
    const { port, folder } = redis;
    expect((await deliver(1)).status).toBe(200);
    process.kill(redis.pid, 'SIGKILL');
    await until(async () => !(await isReady()), 'web knows that Redis is gone');

    const during = await Promise.all([2, 3, 4].map(deliver));
    redis = await startRedis({ port, folder });
    await until(isReady, 'web is ready again');
    const after = await deliver(2);

    for (const answer of during) {
      expect(answer.status).toBe(503);
      expect(answer.ms).toBeLessThan(AT_ONCE_MS);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(after.status).toBe(200);
    expect(await stored()).toBe(2);
    expect(web.child.isRunning()).toBe(true);
  });

  it('a webhook at the moment of the crash never gets 200 without being stored', async () => {
    const { port, folder } = redis;
    const acknowledged: number[] = [];
    let next = 1000;
    const sendSome = async (): Promise<void> => {
      while (next < 3000 && redis.pid !== 0) {
        const id = next;
        next += 1;
        const { status } = await deliver(id);
        if (status === 200) acknowledged.push(id);
        else return;
      }
    };

    const senders = Promise.all(Array.from({ length: 16 }, sendSome));
    await until(() => acknowledged.length > 200, 'a few hundred are acknowledged');
    process.kill(redis.pid, 'SIGKILL');
    await senders;
    redis = await startRedis({ port, folder });
    await until(isReady, 'web is ready again');

    const entries = await web.store.xrange(inbox, '-', '+');
    const kept = entries.map(([, [, text]]) => Number(JSON.parse(text ?? '').event.networkTransactionId));
    expect(acknowledged.filter((id) => !kept.includes(id))).toEqual([]);
    expect(new Set(kept).size).toBe(kept.length);
  });

  it('health is good, readiness says what is wrong, and requests that need no Redis are answered as usual', async () => {
    const { port, folder } = redis;
    process.kill(redis.pid, 'SIGKILL');
    await until(async () => !(await isReady()), 'web knows that Redis is gone');

    const readiness = await fetch(`${web.adminUrl}/readyz`);
    const bare = await fetch(`${web.url}/readyz`);

    expect(readiness.status).toBe(503);
    expect(await readiness.json()).toEqual({ status: 'not ready', problems: [expect.stringContaining('redis')] });
    expect(bare.status).toBe(503);
    expect(await bare.json()).toEqual({ status: 'not ready' });
    expect((await fetch(`${web.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${web.adminUrl}/livez`)).status).toBe(200);
    expect((await fetch(`${web.adminUrl}/metrics`)).status).toBe(200);
    const refused = { body: '{}', headers: { authorization: 'Basic x' } };
    expect((await send(`${web.url}/webhooks/decline`, refused)).status).toBe(401);
    redis = await startRedis({ port, folder });
    await until(isReady, 'web is ready again');
  });
});

describe('while Redis is frozen', () => {
  it('a webhook gets 503 in time, is stored once, and its retry gets 200', async () => {
    process.kill(redis.pid, 'SIGSTOP');
    const during = await Promise.all([1, 1, 2].map(deliver));
    const readiness = await fetch(`${web.url}/readyz`);
    process.kill(redis.pid, 'SIGCONT');
    await until(isReady, 'web is ready again');

    const after = await Promise.all([1, 2].map(deliver));

    for (const answer of during) {
      expect(answer.status).toBe(503);
      expect(answer.ms).toBeLessThan(AT_ONCE_MS);
    }
    expect(readiness.status).toBe(503);
    expect(after.map(({ status }) => status)).toEqual([200, 200]);
    expect(after.map(({ text }) => JSON.parse(text).status)).toEqual(['seen before', 'seen before']);
    expect(await stored()).toBe(2);
  });

  it('the web process survives any number of pending webhooks and accepts them afterwards', async () => {
    process.kill(redis.pid, 'SIGSTOP');
    const during = await Promise.all(Array.from({ length: 500 }, (_, id) => deliver(id)));
    process.kill(redis.pid, 'SIGCONT');
    await until(isReady, 'web is ready again');

    const after = await Promise.all(Array.from({ length: 500 }, (_, id) => deliver(id)));

    expect(new Set(during.map(({ status }) => status))).toEqual(new Set([503]));
    expect(new Set(after.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await stored()).toBe(500);
  });
});

it('leaves a Redis that became a replica, keeps what that one had acknowledged, and stores webhooks again', async () => {
  const former = await startRedis();
  const address = await movingAddress(former.port);
  const moved = await startWeb({ REDIS_URL: address.url });
  const taken = async (id: number): Promise<number> => {
    const body = JSON.stringify(webhook('decline', { NetworkTransactionId: id }));
    return (await send(`${moved.url}/webhooks/decline`, { body })).status;
  };
  expect(await taken(1)).toBe(200);
  const admin = new Redis(former.url);
  await admin.call('REPLICAOF', '127.0.0.1', '1');
  address.leadTo(moved.redis.port);

  expect(await taken(2)).toBe(503);
  await until(async () => (await fetch(`${moved.url}/readyz`)).status === 200, 'web is ready again');
  expect(await taken(2)).toBe(200);

  await until(async () => (await moved.store.xlen(inbox)) === 2, 'both are stored on the new primary');
  admin.disconnect();
  await moved.stop();
  address.close();
  await former.stop();
});

it('answers 503 when Redis is full, and stores nothing partially', async () => {
  await web.store.config('SET', 'maxmemory', '1');

  const full = await deliver(1);
  await web.store.config('SET', 'maxmemory', '0');
  const after = await deliver(1);

  expect([full.status, after.status]).toEqual([503, 200]);
  expect(JSON.parse(after.text).status).toBe('taken');
  expect(await stored()).toBe(1);
});
