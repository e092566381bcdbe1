import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { Redis } from 'ioredis';
import { freePort } from '../local/port.ts';
import { startRedis } from '../local/redis.ts';
import { answers, type Child, startChild, webOnly } from './child.ts';
import { compareWithLast, type Figures, figureOf } from './figures.ts';
import { BOT_TOKEN, CHANNEL, declineBody, webhookHeaders } from './sample.ts';
import { stormDeclines } from './storm-declines.ts';
import { startWorker, stopRedis, until } from './worker.ts';

const ROUNDS = 15;
/** Rounds before the first that counts: connections are opened, and code that runs often is compiled. */
const WARM_UP = 4;
/** How long a system that has become idle is watched: its slowest recurring job runs every 30 s. */
const IDLE_MS = 30_000;
/** What follows from the last round, such as edits of messages, is over by then. */
const SETTLED_MS = 5000;
const EVENTS = 3000;
/** A bare server needs 15 µs for one, and `/proc` counts in steps of 10 ms. */
const WEBHOOKS = 15_000;

/** What a system has used: in one round, or for each event of it. */
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
  const contestants = { worker, alone, web, bare };
  const counts = { worker: EVENTS, alone: EVENTS, web: WEBHOOKS, bare: WEBHOOKS };
  const names = ['worker', 'alone', 'web', 'bare'] as const;
  for (let round = 0; round < WARM_UP; round += 1) for (const name of names) await contestants[name].run(counts[name]);
  const idle = new Map<string, Measured>();
  await sleep(SETTLED_MS);
  await Promise.all(names.map(async (name) => idle.set(name, await measure(contestants[name], () => sleep(IDLE_MS)))));
  const rounds = { worker: [] as Spent[], alone: [] as Spent[], web: [] as Spent[], bare: [] as Spent[] };
  for (let round = 0; round < ROUNDS; round += 1)
    for (const name of names) {
      const spent = await measure(contestants[name], () => contestants[name].run(counts[name]));
      rounds[name].push(perEvent(spent, idle.get(name) ?? spent, counts[name]));
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
  for (const name of names) await contestants[name].stop();
  const last = [...(rounds.worker.at(-1)?.commands ?? [])].filter(([, count]) => count >= 0.1);
  const shown = last.toSorted(([, a], [, b]) => b - a).map(([name, count]) => `${name} ${count.toFixed(1)}`);
  const title = 'One decline in a burst, beside its baseline';
  await compareWithLast(figures, { ...options, title, note: `Commands of one decline: ${shown.join(', ')}` });
}

interface Measured extends Spent {
  readonly tookMs: number;
}

async function measure({ child, redis }: Contestant, work: () => Promise<void>): Promise<Measured> {
  const startedAt = performance.now();
  const before = { processMs: child.cpuMs(), ...(await redisCost(redis)) };
  await work();
  const after = await redisCost(redis);
  return {
    processMs: child.cpuMs() - before.processMs,
    redisMs: after.redisMs - before.redisMs,
    commands: new Map([...after.commands].map(([name, calls]) => [name, calls - (before.commands.get(name) ?? 0)])),
    tookMs: performance.now() - startedAt,
  };
}

/** Subtracts what the idle system uses in the same time: that is not the cost of an event. */
function perEvent(round: Measured, idle: Measured, count: number): Spent {
  const share = round.tookMs / idle.tookMs;
  return {
    processMs: (round.processMs - idle.processMs * share) / count,
    redisMs: (round.redisMs - idle.redisMs * share) / count,
    commands: new Map(
      [...round.commands].map(([name, calls]) => [name, (calls - (idle.commands.get(name) ?? 0) * share) / count]),
    ),
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
  const declines = stormDeclines(EVENTS * (WARM_UP + ROUNDS), acctIds);
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
    ...webOnly,
    PORT: String(port),
    REDIS_URL: server.url,
    SLACK_BOT_TOKEN: BOT_TOKEN,
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
