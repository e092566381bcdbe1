import { randomBytes } from 'node:crypto';
import { gapOf } from '../core/gap.ts';
import type { Log } from '../core/log.ts';
import { connectPatient } from '../core/redis.ts';
import { startRelay } from '../intake/relay.ts';
import { watchDurability } from '../intake/watch-durability.ts';
import { readHealth } from '../ops/health.ts';
import * as opsIssue from '../ops/issue.ts';
import { createWorkers } from '../ops/worker-store.ts';
import { defaultThrottle, type Throttle } from '../outbox/throttle.ts';
import { composeWorker } from './compose-worker.ts';
import type { WorkerConfig } from './config.ts';
import { startConsumer } from './consumer.ts';
import type { QueueName } from './jobs.ts';
import type { RunningProcess } from './run-process.ts';
import { sweep } from './sweep.ts';
import { createProcessors } from './worker-processors.ts';

const SWEEP_MS = 15_000;
/** Oldest alert or request that waits for a worker: above, people are told; below the second, that it is over. */
const LAG_MS = 60_000;
const LAG_OVER_MS = 10_000;
/** Asking costs nothing while the list is fresh; a list that failed comes again soon. */
const DIRECTORY_REFRESH_MS = 30_000;
/** What App Home counts down or lets run out is seldom older. */
const HOME_REFRESH_MS = 120_000;
/** A card that nobody has activated for days is found soon enough. */
const REMINDER_LOOK_MS = 5 * 60_000;

/** How many jobs of a queue one worker has in hand. They wait for others most of the time. */
const concurrency: Readonly<Record<QueueName, number>> = {
  alerts: 32,
  outbox: 32,
  updates: 8,
  actions: 16,
  maintenance: 8,
};

/** The process that acts: posts alerts, asks the card API, keeps the record. */
export async function startWorker(
  config: WorkerConfig,
  log: Log,
  throttle: Throttle = defaultThrottle,
): Promise<RunningProcess> {
  const id = `worker-${randomBytes(4).toString('hex')}`;
  const redis = connectPatient({ urls: config.redisUrls, log, name: 'worker' });
  const reader = connectPatient({ urls: config.redisUrls, log, name: 'relay' });
  const parts = composeWorker(config, redis, log);
  await watchDurability(redis, {
    wanted: config.redisDurability,
    log,
    onProblems: (problems) => parts.notifyOps(opsIssue.redisSettings(problems)),
  });
  const { queues, notifyOps, card, temporaryChanges, directory } = parts;
  const processors = createProcessors(parts, throttle, log);
  const consumers = (Object.keys(processors) as QueueName[]).map((name) =>
    startConsumer(name, processors[name], { redis, concurrency: concurrency[name], log }),
  );
  const relay = startRelay({
    reader,
    redis,
    consumer: id,
    log,
    handOn: async (entry) => {
      if (entry.type === 'event') await queues.deliverAlert(entry.event, entry.isLate ?? false);
      else if (entry.type === 'quarantine') await queues.quarantine(entry.webhook);
      else if (entry.type === 'gap') await queues.recoverGap(gapOf(entry.fromMs, entry.toMs, entry.cause));
      else if (entry.type === 'home') await queues.openHome(entry.opened);
      else if (entry.type === 'action') await queues.performAction(entry.action);
      else await queues.recordRefusal(entry.action);
    },
  });
  const workers = createWorkers(redis);
  const sweeping = setInterval(() => {
    void orLog('sweep', () => sweep(parts, redis));
    void orLog('watch', watch);
  }, SWEEP_MS);
  // Not awaited: without Redis it waits, and the process must be able to stop all the same.
  void orLog('start of upkeep', startMaintenance);
  log.info({ workerId: id }, 'worker runs');

  return {
    async stop() {
      clearInterval(sweeping);
      await relay.stop();
      await Promise.all(consumers.map((consumer) => consumer.close()));
      await directory.stop();
      await queues.close();
      if (redis.status === 'ready') await workers.gone(id);
      redis.disconnect();
    },
  };

  /** Says that this worker lives, and whether people wait for too long. */
  async function watch(): Promise<void> {
    await workers.beat(id, { atMs: Date.now(), isCardApiAway: parts.isCardApiAway() });
    const { lagMs } = await readHealth(redis);
    if (lagMs > LAG_MS) await notifyOps(opsIssue.lagging());
    else if (lagMs < LAG_OVER_MS) await parts.notifyResolved(opsIssue.lagging(), opsIssue.laggedBehind);
  }

  async function startMaintenance(): Promise<void> {
    await orLog('watch', watch);
    await queues.every('refresh-directory', DIRECTORY_REFRESH_MS);
    await queues.every('refresh-homes', HOME_REFRESH_MS);
    await parts.keepDigests();
    await queues.every('remind-of-activation', REMINDER_LOOK_MS);
    await sweep(parts, redis);
    for (const { id: temporaryChangeId, endsAt, state } of await temporaryChanges.all()) {
      if (state === 'open') await queues.endTemporaryChange(temporaryChangeId, Date.parse(endsAt));
    }
    await directory.refresh();
    await orLog('check of the card API token', async () => void (await card.getCurrentToken()));
  }

  async function orLog(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.warn({ err: error, what }, 'upkeep stumbled, the next run comes');
    }
  }
}
