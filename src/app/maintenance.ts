import type { CardClient } from '../card-api/client.ts';
import type { TemporaryChanges } from '../limits/temporary-change-store.ts';
import { createWorkers, readHealth } from '../ops/health.ts';
import * as opsIssue from '../ops/issue.ts';
import { wakeSkewedJobs } from '../ops/stuck.ts';
import type { OpsParts } from './compose-ops.ts';
import type { WorkerBase } from './worker-base.ts';

const SWEEP_MS = 15_000;
/** Oldest alert or request that waits for a worker: above, people are told; below the second, that it is over. */
const LAG_MS = 60_000;
const LAG_OVER_MS = 10_000;

interface Deps {
  readonly base: Pick<WorkerBase, 'redis' | 'queues' | 'enqueue' | 'log'> & {
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
  let timer: NodeJS.Timeout | undefined;

  return {
    /** Does not wait for it: without Redis it would not end, and the process must be able to stop all the same. */
    start(): void {
      timer = setInterval(() => {
        void orLog('sweep', sweep);
        void orLog('clock skew', wakeSkewed);
        void orLog('watch', watch);
      }, SWEEP_MS);
      void orLog('start of maintenance', begin);
    },
    stop(): void {
      clearInterval(timer);
    },
    /** This worker does not live any more. */
    signOff: () => workers.gone(workerId),
  };

  /** Says that this worker lives, and whether people wait for too long. */
  async function watch(): Promise<void> {
    await workers.beat(workerId, { atMs: Date.now(), isCardApiAway: cards.isCardApiAway() });
    const { lagMs } = await readHealth({ redis, queues, countQuarantined: stores.quarantined.count });
    if (lagMs > LAG_MS) await ops.notifyOps(opsIssue.lagging());
    else if (lagMs < LAG_OVER_MS) await ops.notifyResolved(opsIssue.lagging(), opsIssue.laggedBehind);
  }

  async function wakeSkewed(): Promise<void> {
    for (const name of ['alerts', 'outbox', 'updates', 'actions'] as const) await wakeSkewedJobs(queues[name], redis);
  }

  async function begin(): Promise<void> {
    await orLog('watch', watch);
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
