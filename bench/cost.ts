import autocannon from 'autocannon';
import { Redis } from 'ioredis';
import { freePort } from '../local/port.ts';
import { startRedis } from '../local/redis.ts';
import { answers, type Child, startChild } from './child.ts';
import { compareWithLast, type Figures, figureOf } from './figures.ts';
import { declineBody, SHARED_SECRET, webhookHeaders } from './sample.ts';
import { stormDeclines } from './storm-declines.ts';
import { startWorker, stopRedis, until } from './worker.ts';

const ROUNDS = 5;
const EVENTS = 3000;
/** A bare server needs 15 µs for one, and `/proc` counts in steps of 10 ms. */
const WEBHOOKS = 15_000;

/** Cost per event in one round. */
interface Spent {
  readonly processMs: number;
  readonly redisMs: number;
  /** How often each command ran, including those in scripts. */
  readonly commands: ReadonlyMap<string, number>;
}

/** A system under measurement: processes `count` items, and resolves when all are done. */
interface Contestant {
  readonly child: Child;
  readonly redis: Redis;
  run(count: number): Promise<void>;
  stop(): Promise<void>;
}

interface Options {
  readonly json: boolean;
  readonly save: boolean;
  /** Folder for the worker's profile. Null: no profile. */
  readonly profile: string | null;
}

/**
 * Processor time of one decline in a burst: worker and Redis compared with BullMQ alone, and the web process compared
 * with a server that only parses the same JSON. They take turns, each with its own Redis.
 */
export async function benchCost(options: Options): Promise<void> {
  const worker = await declining(options.profile);
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
  const title = 'One decline in a burst, beside its baseline';
  await compareWithLast(figures, { ...options, title, note: `Commands of one decline: ${names.join(', ')}` });
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

async function declining(profile: string | null): Promise<Contestant> {
  const { child, redis, acctIds, handle, stop } = await startWorker(profile);
  // No two rounds share a decline.
  const declines = stormDeclines(EVENTS * (ROUNDS + 1), acctIds);
  const run = (count: number): Promise<void> => handle(declines.splice(0, count).map(({ body }) => body));
  return { child, redis, run, stop };
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
    SLACK_BOT_TOKEN: 'xoxb-bench',
    SLACK_SIGNING_SECRET: 'bench-signing-secret',
    WEBHOOK_SHARED_SECRET: SHARED_SECRET,
    ALERTS_CHANNEL: 'C0BENCH',
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
