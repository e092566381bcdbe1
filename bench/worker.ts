import { Redis } from 'ioredis';
import { startRedis } from '../local/redis.ts';
import { startSandbox } from '../sandbox/server.ts';
import { QUEUE_PREFIX } from '../src/core/keys.ts';
import { createIntake, inboxKeys } from '../src/intake/intake.ts';
import { toStoredEvent } from '../src/webhooks/kind.ts';
import { startWorkspace } from '../workspace/server.ts';
import { startChild } from './child.ts';
import { row, table } from './report.ts';
import { SHARED_SECRET } from './sample.ts';
import { type StormDecline, stormDeclines } from './storm-declines.ts';

const EVENTS = 3000;
const LONGEST_MS = 60_000;
const LOOK_MS = 20;
const CHANNEL = 'C0BENCH';
const BOT_TOKEN = 'xoxb-bench';
const CARD_TOKEN = 'bench-card-api-token';

/** How many declines a second one worker carries from the inbox into an outbox, while it posts what is there. */
export async function benchWorker(): Promise<void> {
  const server = await startRedis();
  const redis = new Redis(server.url);
  const intake = createIntake(redis, { deadlineMs: 30_000 });
  await redis.ping();
  const workspace = await startWorkspace({
    botToken: BOT_TOKEN,
    signingSecret: 'bench',
    users: [{ id: 'U0BENCH', name: 'bench', realName: 'Bench' }],
    channels: [{ id: CHANNEL, name: 'declines' }],
  });
  const sandbox = await startSandbox({
    token: CARD_TOKEN,
    secret: SHARED_SECRET,
    redisUrl: server.url,
    webhooks: 'http://127.0.0.1:9',
  });
  const worker = await startChild(
    'src/worker.js',
    {
      REDIS_URL: server.url,
      SLACK_BOT_TOKEN: BOT_TOKEN,
      SLACK_API_URL: workspace.apiUrl,
      ALERTS_CHANNEL: CHANNEL,
      LOG_LEVEL: 'fatal',
      CARD_API_URL: sandbox.url,
      CARD_API_TOKEN: CARD_TOKEN,
    },
    async () => true,
  );
  const acctIds = sandbox.accounts().map(({ AcctId }) => AcctId);
  const take = async (declines: readonly StormDecline[]): Promise<void> => {
    const facts = { zone: 'America/New_York', version: '2.0.1.3', receivedAt: new Date().toISOString() };
    const events = declines.map(({ body }) => toStoredEvent(JSON.parse(body), 'decline', facts));
    await Promise.all(events.map((event) => intake.take({ type: 'event', event })));
  };
  // The first ones open connections and load code, while the directory of cards is read.
  await take(stormDeclines(50, acctIds, 70_000_000));
  await new Promise((resolve) => setTimeout(resolve, 5000));

  const startedAt = performance.now();
  await take(stormDeclines(EVENTS, acctIds));
  let left = EVENTS;
  while (left > 0 && performance.now() - startedAt < LONGEST_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    left = await onTheirWay(redis);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  table(
    'One worker, from the inbox to the outbox',
    ['declines', 'seconds', 'per second'],
    [row('Cardbell', [String(EVENTS - left), seconds.toFixed(1), ((EVENTS - left) / seconds).toFixed(0)])],
  );
  await worker.stop();
  redis.disconnect();
  await Promise.all([sandbox.stop(), workspace.stop()]);
  await server.stop();
}

/** In the inbox, or a job that is not done. */
async function onTheirWay(redis: Redis): Promise<number> {
  const job = (state: string): string => `${QUEUE_PREFIX}:alerts:${state}`;
  const counts = await Promise.all([
    redis.xlen(inboxKeys.webhooks),
    redis.llen(job('wait')),
    redis.llen(job('active')),
    redis.zcard(job('delayed')),
  ]);
  return counts.reduce((all, one) => all + one, 0);
}
