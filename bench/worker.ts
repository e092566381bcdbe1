import { Redis } from 'ioredis';
import { startRedis } from '../local/redis.ts';
import { startSandbox } from '../sandbox/server.ts';
import { QUEUE_PREFIX } from '../src/core/keys.ts';
import { createIntake, inboxKeys } from '../src/intake/intake.ts';
import { toStoredEvent } from '../src/webhooks/kind.ts';
import { startWorkspace } from '../workspace/server.ts';
import { type Child, startChild } from './child.ts';
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

  const before = { worker: worker.cpuMs(), redis: await redisCost(redis) };
  const startedAt = performance.now();
  await take(stormDeclines(EVENTS, acctIds));
  let left = EVENTS;
  while (left > 0 && performance.now() - startedAt < LONGEST_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    left = await onTheirWay(redis);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const spent = costOf(before, { worker: worker.cpuMs(), redis: await redisCost(redis) });
  await worker.stop();
  const alone = await queueAlone(redis, server.url);
  table(
    'One worker, from the inbox to the outbox',
    ['declines', 'seconds', 'per second'],
    [row('Cardbell', [String(EVENTS - left), seconds.toFixed(1), ((EVENTS - left) / seconds).toFixed(0)])],
  );
  table(
    'Processor time of one decline, ms',
    ['worker', 'times', 'Redis', 'times', 'commands'],
    [
      row('BullMQ alone', [alone.worker.toFixed(2), '1.0', alone.redis.toFixed(2), '1.0', alone.commands.toFixed(0)]),
      row('Cardbell', [
        spent.worker.toFixed(2),
        (spent.worker / alone.worker).toFixed(1),
        spent.redis.toFixed(2),
        (spent.redis / alone.redis).toFixed(1),
        spent.commands.toFixed(0),
      ]),
    ],
  );
  process.stdout.write(`\nCommands of one decline: ${spent.names}\n`);
  redis.disconnect();
  await Promise.all([sandbox.stop(), workspace.stop()]);
  await server.stop();
}

interface RedisCost {
  readonly cpuMs: number;
  /** How often each command ran, those of scripts included. */
  readonly commands: ReadonlyMap<string, number>;
}

interface Cost {
  readonly worker: number;
  readonly redis: RedisCost;
}

async function redisCost(redis: Redis): Promise<RedisCost> {
  const seconds = (await redis.info('cpu')).matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm);
  const calls = (await redis.info('commandstats')).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm);
  return {
    cpuMs: [...seconds].reduce((sum, [, value]) => sum + Number(value) * 1000, 0),
    commands: new Map([...calls].map(([, name = '', count]) => [name, Number(count)])),
  };
}

/** Of one decline, in milliseconds and commands. */
function costOf(before: Cost, after: Cost) {
  const each = [...after.redis.commands]
    .map(([name, count]) => ({ name, count: (count - (before.redis.commands.get(name) ?? 0)) / EVENTS }))
    .filter(({ count }) => count >= 0.05)
    .toSorted((a, b) => b.count - a.count);
  return {
    worker: (after.worker - before.worker) / EVENTS,
    redis: (after.redis.cpuMs - before.redis.cpuMs) / EVENTS,
    commands: each.reduce((sum, { count }) => sum + count, 0),
    names: each.map(({ name, count }) => `${name} ${count.toFixed(1)}`).join(', '),
  };
}

/** The baseline: as many jobs added, taken, and one key written for each. */
async function queueAlone(redis: Redis, url: string) {
  const before = await redisCost(redis);
  let child: Child | null = null;
  let cpuMs = 0;
  try {
    child = await startChild(
      'bench/servers/queue-alone.js',
      { REDIS_URL: url, JOBS: String(EVENTS) },
      async () => true,
    );
    const deadline = performance.now() + LONGEST_MS;
    while ((await redis.get('alone:done')) === null && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    cpuMs = child.cpuMs() - Number(await redis.get('alone:started'));
  } finally {
    await child?.stop();
  }
  return costOf({ worker: 0, redis: before }, { worker: cpuMs, redis: await redisCost(redis) });
}

/** In the inbox, or a job that is not done. */
export async function onTheirWay(redis: Redis): Promise<number> {
  const job = (state: string): string => `${QUEUE_PREFIX}:alerts:${state}`;
  const counts = await Promise.all([
    redis.xlen(inboxKeys.webhooks),
    redis.llen(job('wait')),
    redis.llen(job('active')),
    redis.zcard(job('delayed')),
  ]);
  return counts.reduce((all, one) => all + one, 0);
}
