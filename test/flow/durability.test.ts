import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../local/redis.ts';
import { webhook } from '../fixtures/webhooks/webhook.ts';
import { startChild } from '../support/child-process.ts';
import { peopleEnv, secrets } from '../support/people.ts';
import { type RunningWeb, send, sharedSecret, startWeb } from '../support/running-web.ts';
import { until } from '../support/until.ts';

let withoutFile: LocalRedis;
let always: LocalRedis;
let web: RunningWeb;

beforeAll(async () => {
  [withoutFile, always] = await Promise.all([
    // Without an append-only file there is no sync to wait for in any version.
    startRedis({ extraArgs: ['--appendonly', 'no'] }),
    startRedis({ extraArgs: ['--appendfsync', 'always', '--maxmemory-policy', 'allkeys-lru'] }),
  ]);
  web = await startWeb({ REDIS_URL: always.url, REDIS_DURABILITY: 'disk' });
});
afterAll(async () => {
  await web.stop();
  await Promise.all([withoutFile.stop(), always.stop()]);
});

const env = {
  SLACK_BOT_TOKEN: secrets.botToken,
  SLACK_API_URL: 'http://127.0.0.1:1/api/',
  ...peopleEnv,
};

it.each([
  ['web', { SLACK_SIGNING_SECRET: secrets.signingSecret, WEBHOOK_SHARED_SECRET: sharedSecret, PORT: '0' }],
  ['worker', { CARD_API_URL: 'http://127.0.0.1:1/v4', CARD_API_TOKEN: secrets.apiToken }],
] as const)(
  '%s with REDIS_DURABILITY=disk exits at once and says why on a Redis that cannot wait for the disk',
  async (name, own) => {
    const child = startChild(name, { ...env, ...own, REDIS_URL: withoutFile.url, REDIS_DURABILITY: 'disk' });

    const { code } = await child.exit;

    expect(code).toBe(78);
    expect(child.lines.join('\n')).toMatch(/REDIS_DURABILITY: disk needs .*appendfsync always/);
  },
);

it('web accepts webhooks when Redis syncs each write', async () => {
  const { status } = await send(`${web.url}/webhooks/decline`, { body: JSON.stringify(webhook('decline')) });

  expect(status).toBe(200);
});

it('both processes log Redis settings that can lose events, and how to fix them', async () => {
  const worker = startChild('worker', {
    ...env,
    CARD_API_URL: 'http://127.0.0.1:1/v4',
    CARD_API_TOKEN: secrets.apiToken,
    REDIS_URL: always.url,
  });
  const said = (lines: readonly string[]): boolean =>
    lines.some((line) => /allkeys-lru.*set maxmemory-policy noeviction/.test(line));

  await until(() => said(worker.lines) && said(web.child.lines), 'both log it');
  await until(async () => (await web.store.ping()) === 'PONG', 'redis answers');
  await worker.stop();
});
