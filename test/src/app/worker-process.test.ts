import { afterEach, beforeEach, expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../../local/redis.ts';
import { workerConfig } from '../../../src/app/config.ts';
import type { RunningProcess } from '../../../src/app/run-process.ts';
import { startWorkers } from '../../../src/app/worker-process.ts';
import { createLog } from '../../../src/core/log.ts';
import { createMetrics } from '../../../src/ops/metrics.ts';
import { until } from '../../support/until.ts';

const log = createLog({ level: 'silent', process: 'test' });
/** Redis comes back empty. */
const extraArgs = ['--appendonly', 'no'];
let server: LocalRedis;
let worker: RunningProcess;
let problems: () => Promise<readonly string[]>;

beforeEach(async () => {
  server = await startRedis({ extraArgs });
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
  await worker.stop();
  await server.stop();
});

it('is not ready while it repeats writes that Redis may have lost, because no job runs until then', async () => {
  expect(await problems()).toEqual([]);
  await server.kill();
  server = await startRedis({ port: server.port, folder: server.folder, extraArgs });

  await until(async () => (await problems()).join() === 'repeating writes that redis may have lost', 'it says so');
  await until(async () => (await problems()).length === 0, 'it is ready again');
});
