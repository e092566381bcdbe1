import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '../../local/port.ts';
import { type LocalRedis, startRedis } from '../../local/redis.ts';
import { type Sandbox, startSandbox } from '../../sandbox/server.ts';
import { startWorkspace, type Workspace } from '../../workspace/server.ts';
import { type Child, startChild } from '../support/child-process.ts';
import { createOrderSheet, type Orders } from '../support/orders.ts';
import { channels, peopleEnv, secrets, workspaceOptions } from '../support/people.ts';
import { until } from '../support/until.ts';
import { startWire, type Wire } from './wire.ts';

/** Additional approvers, because clicks are rate limited per person. */
export const moreApprovers = ['U0AMY', 'U0IAN', 'U0LEA'];

/** A cluster member. Its process is restarted when it dies. */
export interface Member {
  readonly process: 'web' | 'worker';
  /** Base address of a web process. */
  readonly url: string;
  child(): Child;
  order(orders: Orders): Promise<void>;
  kill(): void;
  /** Number of starts so far. */
  starts(): number;
}

/** Webs and workers over one Redis, between Slack and the card service. */
export interface ChaosCluster {
  readonly workspace: Workspace;
  readonly sandbox: Sandbox;
  readonly members: readonly Member[];
  readonly webs: readonly Member[];
  readonly workers: readonly Member[];
  readonly wire: Wire;
  /** A connection that bypasses the disturbed wire. */
  readonly store: Redis;
  readonly redisUrl: string;
  freezeRedis(ms: number): Promise<void>;
  /** Kills Redis with SIGKILL and restarts it with the same folder after `ms`. */
  restartRedis(ms: number): Promise<void>;
  /** Kills Redis with SIGKILL and loses its last `lostMs`, as with a slow disk, a power failure or a failover. */
  rewindRedis(lostMs: number): Promise<void>;
  /** Sets how far Slack's clock is behind all others. */
  setSlackBehind(ms: number): void;
  /** When (ms) a web process ended. */
  readonly webDeaths: readonly number[];
  /** All log lines of the processes. */
  logs(): string[];
  stop(): Promise<void>;
}

export async function startCluster(options: {
  /** Where the card service sends the webhooks that clicks cause. */
  readonly webhooks: string;
  readonly postsPerSecond: number;
  readonly enforceRateLimits: boolean;
  readonly webs: number;
  readonly workers: number;
  /** `REDIS_SHARDS` of all processes. */
  readonly shards: number;
  /** Proxies between the processes and the services they call. */
  readonly between?: { slack(url: string): Promise<string>; cardApi(url: string): Promise<string> };
}): Promise<ChaosCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'cardbell-chaos-'));
  const redisPort = await freePort();
  const startMain = (): Promise<LocalRedis> => startRedis({ port: redisPort, folder });
  let redis = await startMain();
  const calm = await startRedis();
  const wire = await startWire(redisPort);
  let slackBehindMs = 0;
  const workspace = await startWorkspace({
    ...workspaceOptions,
    now: () => Date.now() - slackBehindMs,
    users: [
      ...(workspaceOptions.users ?? []),
      ...moreApprovers.map((id) => ({ id, name: id.toLowerCase(), realName: id })),
    ],
    enforceRateLimits: options.enforceRateLimits,
    postsPerSecond: options.postsPerSecond,
    channels: (workspaceOptions.channels ?? []).map((channel) => ({ ...channel, isPrivate: true })),
  });
  const sandbox = await startSandbox({
    token: secrets.apiToken,
    secret: secrets.sharedSecret,
    redisUrl: calm.url,
    webhooks: options.webhooks,
    timeScale: 60,
  });
  const store = new Redis(redis.url, { maxRetriesPerRequest: null, retryStrategy: () => 100 });
  store.on('error', () => {
    // Redis is killed on purpose.
  });

  const shared = {
    HOST: '127.0.0.1',
    REDIS_URL: `redis://127.0.0.1:${wire.port}`,
    REDIS_SHARDS: String(options.shards),
    SLACK_BOT_TOKEN: secrets.botToken,
    SLACK_API_URL: (await options.between?.slack(workspace.apiUrl)) ?? workspace.apiUrl,
    ...peopleEnv,
    APPROVERS: [peopleEnv.APPROVERS, ...moreApprovers].join(','),
    ALERTS_CHANNEL_SPEND: channels.spend,
    // High enough that one person may always act alone in a run.
    TWO_PERSON_ABOVE: '1000000',
  };
  const webEnv = { SLACK_SIGNING_SECRET: secrets.signingSecret, WEBHOOK_SHARED_SECRET: secrets.sharedSecret };
  const workerEnv = {
    CARD_API_URL: (await options.between?.cardApi(sandbox.url)) ?? sandbox.url,
    CARD_API_TOKEN: secrets.apiToken,
    // Slightly slower than Slack allows, like the real default.
    TEST_PACE: JSON.stringify({ postMs: Math.ceil(1050 / options.postsPerSecond) }),
  };
  const logs: string[] = [];
  const webDeaths: number[] = [];
  let isStopping = false;

  async function createMember(process: 'web' | 'worker', index: number): Promise<Member> {
    const orders = await createOrderSheet(join(folder, `orders-${process}-${index}.json`));
    const port = await freePort();
    const env = { ...shared, ...(process === 'web' ? { ...webEnv, PORT: String(port) } : workerEnv) };
    let starts = 0;
    let child = start();
    await child.said(process === 'web' ? 'web listens' : 'worker runs');

    function start(): Child {
      starts += 1;
      const started = startChild(process, { ...env, ...orders.env });
      void started.exit.then(async ({ code, signal }) => {
        if (process === 'web') webDeaths.push(Date.now());
        logs.push(...started.lines, `--- ${process} ${index} ended: ${signal ?? `exit code ${code}`}`);
        await sleep(150);
        if (!isStopping) child = start();
      });
      return started;
    }
    return {
      process,
      url: `http://127.0.0.1:${port}`,
      child: () => child,
      async order(given) {
        await orders.write(given);
        // A process that just starts may have read the earlier orders. Left with them, it would be killed at any later time,
        // even while it repeats what Redis has lost. It handles the signal by the time it logs.
        const told = child;
        await until(() => told.lines.length > 0 || !told.isRunning(), 'a process starts');
        if (told.isRunning()) told.kill('SIGUSR2');
      },
      kill: () => child.kill('SIGKILL'),
      starts: () => starts,
    };
  }

  const members = await Promise.all([
    ...Array.from({ length: options.webs }, (_, index) => createMember('web', index)),
    ...Array.from({ length: options.workers }, (_, index) => createMember('worker', index)),
  ]);

  return {
    workspace,
    sandbox,
    members,
    webs: members.filter((member) => member.process === 'web'),
    workers: members.filter((member) => member.process === 'worker'),
    wire,
    store,
    redisUrl: redis.url,
    async freezeRedis(ms) {
      globalThis.process.kill(redis.pid, 'SIGSTOP');
      await sleep(ms);
      globalThis.process.kill(redis.pid, 'SIGCONT');
    },
    async restartRedis(ms) {
      await redis.kill();
      await sleep(ms);
      redis = await startMain();
    },
    async rewindRedis(lostMs) {
      const files = join(folder, 'appendonlydir');
      await cp(files, `${files}-older`, { recursive: true });
      await sleep(lostMs);
      await redis.kill();
      await rm(files, { recursive: true });
      await cp(`${files}-older`, files, { recursive: true });
      await rm(`${files}-older`, { recursive: true });
      redis = await startMain();
    },
    setSlackBehind(ms) {
      slackBehindMs = ms;
    },
    webDeaths,
    logs: () => [...logs, ...members.flatMap((member) => member.child().lines)],
    async stop() {
      isStopping = true;
      await Promise.all(members.map((member) => member.child().stop()));
      store.disconnect();
      await Promise.all([sandbox.stop(), workspace.stop(), wire.stop()]);
      await redis.stop();
      await calm.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
