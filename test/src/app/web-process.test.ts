import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { startRedis } from '../../../local/redis.ts';
import { webConfig } from '../../../src/app/config.ts';
import { startWeb } from '../../../src/app/web-process.ts';
import { createLog } from '../../../src/core/log.ts';
import { inboxKeys } from '../../../src/intake/intake.ts';
import { createMetrics } from '../../../src/ops/metrics.ts';
import { serviceHeaders, sharedSecret } from '../../support/running-web.ts';
import { sampleWebhook } from '../../support/sample-webhook.ts';
import { until } from '../../support/until.ts';

it('stores the webhooks again that Redis has lost before it stops, also if it was told to stop while Redis was away', async () => {
  // Redis comes back empty.
  const extraArgs = ['--appendonly', 'no'];
  let server = await startRedis({ extraArgs });
  const config = webConfig({
    REDIS_URL: server.url,
    SLACK_BOT_TOKEN: 'xoxb-1',
    SLACK_SIGNING_SECRET: 'signing-secret-1',
    WEBHOOK_SHARED_SECRET: sharedSecret,
    ALERTS_CHANNEL: 'C1',
    HOST: '127.0.0.1',
    PORT: '0',
  });
  let problems: () => Promise<readonly string[]> = async () => [];
  const web = await startWeb([config], createLog({ level: 'silent', process: 'test' }), {
    metrics: createMetrics('web'),
    serveQueues() {},
    watch(part) {
      if (part.health !== undefined) problems = part.problems;
    },
  });
  const { kind, body } = sampleWebhook('decline');
  const sent = { method: 'POST', headers: serviceHeaders, body };
  expect((await fetch(`http://127.0.0.1:${web.port}/webhooks/${kind}`, sent)).status).toBe(200);
  await server.kill();
  await until(async () => (await problems()).includes('redis is not connected'), 'Redis is away');

  const stopped = web.stop();
  await new Promise((resolve) => setTimeout(resolve, 100));
  server = await startRedis({ port: server.port, folder: server.folder, extraArgs });
  await stopped;

  const redis = new Redis(server.url);
  expect(await redis.xlen(inboxKeys.webhooks)).toBe(1);
  redis.disconnect();
  await server.stop();
});
