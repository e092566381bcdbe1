import { watchClock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { closeQueues, openQueues } from '../core/queues.ts';
import { connectFailFast, whenReady, whyUnusable } from '../core/redis.ts';
import { createRedo } from '../core/redo.ts';
import { watchDurability } from '../intake/durability.ts';
import { type Heartbeat, startHeartbeat } from '../intake/heartbeat.ts';
import { createIntake } from '../intake/intake.ts';
import { watchMemory } from '../intake/memory.ts';
import { countEvents, readHealth } from '../ops/health.ts';
import { openPolicy, watchPolicy } from '../policy/policy-source.ts';
import { respondOf, slackOf } from '../slack/several-programs.ts';
import { createQuarantineStore } from '../webhooks/quarantine.ts';
import { composeListeners, composeWebhooks, type WebBase } from './compose-web.ts';
import type { WebConfig } from './config.ts';
import type { Admin } from './run-process.ts';
import { watchFormat } from './stored-format.ts';

/** Longest wait for Redis before listening: a webhook in the first milliseconds should not get a 503. */
const FIRST_CONNECTION_MS = 1500;

/** The web process's part for one card program. */
export type WebProgram = Awaited<ReturnType<typeof openWebProgram>>;

type Shared = Pick<WebBase, 'slack' | 'respond' | 'showProgram' | 'log'> & { readonly admin: Admin };

/** Opens a card program's own parts: its keys in Redis, its inbox, its policy. @throws ConfigError */
export async function openWebProgram(config: WebConfig, { slack, respond, showProgram, log, admin }: Shared) {
  const policy = openPolicy(config, log);
  // The worker notifies the ops channel.
  const stopWatching = watchPolicy(policy, { log });
  let heartbeat: Heartbeat | undefined;
  const { redis, store, diskWait, queues, memory, redo, intake } = await openIntake(config, log, () =>
    heartbeat?.lost(),
  );
  const clock = watchClock(redis);
  const quarantined = createQuarantineStore(redis);
  const base: WebBase = {
    config,
    policy,
    redis,
    intake,
    slack: config.programs.length === 1 ? slack : slackOf(config.program, slack),
    respond: respondOf(config.program, respond),
    showProgram,
    metrics: admin.metrics,
    now: clock.now,
    log,
  };
  admin.watch({ problems, health: () => readHealth({ redis, queues, quarantined, memory }) });
  return {
    webhooks: composeWebhooks(base, () => heartbeat?.missed()),
    listeners: composeListeners(base),
    problems,
    /** Resolves when Redis is connected, or after a short time. */
    connected: () => whenReady(redis, FIRST_CONNECTION_MS),
    /** Called when the port is open. */
    listens(): void {
      heartbeat = startHeartbeat(redis, log, { isTaking: () => !memory.isFull() });
    },
    /** Called before the last requests are answered. */
    beforeStop(): void {
      stopWatching();
      heartbeat?.stop();
      memory.stop();
      redo.stop();
      clock.stop();
    },
    async stop(): Promise<void> {
      await closeQueues(queues);
      redis.disconnect();
      if (store !== redis) store.disconnect();
    },
  };

  /** What keeps it from accepting webhooks and clicks. Empty when nothing does. */
  async function problems(): Promise<string[]> {
    const why = await whyUnusable(redis);
    if (why !== null) return [why];
    if (intake.isSilent()) return ['redis does not answer'];
    if (diskWait() === null) return ['redis cannot wait for its disk'];
    if (!redo.isSettled()) return ['repeating writes that redis may have lost'];
    return memory.isFull() ? ['redis is nearly full'] : [];
  }
}

/** The stores for webhooks and clicks. @param onLoss called when Redis may have lost data. */
async function openIntake(config: WebConfig, log: Log, onLoss: () => void) {
  const redis = connectFailFast({ ...config.redis, log, name: 'web' });
  const shards = config.redisShards;
  await watchFormat(redis, shards, log);
  const diskWait = await watchDurability(redis, { wanted: config.redisDurability, log });
  const isAskingDisk = diskWait() === 'waitaof';
  // Asking for the disk blocks a connection for up to a second, so use a separate one.
  const store = isAskingDisk ? connectFailFast({ ...config.redis, log, name: 'web-intake' }) : redis;
  // For inspection only: web adds no jobs.
  const queues = openQueues(redis, shards);
  const memory = watchMemory(redis, {
    fullAt: config.redisFullAt,
    shards,
    inHand: (shard) => countEvents(queues, ['waiting', 'active', 'delayed'], shard),
  });
  const redo = createRedo(store, log, { onLoss, othersMaxMs: 0 });
  const intake = createIntake(store, { shards, diskWait, reserve: memory.reserve, redo });
  return { redis, store, diskWait, queues, memory, redo, intake };
}
