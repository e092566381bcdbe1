import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type LocalRedis, startRedis } from '../local/redis.ts';
import { type Sandbox, startSandbox } from '../sandbox/server.ts';
import { outboxKey } from '../src/core/keys.ts';
import { createIntake, type Intake } from '../src/intake/intake.ts';
import { toStoredEvent } from '../src/webhooks/kind.ts';
import { startWorkspace, type Workspace } from '../workspace/server.ts';
import { type Child, startChild } from './child.ts';
import { BOT_TOKEN, CARD_TOKEN, CHANNEL, SHARED_SECRET } from './sample.ts';
import { countInbox, countJobs } from './under-way.ts';

const LONGEST_MS = 60_000;
const LOOK_MS = 50;

/** A Redis, a Slack and a card service for one worker. */
export interface Surroundings {
  readonly redis: Redis;
  readonly workspace: Workspace;
  readonly sandbox: Sandbox;
  readonly intake: Intake;
  /** Accounts of the card service. */
  readonly acctIds: readonly number[];
  /** A worker with these variables uses all of them. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** @param more channels besides the one for alerts. */
export async function startSurroundings(more: readonly string[] = []): Promise<Surroundings> {
  const server = await startRedis();
  const redis = new Redis(server.url);
  const intake = createIntake(redis, { deadlineMs: 30_000 });
  await redis.ping();
  const workspace = await startWorkspace({
    botToken: BOT_TOKEN,
    signingSecret: 'bench',
    users: [{ id: 'U0BENCH', name: 'bench', realName: 'Bench' }],
    channels: [CHANNEL, ...more].map((id) => ({ id, name: id.toLowerCase() })),
  });
  const sandbox = await startSandbox({
    token: CARD_TOKEN,
    secret: SHARED_SECRET,
    redisUrl: server.url,
    webhooks: 'http://127.0.0.1:9',
  });
  return {
    redis,
    workspace,
    sandbox,
    intake,
    acctIds: sandbox.accounts().map(({ AcctId }) => AcctId),
    env: {
      REDIS_URL: server.url,
      SLACK_BOT_TOKEN: BOT_TOKEN,
      SLACK_API_URL: workspace.apiUrl,
      ALERTS_CHANNEL: CHANNEL,
      LOG_LEVEL: 'fatal',
      CARD_API_URL: sandbox.url,
      CARD_API_TOKEN: CARD_TOKEN,
    },
    async stop() {
      await Promise.all([sandbox.stop(), workspace.stop()]);
      await stopRedis(redis, server);
    },
  };
}

/** A worker with its own surroundings. */
interface WorkerBench extends Pick<Surroundings, 'redis' | 'acctIds' | 'stop'> {
  readonly child: Child;
  /** Stores the webhooks with these bodies together. Resolves when everything that follows from them is posted. */
  handle(bodies: readonly string[]): Promise<void>;
}

/** @param profile folder for its profile; null: no profile. */
export async function startWorker(profile: string | null = null): Promise<WorkerBench> {
  const { redis, intake, acctIds, env, stop } = await startSurroundings();
  const child = await startChild(
    'src/worker.js',
    env,
    async () => true,
    profile === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`],
  );
  return {
    child,
    redis,
    acctIds,
    async handle(bodies) {
      await takeAll(intake, bodies);
      await until(async () => (await onTheirWay(redis)) + (await unposted(redis)) === 0);
    },
    async stop() {
      await child.stop();
      await stop();
    },
  };
}

/** The event of a decline, as the web process would store it. */
export function eventOf(body: string) {
  const facts = { zone: 'America/New_York', version: '2.0.1.3', receivedAt: new Date().toISOString() };
  return toStoredEvent(JSON.parse(body), 'decline', facts);
}

/** Stores declines together. */
export async function takeAll(intake: Intake, bodies: readonly string[]): Promise<void> {
  await Promise.all(bodies.map((body) => intake.take({ type: 'event', event: eventOf(body) })));
}

export async function stopRedis(redis: Redis, server: LocalRedis): Promise<void> {
  redis.disconnect();
  await server.stop();
}

export async function until(isDone: () => Promise<boolean>, longestMs = LONGEST_MS, everyMs = LOOK_MS): Promise<void> {
  const deadline = performance.now() + longestMs;
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error(`not done within ${longestMs} ms`);
    await sleep(everyMs);
  }
}

/** Number of entries in the inbox and of unfinished jobs. */
export async function onTheirWay(redis: Redis): Promise<number> {
  // The delayed jobs of maintenance are the recurring ones.
  const counts = [countInbox(redis), countJobs(redis, ['alerts', 'bursts']), countJobs(redis, ['maintenance'], 0)];
  return (await Promise.all(counts)).reduce((all, one) => all + one, 0);
}

export async function unposted(redis: Redis): Promise<number> {
  const [waiting, sending] = await Promise.all([
    redis.zcard(outboxKey(CHANNEL, 'queue')),
    redis.exists(outboxKey(CHANNEL, 'sending')),
  ]);
  return waiting + sending;
}
