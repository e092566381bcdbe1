import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../../local/redis.ts';
import { composeDigests } from '../../../src/app/compose-digests.ts';
import { createLog } from '../../../src/core/log.ts';
import { connectPatient, type RedisClient, whenReady } from '../../../src/core/redis.ts';
import { until } from '../../support/until.ts';
import { openWorkerContext } from '../../support/worker-context.ts';

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
  const { context, close } = await openWorkerContext(redis, server.url);
  const { sendDigest } = composeDigests(context);
  const { port, folder } = server;

  await context.postNotice('C1', 'warning', { text: 'x', blocks: [] });
  await sendDigest.now('C1', 'digest', 'monthly', 'UTC');
  await server.kill();
  server = await startRedis({ port, folder, extraArgs: args });
  await until(async () => context.redo.losses() > 0 && context.redo.isSettled(), 'the writes are repeated', 20_000);

  const { waiting } = await context.outbox.look('C1', 10);
  expect(waiting.map(({ entry }) => entry.id).toSorted()).toEqual(['digest', 'digest-csv', 'warning']);
  await close();
}, 30_000);
