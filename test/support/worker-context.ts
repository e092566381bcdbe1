import { workerConfig } from '../../src/app/config.ts';
import { createWorkerContext } from '../../src/app/worker-context.ts';
import { createLog } from '../../src/core/log.ts';
import { closeQueues, openQueues } from '../../src/core/queues.ts';
import type { RedisClient } from '../../src/core/redis.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import { openPolicy } from '../../src/policy/policy-source.ts';

const log = createLog({ level: 'silent', process: 'test' });

/**
 * What a worker is composed from, on a real Redis. Nothing answers at the addresses of Slack and, unless it is given, of
 * the card API.
 */
export async function openWorkerContext(
  redis: RedisClient,
  redisUrl: string,
  { cardApiUrl = 'http://127.0.0.1:9/v4', reportsTokens = true, env = {} } = {},
) {
  const config = workerConfig({
    REDIS_URL: redisUrl,
    SLACK_BOT_TOKEN: 'xoxb-1',
    SLACK_API_URL: 'http://127.0.0.1:9/api/',
    ALERTS_CHANNEL: 'C0ALERTS',
    CARD_API_URL: cardApiUrl,
    CARD_API_TOKEN: 'api-token-0123456789',
    ...env,
  });
  const queues = openQueues(redis);
  const context = createWorkerContext(config, redis, queues, {
    policy: openPolicy(config, log),
    log,
    metrics: createMetrics('worker'),
    reportsTokens,
  });
  await context.redo.settled();
  const close = async (): Promise<void> => {
    context.redo.stop();
    await context.directory.stop();
    await closeQueues(queues);
  };
  return { context, queues, close };
}
