import { randomBytes } from 'node:crypto';
import { startRestoredTime } from '../core/data-loss-window.ts';
import { within } from '../core/deadline.ts';
import { installationScope } from '../core/installation.ts';
import { stateKey } from '../core/keys.ts';
import type { Log } from '../core/log.ts';
import { closeQueues, openQueues, type Queues } from '../core/queues.ts';
import { connectPatient, whyUnusable } from '../core/redis.ts';
import { shardsOf } from '../core/shards.ts';
import { span } from '../core/trace.ts';
import { watchDurability } from '../intake/durability.ts';
import type { InboxEntry } from '../intake/intake.ts';
import type { Backlogs } from '../intake/memory.ts';
import { type Relay, startRelay } from '../intake/relay.ts';
import { countEvents, readHealth } from '../ops/health.ts';
import * as opsIssue from '../ops/issue.ts';
import * as redisIssue from '../ops/redis-issue.ts';
import { defaultThrottle, type Throttle } from '../outbox/send-message.ts';
import { openPolicy, watchPolicy } from '../policy/policy-source.ts';
import { composeWorker } from './compose-worker.ts';
import type { WorkerConfig } from './config.ts';
import { createRunJob, startConsumers } from './consumer.ts';
import { type Enqueue, toJobs } from './enqueue.ts';
import { createMaintenance } from './maintenance.ts';
import type { Configs } from './programs.ts';
import type { Admin, RunningProcess } from './run-process.ts';
import { watchFormat } from './stored-format.ts';
import { watchData } from './watch-data.ts';
import { createWorkerContext, type WorkerContext } from './worker-context.ts';

/** Limit for events waiting in the queues, across all workers. Further events wait in the inbox. */
const ALERT_EVENTS_MAX = 1000;
/** Never exists. Only a worker's Redis user may write it. */
const workerProbe = stateKey('worker-probe');
/** How long startup waits for Redis' time. */
const CLOCK_MS = 2000;

/** How fast a worker posts, and how often it sweeps, in milliseconds. Tests set other values. */
export interface Pace extends Throttle {
  readonly sweepMs: number;
}

export const defaultPace: Pace = { ...defaultThrottle, sweepMs: 15_000 };

/** The process that acts: posts alerts, calls the card API, keeps the record. Runs separately for each card program. */
export async function startWorkers(
  configs: Configs<WorkerConfig>,
  log: Log,
  admin: Admin,
  pace: Pace = defaultPace,
): Promise<RunningProcess> {
  const started: RunningProcess[] = [];
  const backlogs: Backlogs = new Map();
  for (const config of configs) {
    const own = config.program === '' ? log : log.child({ program: config.program });
    const start = (): Promise<RunningProcess> => startWorker(config, own, { admin, backlogs }, pace);
    // A single program's settings apply to the entire process.
    started.push(await (configs.length === 1 ? start() : installationScope(config)(start)));
  }
  return {
    async stop() {
      await Promise.all(started.map((worker) => worker.stop()));
    },
  };
}

async function startWorker(
  config: WorkerConfig,
  log: Log,
  { admin, backlogs }: { readonly admin: Admin; readonly backlogs: Backlogs },
  pace: Pace,
): Promise<RunningProcess> {
  const policy = openPolicy(config, log);
  const workerId = `worker-${randomBytes(4).toString('hex')}`;
  const redis = connectPatient({ ...config.redis, log, name: 'worker' });
  const shards = config.redisShards;
  await watchFormat(redis, shards, log, [workerProbe]);
  startRestoredTime(redis);
  // BullMQ adds a method for each of its scripts, which ioredis copies into every transaction of that connection.
  const queueRedis = connectPatient({ ...config.redis, log, name: 'queues' });
  const queues = openQueues(queueRedis, shards);
  const context = createWorkerContext(config, redis, queues, { policy, log, metrics: admin.metrics, backlogs });
  const noTimeYet = (): void => log.warn('could not read the time from Redis yet');
  await within(
    CLOCK_MS,
    context.clock.measure().then(() => {}, noTimeYet),
    noTimeYet,
  );
  const worker = composeWorker(context, pace);
  admin.watch({
    async problems() {
      const why = await whyUnusable(redis, [workerProbe]);
      if (why !== null) return [why];
      return context.redo.isSettled() ? [] : ['repeating writes that redis may have lost'];
    },
    health: { program: config.program, read: () => readHealth(context) },
  });
  await serveQueues(config, queues, admin);
  const stopWatching = await watchSettings(context);
  const runJob = createRunJob({ ...worker, throttle: pace, redo: context.redo, jobDone: context.jobDone });
  const consumers = startConsumers(runJob, { queues, log, measure: admin.metrics.jobRan });
  const relays = startRelays(context);
  const maintenance = createMaintenance(context, { workerId, sweepMs: pace.sweepMs, ...worker });
  maintenance.start();
  worker.checkChannels().catch((error: unknown) => log.warn({ err: error }, 'could not check the channels'));
  worker.reportRestore().catch((error: unknown) => log.warn({ err: error }, 'could not report a restored backup'));
  log.info({ workerId }, 'worker runs');

  return {
    async stop() {
      stopWatching();
      maintenance.stop();
      context.memory.stop();
      // Together: a relay may wait for Redis, and meanwhile no new jobs are taken.
      await Promise.all([...relays.map((relay) => relay.stop()), consumers.close()]);
      // Only now: waiting jobs continue once everything is repeated. What Redis has lost may be nowhere else.
      await context.redo.settled();
      context.redo.stop();
      await context.directory.stop();
      await closeQueues(queues);
      if (redis.status === 'ready') await maintenance.signOff();
      queueRedis.disconnect();
      redis.disconnect();
    },
  };
}

function startRelays({ config, redis, queues, enqueue, log }: WorkerContext): Relay[] {
  const roomOf = Math.ceil(ALERT_EVENTS_MAX / config.redisShards);
  return shardsOf(config.redisShards).map((shard) =>
    startRelay({
      shard,
      reader: connectPatient({ ...config.redis, log, name: 'relay' }),
      redis,
      handOn: (entries) => handOn(entries, enqueue),
      roomInQueue: async () => roomOf - (await countEvents(queues, ['waiting'], shard)),
      log,
    }),
  );
}

/** A job belongs to its entry's trace. A job of several entries belongs to none, but links to all of them. */
async function handOn(entries: readonly InboxEntry[], enqueue: Enqueue): Promise<void> {
  const traces = entries.flatMap(({ trace }) => trace ?? []);
  const place = entries.length > 1 ? { links: traces } : { parent: traces[0] };
  await span('hand on', { kind: 'consumer', ...place }, () => toJobs(entries, enqueue));
}

/** Loads the page only when configured. */
async function serveQueues({ queuePage }: WorkerConfig, queues: Queues, admin: Admin): Promise<void> {
  if (queuePage === null) return;
  const { createQueuePage } = await import('../ops/queue-page.ts');
  admin.serveQueues(createQueuePage(queues, queuePage));
}

/**
 * Notifies ops of problems with the settings and the data of Redis, and with the policy.
 *
 * @returns a function that stops watching.
 */
async function watchSettings({ config, redis, policy, notifyOps, notifyResolved, log }: WorkerContext) {
  await watchDurability(redis, {
    wanted: config.redisDurability,
    log,
    onProblems: (problems) => notifyOps(redisIssue.redisSettings(problems)),
  });
  watchData(redis, log, () => notifyOps(redisIssue.dataGone));
  return watchPolicy(policy, {
    onInvalid: (problems) => notifyOps(opsIssue.policyInvalid(problems)),
    onValid: () => notifyResolved(opsIssue.policyInvalid([])),
    log,
  });
}
