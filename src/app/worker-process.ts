import { randomBytes } from 'node:crypto';
import { gapOf } from '../core/gap.ts';
import type { Log } from '../core/log.ts';
import { closeQueues, openQueues } from '../core/queues.ts';
import { connectPatient } from '../core/redis.ts';
import type { InboxEntry } from '../intake/intake.ts';
import { startRelay } from '../intake/relay.ts';
import { watchDurability } from '../intake/watch-durability.ts';
import { wakeSkewedJobs } from '../ops/clock-skew.ts';
import { readHealth } from '../ops/health.ts';
import * as opsIssue from '../ops/issue.ts';
import { createWorkers } from '../ops/worker-store.ts';
import { defaultThrottle, type Throttle } from '../outbox/throttle.ts';
import { composeWorker } from './compose-worker.ts';
import type { WorkerConfig } from './config.ts';
import { startConsumers } from './consumer.ts';
import type { Enqueue } from './enqueue.ts';
import { createRunJob } from './run-job.ts';
import type { RunningProcess } from './run-process.ts';
import { createWorkerBase } from './worker-base.ts';

const SWEEP_MS = 15_000;
/** Oldest alert or request that waits for a worker: above, people are told; below the second, that it is over. */
const LAG_MS = 60_000;
const LAG_OVER_MS = 10_000;

/** The process that acts: posts alerts, asks the card API, keeps the record. */
export async function startWorker(
  config: WorkerConfig,
  log: Log,
  throttle: Throttle = defaultThrottle,
): Promise<RunningProcess> {
  const id = `worker-${randomBytes(4).toString('hex')}`;
  const redis = connectPatient({ urls: config.redisUrls, log, name: 'worker' });
  const reader = connectPatient({ urls: config.redisUrls, log, name: 'relay' });
  const queues = openQueues(redis);
  const base = createWorkerBase(config, redis, queues, log);
  const { handlers, home, ops, cards, sweep, setTimers } = composeWorker(base, throttle);
  const { enqueue, stores } = base;
  await watchDurability(redis, {
    wanted: config.redisDurability,
    log,
    onProblems: (problems) => ops.notifyOps(opsIssue.redisSettings(problems)),
  });
  const runJob = createRunJob({ handlers, throttle, homeChanged: home.changed });
  const consumers = startConsumers(runJob, { redis, log });
  const relay = startRelay({ reader, redis, consumer: id, log, handOn: (entry) => toJob(entry, enqueue) });
  const workers = createWorkers(redis);
  const sweeping = setInterval(() => {
    void orLog('sweep', sweep);
    void orLog('clock skew', wakeSkewed);
    void orLog('watch', watch);
  }, SWEEP_MS);
  // Not awaited: without Redis it waits, and the process must be able to stop all the same.
  void orLog('start of maintenance', startMaintenance);
  log.info({ workerId: id }, 'worker runs');

  return {
    async stop() {
      clearInterval(sweeping);
      await relay.stop();
      await consumers.close();
      await cards.directory.stop();
      await closeQueues(queues);
      if (redis.status === 'ready') await workers.gone(id);
      redis.disconnect();
    },
  };

  /** Says that this worker lives, and whether people wait for too long. */
  async function watch(): Promise<void> {
    await workers.beat(id, { atMs: Date.now(), isCardApiAway: cards.isCardApiAway() });
    const { lagMs } = await readHealth(redis);
    if (lagMs > LAG_MS) await ops.notifyOps(opsIssue.lagging());
    else if (lagMs < LAG_OVER_MS) await ops.notifyResolved(opsIssue.lagging(), opsIssue.laggedBehind);
  }

  async function wakeSkewed(): Promise<void> {
    for (const name of ['alerts', 'outbox', 'updates', 'actions'] as const) await wakeSkewedJobs(queues[name], redis);
  }

  async function startMaintenance(): Promise<void> {
    await orLog('watch', watch);
    await setTimers();
    await wakeSkewed();
    await sweep();
    for (const { id: temporaryChangeId, endsAt, state } of await stores.temporaryChanges.all()) {
      if (state === 'open') {
        await enqueue('end-temporary-change', { temporaryChangeId }, { atMs: Date.parse(endsAt) });
      }
    }
    await cards.directory.refresh();
    await orLog('check of the card API token', async () => void (await cards.card.getCurrentToken()));
  }

  async function orLog(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.warn({ err: error, what }, 'maintenance failed, the next run comes');
    }
  }
}

/** Each entry of the inbox becomes a job. */
async function toJob(entry: InboxEntry, enqueue: Enqueue): Promise<void> {
  switch (entry.type) {
    case 'event':
      return await enqueue(entry.isLate === true ? 'deliver-late-alert' : 'deliver-alert', entry.event);
    case 'quarantine':
      return await enqueue('quarantine-webhook', entry.webhook);
    case 'gap':
      return await enqueue('recover-gap', gapOf(entry.fromMs, entry.toMs, entry.cause));
    case 'home':
      return await enqueue('open-home', entry.opened);
    case 'action':
      return await enqueue('perform-action', entry.action);
    case 'refused':
      return await enqueue('record-refusal', entry.action);
  }
}
