import { execFileSync } from 'node:child_process';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../local/redis.ts';
import { findOrInstall } from '../../local/system-package.ts';
import { webhook } from '../fixtures/webhooks/webhook.ts';
import { startChild } from '../support/child-process.ts';
import { peopleEnv, secrets } from '../support/people.ts';
import { type RunningWeb, send, sharedSecret, startWeb } from '../support/running-web.ts';
import { until } from '../support/until.ts';

/** Debian 12 ships Redis 7.0, but WAITAOF needs 7.2. `test/src/intake/durability.test.ts` uses a fake. */
const version = execFileSync(findOrInstall(['redis-server', 'valkey-server'], 'redis-server'), ['--version'], {
  encoding: 'utf8',
});
const [, major = '0', minor = '0'] = /v=(\d+)\.(\d+)/.exec(version) ?? [];
const knowsWaitAof = Number(major) > 7 || (Number(major) === 7 && Number(minor) >= 2);

let redis: LocalRedis;
let admin: Redis;

beforeAll(async () => {
  redis = await startRedis();
  admin = new Redis(redis.url);
});
afterAll(async () => {
  admin.disconnect();
  await redis.stop();
});

/** Whether Redis reports two writes within a second as synced, although it syncs once a second. */
async function isLying(): Promise<boolean> {
  const ask = async (): Promise<number> => {
    await admin.set('x', '1');
    return Number(((await admin.call('WAITAOF', 1, 0, 1900)) as unknown[])[0]);
  };
  await ask();
  const startedAt = performance.now();
  for (let i = 0; i < 3; i += 1) await ask();
  return performance.now() - startedAt < 1000;
}

describe.runIf(knowsWaitAof)('REDIS_DURABILITY=disk on a Redis with WAITAOF that syncs once a second', () => {
  it('waits for the disk, or exits at once and says that WAITAOF does not wait', async () => {
    const settings = { SLACK_SIGNING_SECRET: secrets.signingSecret, WEBHOOK_SHARED_SECRET: sharedSecret, PORT: '0' };
    const slack = { SLACK_BOT_TOKEN: secrets.botToken, SLACK_API_URL: 'http://127.0.0.1:1/api/', ...peopleEnv };
    if (await isLying()) {
      const child = startChild('web', { ...settings, ...slack, REDIS_URL: redis.url, REDIS_DURABILITY: 'disk' });
      const { code } = await child.exit;
      expect(code).toBe(78);
      expect(child.lines.join('\n')).toMatch(/WAITAOF .*appendfsync always/);
      return;
    }
    const web = await startWeb({ REDIS_URL: redis.url, REDIS_DURABILITY: 'disk' });
    try {
      await keepsThePromise(web);
    } finally {
      await web.stop();
    }
  });
});

async function keepsThePromise(web: RunningWeb): Promise<void> {
  const deliver = (id: number): ReturnType<typeof send> =>
    send(`${web.url}/webhooks/decline`, { body: JSON.stringify(webhook('decline', { NetworkTransactionId: id })) });
  const asked = async (): Promise<number> =>
    Number(/cmdstat_waitaof:calls=(\d+)/.exec(await admin.info('commandstats'))?.[1] ?? 0);
  const before = await asked();

  const rush = await Promise.all(Array.from({ length: 50 }, (_, index) => deliver(index + 1)));
  expect(new Set(rush.map(({ status }) => status))).toEqual(new Set([200]));
  // Concurrent webhooks share a WAITAOF call.
  expect(await asked()).toBeLessThan(before + 25);

  // While nothing reaches the disk, no webhook gets a 200.
  await admin.config('SET', 'appendfsync', 'no');
  expect((await deliver(1001)).status).toBe(503);
  await admin.config('SET', 'appendfsync', 'everysec');
  await until(async () => (await deliver(1001)).status === 200, 'the retry of the webhook is accepted');
}
