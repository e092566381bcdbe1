import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../../local/redis.ts';
import { composeDigests } from '../../../src/app/compose-digests.ts';
import { workerConfig } from '../../../src/app/config.ts';
import { createWorkerContext } from '../../../src/app/worker-context.ts';
import { StoreUnavailableError } from '../../../src/core/errors.ts';
import { createLog } from '../../../src/core/log.ts';
import { closeQueues, openQueues } from '../../../src/core/queues.ts';
import { connectPatient, type RedisClient, whenReady } from '../../../src/core/redis.ts';
import { createMetrics } from '../../../src/ops/metrics.ts';
import { openPolicy } from '../../../src/policy/policy-source.ts';
import { unanswered } from '../../support/card-api-errors.ts';

const log = createLog({ level: 'silent', process: 'test' });
let server: LocalRedis;
let redis: RedisClient;

beforeAll(async () => {
  server = await startRedis();
  redis = connectPatient({ urls: [server.url], log, name: 'test' });
  await whenReady(redis, 5000);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

async function createContext() {
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
  const close = async () => {
    context.redo.stop();
    await context.directory.stop();
    await closeQueues(queues);
  };
  return { context, queues, close };
}

it('digests of own cards read cards at the pace that leaves the API quota to people, one run at a time', async () => {
  const { context, queues, close } = await createContext();
  const now = () => new Date('2026-11-20T14:01:00Z');
  const startedAt = performance.now();
  const calls: number[] = [];
  const call = async () => {
    calls.push(performance.now() - startedAt);
    throw unanswered();
  };
  const card = { ...context.card, getAccount: call, getSpendRules: call, getRemainingLimits: call };
  for (let acctId = 1; acctId <= 14; acctId += 1) {
    const at = '2026-11-01T00:00:00Z';
    await context.links.link({ acctId, userId: 'U0SAM', provedBy: 'approver', by: 'U0ANA', at });
  }
  await context.preferences.setOwnDigest('U0SAM', { often: 'daily', since: '2026-11-19T15:00:00Z' });
  const { sendDigests } = composeDigests({ ...context, card, now });

  await Promise.all([sendDigests(), sendDigests()]);

  expect(calls).toHaveLength(3 * 14);
  expect(calls.filter((ms) => ms < 500).length, 'at once').toBeLessThanOrEqual(40);
  const [sent] = await queues.updates.getJobs();
  const shown = JSON.stringify(sent?.data);
  expect(shown).toContain('nothing was declined');
  expect(shown).toContain('The limits are not available right now.');
  await close();
}, 30_000);

it('digests of own cards that Redis could not take are reported, not taken for those of another run', async () => {
  const { context, close } = await createContext();
  const ownDigests = () => Promise.reject(new StoreUnavailableError('redis does not answer'));
  const preferences = { ...context.preferences, ownDigests };
  const { sendDigests } = composeDigests({ ...context, preferences });

  await expect(sendDigests()).rejects.toThrow('redis does not answer');

  await close();
});
