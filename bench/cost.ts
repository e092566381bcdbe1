import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { Redis } from 'ioredis';
import { freePort } from '../local/port.ts';
import { type LocalRedis, startRedis } from '../local/redis.ts';
import { startSandbox } from '../sandbox/server.ts';
import { outboxKey, QUEUE_PREFIX } from '../src/core/keys.ts';
import { createIntake, inboxKeys } from '../src/intake/intake.ts';
import { toStoredEvent } from '../src/webhooks/kind.ts';
import { startWorkspace } from '../workspace/server.ts';
import { answers, type Child, startChild } from './child.ts';
import { compareWithLast, type Figures, figureOf } from './figures.ts';
import { declineBody, SHARED_SECRET, webhookHeaders } from './sample.ts';
import { stormDeclines } from './storm-declines.ts';

const ROUNDS = 5;
const EVENTS = 1000;
const WEBHOOKS = 3000;
const LONGEST_MS = 60_000;
const LOOK_MS = 50;
const CHANNEL = 'C0BENCH';
const BOT_TOKEN = 'xoxb-bench';
const CARD_TOKEN = 'bench-card-api-token';

/** What one round cost, for each event. */
interface Spent {
  readonly processMs: number;
  readonly redisMs: number;
  /** How often each command ran, those of scripts included. */
  readonly commands: ReadonlyMap<string, number>;
}

/** Something that is measured: does `count` of what it does, and is done when all of it is. */
interface Contestant {
  readonly child: Child;
  readonly redis: Redis;
  run(count: number): Promise<void>;
  stop(): Promise<void>;
}

interface Options {
  readonly json: boolean;
  readonly save: boolean;
  /** Folder for the worker's profile; null: none. */
  readonly profile: string | null;
}

/**
 * Processor time of one decline in a burst: of the worker and Redis beside BullMQ alone, and of the web process beside a
 * server that only parses the same JSON. Contestants take turns, each with a Redis of its own.
 */
export async function benchCost(options: Options): Promise<void> {
  const worker = await startWorker(options.profile);
  const alone = await startAlone();
  const web = await startServer('src/web.js', '/readyz');
  const bare = await startServer('bench/servers/bare.js', '/');
  const rounds = { worker: [] as Spent[], alone: [] as Spent[], web: [] as Spent[], bare: [] as Spent[] };
  for (let round = -1; round < ROUNDS; round += 1) {
    const spent = {
      worker: await measure(worker, EVENTS),
      alone: await measure(alone, EVENTS),
      web: await measure(web, WEBHOOKS),
      bare: await measure(bare, WEBHOOKS),
    };
    // The first round opens connections and loads code.
    if (round < 0) continue;
    for (const name of ['worker', 'alone', 'web', 'bare'] as const) rounds[name].push(spent[name]);
  }
  const processMs = (all: readonly Spent[]) => all.map((one) => one.processMs);
  const redisMs = (all: readonly Spent[]) => all.map((one) => one.redisMs);
  const commands = (all: readonly Spent[]) => all.map((one) => [...one.commands.values()].reduce((a, b) => a + b, 0));
  const scripts = (all: readonly Spent[]) => all.map((one) => one.commands.get('evalsha') ?? 0);
  const figures: Figures = {
    'worker ms': figureOf(processMs(rounds.worker), processMs(rounds.alone)),
    'Redis ms': figureOf(redisMs(rounds.worker), redisMs(rounds.alone)),
    'Redis commands': figureOf(commands(rounds.worker), commands(rounds.alone)),
    'Redis scripts': figureOf(scripts(rounds.worker), scripts(rounds.alone)),
    'web ms': figureOf(processMs(rounds.web), processMs(rounds.bare)),
  };
  for (const one of [worker, alone, web, bare]) await one.stop();
  const last = [...(rounds.worker.at(-1)?.commands ?? [])].filter(([, count]) => count >= 0.1);
  const names = last.toSorted(([, a], [, b]) => b - a).map(([name, count]) => `${name} ${count.toFixed(1)}`);
  await compareWithLast(figures, { ...options, note: `Commands of one decline: ${names.join(', ')}` });
}

async function measure({ child, redis, run }: Contestant, count: number): Promise<Spent> {
  const before = { processMs: child.cpuMs(), ...(await redisCost(redis)) };
  await run(count);
  const after = await redisCost(redis);
  const commands = [...after.commands].map(([name, calls]): [string, number] => [
    name,
    (calls - (before.commands.get(name) ?? 0)) / count,
  ]);
  return {
    processMs: (child.cpuMs() - before.processMs) / count,
    redisMs: (after.redisMs - before.redisMs) / count,
    commands: new Map(commands),
  };
}

async function redisCost(redis: Redis) {
  const seconds = (await redis.info('cpu')).matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm);
  const calls = (await redis.info('commandstats')).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm);
  return {
    redisMs: [...seconds].reduce((sum, [, value]) => sum + Number(value) * 1000, 0),
    commands: new Map([...calls].map(([, name = '', count]) => [name, Number(count)])),
  };
}

async function startWorker(profile: string | null): Promise<Contestant> {
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
  const env = {
    REDIS_URL: server.url,
    SLACK_BOT_TOKEN: BOT_TOKEN,
    SLACK_API_URL: workspace.apiUrl,
    ALERTS_CHANNEL: CHANNEL,
    LOG_LEVEL: 'fatal',
    CARD_API_URL: sandbox.url,
    CARD_API_TOKEN: CARD_TOKEN,
  };
  const child = await startChild(
    'src/worker.js',
    env,
    async () => true,
    profile === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`],
  );
  const acctIds = sandbox.accounts().map(({ AcctId }) => AcctId);
  // No round repeats what another declined.
  const declines = stormDeclines(EVENTS * (ROUNDS + 1), acctIds);
  return {
    child,
    redis,
    async run(count) {
      const facts = { zone: 'America/New_York', version: '2.0.1.3', receivedAt: new Date().toISOString() };
      const events = declines.splice(0, count).map(({ body }) => toStoredEvent(JSON.parse(body), 'decline', facts));
      await Promise.all(events.map((event) => intake.take({ type: 'event', event })));
      await until(async () => (await onTheirWay(redis)) + (await unposted(redis)) === 0);
    },
    async stop() {
      await child.stop();
      await Promise.all([sandbox.stop(), workspace.stop()]);
      await stopRedis(redis, server);
    },
  };
}

async function startAlone(): Promise<Contestant> {
  const server = await startRedis();
  const redis = new Redis(server.url);
  const child = await startChild('bench/servers/queue-alone.js', { REDIS_URL: server.url }, async () => true);
  return {
    child,
    redis,
    async run(count) {
      await redis.rpush('alone:jobs', count);
      await until(async () => (await redis.lpop('alone:done')) !== null);
    },
    async stop() {
      await child.stop();
      await stopRedis(redis, server);
    },
  };
}

async function startServer(entry: string, path: string): Promise<Contestant> {
  const [server, port] = [await startRedis(), await freePort()];
  const redis = new Redis(server.url);
  const env = {
    HOST: '127.0.0.1',
    PORT: String(port),
    REDIS_URL: server.url,
    SLACK_BOT_TOKEN: BOT_TOKEN,
    SLACK_SIGNING_SECRET: 'bench-signing-secret',
    WEBHOOK_SHARED_SECRET: SHARED_SECRET,
    ALERTS_CHANNEL: CHANNEL,
    LOG_LEVEL: 'warn',
  };
  const child = await startChild(entry, env, () => answers(`http://127.0.0.1:${port}${path}`));
  let sent = 0;
  const nextBody = (): string => {
    sent += 1;
    return declineBody(sent);
  };
  return {
    child,
    redis,
    async run(count) {
      const { non2xx, errors } = await autocannon({
        url: `http://127.0.0.1:${port}/webhooks/decline`,
        connections: 64,
        amount: count,
        method: 'POST',
        headers: webhookHeaders,
        requests: [{ setupRequest: (request) => ({ ...request, body: nextBody() }) }],
      });
      if (non2xx + errors > 0) throw new Error(`${entry}: ${non2xx} refused, ${errors} failed`);
    },
    async stop() {
      await child.stop();
      await stopRedis(redis, server);
    },
  };
}

async function stopRedis(redis: Redis, server: LocalRedis): Promise<void> {
  redis.disconnect();
  await server.stop();
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LONGEST_MS;
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error(`not done within ${LONGEST_MS} ms`);
    await sleep(LOOK_MS);
  }
}

/** In the inbox, or a job that is not done. */
export async function onTheirWay(redis: Redis): Promise<number> {
  const key = (queue: string, state: string): string => `${QUEUE_PREFIX}:${queue}:${state}`;
  const counts = await Promise.all([
    redis.xlen(inboxKeys.webhooks),
    ...['alerts', 'bursts'].map((queue) => redis.zcard(key(queue, 'delayed'))),
    ...['alerts', 'bursts', 'maintenance'].flatMap((queue) => [
      redis.llen(key(queue, 'wait')),
      redis.llen(key(queue, 'active')),
      redis.zcard(key(queue, 'prioritized')),
    ]),
  ]);
  return counts.reduce((all, one) => all + one, 0);
}

async function unposted(redis: Redis): Promise<number> {
  const [waiting, sending] = await Promise.all([
    redis.zcard(outboxKey(CHANNEL, 'queue')),
    redis.exists(outboxKey(CHANNEL, 'sending')),
  ]);
  return waiting + sending;
}
