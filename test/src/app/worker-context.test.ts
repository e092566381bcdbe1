import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listen } from '../../../local/port.ts';
import { type LocalRedis, startRedis } from '../../../local/redis.ts';
import { composeDigests } from '../../../src/app/compose-digests.ts';
import { createLog } from '../../../src/core/log.ts';
import { connectPatient, type RedisClient, whenReady } from '../../../src/core/redis.ts';
import { cardTokenDead } from '../../../src/ops/issue.ts';
import { createOpsMemory } from '../../../src/ops/notify-ops.ts';
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
  await sendDigest.now('C1', 'digest', { of: 'monthly', zone: 'UTC' }, async () => {});
  await server.kill();
  server = await startRedis({ port, folder, extraArgs: args });
  await until(async () => context.redo.losses() > 0 && context.redo.isSettled(), 'the writes are repeated', 20_000);

  const { waiting } = await context.outbox.look('C1', 10);
  expect(waiting.map(({ entry }) => entry.id).toSorted()).toEqual(['digest', 'digest-csv', 'warning']);
  await close();
}, 30_000);

it.each([
  ['a worker reports a token that the card service refuses', true],
  ['a command at a terminal does not, because its token may not be that of the workers', false],
])('%s', async (_what, reportsTokens) => {
  const api = createServer((_request, response) => void response.writeHead(401).end('{}'));
  const cardApiUrl = `http://127.0.0.1:${await listen(api)}/v4`;
  const { context, close } = await openWorkerContext(redis, server.url, { cardApiUrl, reportsTokens });

  await expect(context.card.getCurrentToken()).rejects.toMatchObject({ code: 'token_dead' });

  expect(await createOpsMemory(redis).isKnown(cardTokenDead)).toBe(reportsTokens);
  await createOpsMemory(redis).end(cardTokenDead, '');
  await close();
  await new Promise((resolve) => api.close(resolve));
});
