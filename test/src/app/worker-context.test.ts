import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../../local/redis.ts';
import { composeDigests } from '../../../src/app/compose-digests.ts';
import { workerConfig } from '../../../src/app/config.ts';
import { createWorkerContext } from '../../../src/app/worker-context.ts';
import { createLog } from '../../../src/core/log.ts';
import { closeQueues, openQueues } from '../../../src/core/queues.ts';
import { connectPatient, type RedisClient, whenReady } from '../../../src/core/redis.ts';
import { createMetrics } from '../../../src/ops/metrics.ts';
import { openPolicy } from '../../../src/policy/policy-source.ts';
import { until } from '../../support/until.ts';

// A restarted Redis is empty: what a channel's server of a cluster has lost.
const args = ['--appendonly', 'no'];
const log = createLog({ level: 'silent', process: 'test' });
let server: LocalRedis;
let redis: RedisClient;

beforeAll(async () => {
  server = await startRedis({ extraArgs: args });
  redis = connectPatient({ urls: [server.url], log, name: 'test' });
  await whenReady(redis, 5000);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

it('restores notices and digests of jobs, because another server may have stored that they are done', async () => {
  const config = workerConfig({
    REDIS_URL: server.url,
    SLACK_BOT_TOKEN: 'xoxb-1',
    SLACK_API_URL: 'http://127.0.0.1:9/api/',
    ALERTS_CHANNEL: 'C0ALERTS',
    CARD_API_URL: 'http://127.0.0.1:9/v4',
    CARD_API_TOKEN: 'api-token-0123456789',
  });
  const queues = openQueues(redis);
  const context = createWorkerContext(config, redis, queues, {
    policy: openPolicy(config, log),
    log,
    metrics: createMetrics('worker'),
  });
  await context.redo.settled();
  const { sendDigest } = composeDigests(context);
  const { port, folder } = server;

  await context.postNotice('C1', 'warning', { text: 'x', blocks: [] });
  await sendDigest.now('C1', 'digest', 'monthly', 'UTC');
  await server.kill();
  server = await startRedis({ port, folder, extraArgs: args });
  await until(async () => context.redo.losses() > 0 && context.redo.isSettled(), 'the writes are repeated', 20_000);

  const { waiting } = await context.outbox.look('C1', 10);
  expect(waiting.map(({ entry }) => entry.id).toSorted()).toEqual(['digest', 'digest-csv', 'warning']);
  context.redo.stop();
  await closeQueues(queues);
}, 30_000);
