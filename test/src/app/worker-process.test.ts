import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../../local/redis.ts';
import { workerConfig } from '../../../src/app/config.ts';
import type { RunningProcess } from '../../../src/app/run-process.ts';
import { startWorkers } from '../../../src/app/worker-process.ts';
import { queuePrefix } from '../../../src/core/keys.ts';
import { createLog } from '../../../src/core/log.ts';
import { connectPatient, type RedisClient } from '../../../src/core/redis.ts';
import { inboxKeys } from '../../../src/intake/intake.ts';
import { createMetrics } from '../../../src/ops/metrics.ts';
import { until } from '../../support/until.ts';
import { read } from '../webhooks/read.ts';

const log = createLog({ level: 'silent', process: 'test' });
/** Redis comes back empty. */
const extraArgs = ['--appendonly', 'no'];
let server: LocalRedis;
let redis: RedisClient;
let worker: RunningProcess | null;
let problems: () => Promise<readonly string[]>;

beforeEach(async () => {
  server = await startRedis({ extraArgs });
  redis = connectPatient({ urls: [server.url], log, name: 'test' });
  // Nothing answers at the addresses of Slack and the card API.
  const config = workerConfig({
    REDIS_URL: server.url,
    SLACK_BOT_TOKEN: 'xoxb-1',
    SLACK_API_URL: 'http://127.0.0.1:9/api/',
    ALERTS_CHANNEL: 'C0ALERTS',
    CARD_API_URL: 'http://127.0.0.1:9/v4',
    CARD_API_TOKEN: 'api-token-0123456789',
  });
  worker = await startWorkers([config], log, {
    metrics: createMetrics('worker'),
    serveQueues() {},
    watch(part) {
      problems = part.problems;
    },
  });
});

afterEach(async () => {
  await worker?.stop();
  redis.disconnect();
  await server.stop();
});

async function comeBack(): Promise<void> {
  server = await startRedis({ port: server.port, folder: server.folder, extraArgs });
}

/** Accepts connections in place of Redis and does not answer. @returns what ends it. */
async function keepSilent(port: number): Promise<() => Promise<void>> {
  const sockets: Socket[] = [];
  const silent: Server = createServer((socket) => void sockets.push(socket.on('error', () => {})));
  await new Promise<void>((resolve) => silent.listen(port, '127.0.0.1', resolve));
  // The worker's own, that of its queues, its relay's, those of its consumers, and the test's.
  await until(() => sockets.length >= 10, 'all are connected again');
  return async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
  };
}

it('repeats the writes that Redis has lost before it stops, also if it was told to stop while Redis was away', async () => {
  const event = read('decline', { NetworkTransactionId: 1 });
  await redis.xadd(inboxKeys.webhooks, '*', 'entry', JSON.stringify({ type: 'event', event }));
  await until(async () => (await redis.xlen(inboxKeys.webhooks)) === 0, 'the worker has taken the event');
  await server.kill();
  const endSilence = await keepSilent(server.port);

  const stopped = worker?.stop();
  worker = null;
  await endSilence();
  await comeBack();
  await stopped;

  // The worker may have run the job again before it stopped.
  const added = await redis.xrange(`${queuePrefix(0)}:alerts:events`, '-', '+');
  expect(added.map(([, fields]) => fields)).toContainEqual([
    'event',
    'added',
    'jobId',
    event.id,
    'name',
    'deliver-alert',
  ]);
});

it('is not ready while it repeats writes that Redis may have lost, because no job runs until then', async () => {
  expect(await problems()).toEqual([]);
  await server.kill();
  await comeBack();

  await until(async () => (await problems()).join() === 'repeating writes that redis may have lost', 'it says so');
  await until(async () => (await problems()).length === 0, 'it is ready again');
});
