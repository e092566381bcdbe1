import type { CardClient } from '../card-api/client.ts';
import { unreadableKey } from '../core/record-store.ts';
import type { MemoryLevel, MemoryWatch } from '../intake/memory.ts';
import type { TemporaryChanges } from '../limits/temporary-change-store.ts';
import { createWorkers, readHealth } from '../ops/health.ts';
import * as opsIssue from '../ops/issue.ts';
import { reportFailedJobs, wakeSkewedJobs } from '../ops/stuck.ts';
import type { OpsParts } from './compose-ops.ts';
import type { WorkerBase } from './worker-base.ts';

const SWEEP_MS = 15_000;
/** How soon people are told that Redis is filling up. */
const MEMORY_MS = 1000;
/** Oldest alert or request that waits for a worker: above, people are told; below the second, that it is over. */
const LAG_MS = 60_000;
const LAG_OVER_MS = 10_000;
/** Clocks that are right differ by less. */
const CLOCK_DIFFERENCE_MS = 60_000;

interface Deps {
  readonly base: Pick<WorkerBase, 'redis' | 'queues' | 'enqueue' | 'clock' | 'log'> & {
    readonly memory: Pick<MemoryWatch, 'level'>;
    readonly stores: {
      readonly temporaryChanges: Pick<TemporaryChanges, 'all'>;
      readonly quarantined: { readonly count: () => Promise<number> };
    };
  };
  readonly workerId: string;
  readonly ops: Pick<OpsParts, 'notifyOps' | 'notifyResolved'>;
  readonly cards: {
    readonly card: Pick<CardClient, 'getCurrentToken'>;
    readonly directory: { readonly refresh: () => Promise<unknown> };
    readonly isCardApiAway: () => boolean;
  };
  readonly sweep: () => Promise<void>;
  readonly setTimers: () => Promise<void>;
}

/** What a worker does besides its jobs, at its start and every 15 seconds: a failure is logged, and the next run comes. */
export function createMaintenance({ base, workerId, ops, cards, sweep, setTimers }: Deps) {
  const { redis, queues, enqueue, stores, log } = base;
  const workers = createWorkers(redis);
  const timers: NodeJS.Timeout[] = [];
  let toldOfMemory: MemoryLevel | null = null;

  return {
    /** Does not wait for it: without Redis it would not end, and the process must be able to stop all the same. */
    start(): void {
      const sweeping = setInterval(() => {
        void orLog('sweep', sweep);
        void orLog('clock skew', wakeSkewed);
        void orLog('watch', watch);
        void orLog('clock', checkClock);
      }, SWEEP_MS);
      timers.push(
        sweeping,
        setInterval(() => void orLog('memory', notifyOfMemory), MEMORY_MS),
      );
      void orLog('start of maintenance', begin);
    },
    stop(): void {
      for (const timer of timers) clearInterval(timer);
    },
    /** This worker does not live any more. */
    signOff: () => workers.gone(workerId),
  };

  /** Says that this worker lives, and whether people wait for too long. */
  async function watch(): Promise<void> {
    await workers.beat(workerId, { atMs: Date.now(), isCardApiAway: cards.isCardApiAway() });
    const { lagMs, failed } = await readHealth({ redis, queues, countQuarantined: stores.quarantined.count });
    const unreadable = await redis.smembers(unreadableKey);
    if (unreadable.length > 0) await ops.notifyOps(opsIssue.recordsUnreadable(unreadable.toSorted()));
    await redis.del(unreadableKey);
    if (failed > 0) await reportFailedJobs(queues, ops.notifyOps, Date.now());
    if (lagMs > LAG_MS) await ops.notifyOps(opsIssue.lagging());
    else if (lagMs < LAG_OVER_MS) await ops.notifyResolved(opsIssue.lagging(), opsIssue.laggedBehind);
  }

  /** The clock of this machine decides nothing here, but BullMQ goes by it. */
  async function checkClock(): Promise<void> {
    const aheadMs = Date.now() - (await base.clock.measure()).getTime();
    if (Math.abs(aheadMs) > CLOCK_DIFFERENCE_MS) await ops.notifyOps(opsIssue.clocksDiffer());
  }

  async function notifyOfMemory(): Promise<void> {
    const level = base.memory.level();
    if (level === toldOfMemory) return;
    if (level !== 'enough') await ops.notifyOps(level === 'full' ? opsIssue.redisFull() : opsIssue.redisFilling());
    if (level !== 'full') await ops.notifyResolved(opsIssue.redisFull(), opsIssue.redisTakesAgain);
    if (level === 'enough') await ops.notifyResolved(opsIssue.redisFilling(), opsIssue.redisHasRoom);
    toldOfMemory = level;
  }

  async function wakeSkewed(): Promise<void> {
    for (const name of ['alerts', 'outbox', 'updates', 'actions'] as const) await wakeSkewedJobs(queues[name], redis);
  }

  async function begin(): Promise<void> {
    await orLog('watch', watch);
    await orLog('clock', checkClock);
    await setTimers();
    await wakeSkewed();
    await sweep();
    for (const { id, endsAt, state } of await stores.temporaryChanges.all()) {
      if (state !== 'open') continue;
      await enqueue('end-temporary-change', { temporaryChangeId: id }, { atMs: Date.parse(endsAt) });
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
