import { setTimeout as sleep } from 'node:timers/promises';
import { CardApiError, PayloadError } from '../core/errors.ts';
import { type CardStatusEvent, FETCHED_PATH, type TransactionKind } from '../core/event.ts';
import { webKeys } from '../core/keys.ts';
import { createLock } from '../core/lock.ts';
import { createLateIntake } from '../intake/take-late.ts';
import { createCheckWebhooks, createReadArrivals } from '../recovery/check-webhooks.ts';
import { createRecoverGap, type ReadRow } from '../recovery/recover-gap.ts';
import { createRecordDiscovered, createStatusRecovery } from '../recovery/recover-statuses.ts';
import { createCountNew, createRecoveries, createUnreportedOnly, readUptime } from '../recovery/recovery-store.ts';
import { createRunRecovery, createShowRecovery } from '../recovery/run-recovery.ts';
import { createNoteArrival, isSent } from '../recovery/sent-kinds.ts';
import { quarantine } from '../webhooks/quarantine.ts';
import { timesOfMisfit, toMissedTransaction } from '../webhooks/transaction.ts';
import type { WorkerContext } from './worker-context.ts';

/** At most one call per second: at least half of the card service's quota (120 calls per minute) stays for people. */
const REST_MS = 1000;
/** The rows of half a day can take long. Includes the client's own waits after a 429. */
const CALL_MS = 120_000;
/** A shorter period is not divided any more. */
const SHORT_MS = 10 * 60_000;

/** Recovers gaps, and the statuses of cards that changed during them. */
export function composeRecovery(context: WorkerContext) {
  const { config, redis, log, memory, withLock, backfilled, now } = context;
  const { redisShards } = config;
  const late = createLateIntake(redis, memory.reserve, redisShards, context.redo);
  const recoveries = createRecoveries(redis, redisShards);
  const unreportedOnly = createUnreportedOnly(redis, now);
  const countNew = createCountNew(redis, redisShards);
  const statuses = createStatusRecovery({
    ...context,
    take: late.takeStatuses,
    recordDiscovered: createRecordDiscovered(context),
    async lastGapEndMs() {
      const [gap] = await redis.zrange(webKeys.gaps, '-1', '-1');
      return Number(gap?.split('-')[1] ?? 0);
    },
    now,
  });
  const common = missedRows(context);
  return {
    ...createRunRecovery({
      recoverGap: createRecoverGap({
        ...common,
        intake: {
          take: async (gapId, events, isUnsent) => await late.take(gapId, await unreportedOnly(events), isUnsent),
          quarantineRows: late.quarantineRows,
        },
        recoverStatuses: statuses.afterGap,
        recoveries,
      }),
      show: createShowRecovery({
        recoveries,
        post: (id) => context.postTracked(config.channels.ops, { kind: 'recovery', id }),
        updateMessage: (id) => context.enqueue('update-messages', { kind: 'recovery', id }),
        now,
      }),
      recoveries,
      tryLock: createLock(redis, { maxWaitMs: 0, log }),
      withLock,
      log,
    }),
    noteArrival: createNoteArrival(recoveries, now),
    refreshDirectory: statuses.refreshDirectory,
    checkWebhooks: createCheckWebhooks({
      ...context,
      ...common,
      readUptime: () => readUptime(redis),
      readArrivals: createReadArrivals({
        ...context,
        countUnreported: async (events) => await countNew(await unreportedOnly(events)),
      }),
      recoveries,
      enqueueRecovery: (gap) => context.enqueue('recover-gap', gap),
    }),
    /** True when a later webhook repeats something already backfilled. */
    async isBackfilled(event: CardStatusEvent): Promise<boolean> {
      return await backfilled.covers(event, (await context.directory.account(event.acctId))?.cards ?? []);
    },
  };
}

interface RowDeps extends Pick<WorkerContext, 'redis' | 'config' | 'assumptions' | 'now' | 'log'> {
  readonly card: Pick<WorkerContext['card'], 'listNetworkTransactions'>;
}

/** Reads the service's rows for a period at a low rate, and converts them to events. */
export function missedRows({ redis, config, card, assumptions, now, log }: RowDeps) {
  const recoveries = createRecoveries(redis, config.redisShards);
  let calledAt = Number.NEGATIVE_INFINITY;
  /** At most one call per `REST_MS`. */
  async function ask(from: Date, to: Date) {
    const restMs = calledAt + REST_MS - performance.now();
    if (restMs > 0) await sleep(restMs);
    try {
      return await card.listNetworkTransactions({ from, to }, { deadlineMs: CALL_MS, attemptMs: CALL_MS });
    } finally {
      calledAt = performance.now();
    }
  }
  /** Some rows may come twice. */
  async function fetchRows(from: Date, to: Date): ReturnType<typeof ask> {
    try {
      return await ask(from, to);
    } catch (error) {
      const halfMs = (to.getTime() - from.getTime()) / 2;
      // The list may have more pages than one, which cannot be read.
      if (!(error instanceof CardApiError) || error.code !== 'bad_answer' || halfMs < SHORT_MS) throw error;
      const middle = new Date(from.getTime() + halfMs);
      return [...(await fetchRows(from, middle)), ...(await fetchRows(middle, to))];
    }
  }
  return {
    fetchRows,
    readRow(row: Record<string, unknown>): ReadRow {
      const fetched = { zone: config.serviceZone, receivedAt: now().toISOString() };
      try {
        return { kind: 'event', event: toMissedTransaction(row, fetched) };
      } catch (error) {
        if (!(error instanceof PayloadError)) throw error;
        const facts = { path: FETCHED_PATH, issues: error.issues, version: undefined, receivedAt: fetched.receivedAt };
        return { kind: 'misfit', times: timesOfMisfit(row, fetched), webhook: quarantine(row, facts) };
      }
    },
    horizon: {
      sinceMs: async () => Number((await redis.get(webKeys.since)) ?? 0),
      lookBackMs: assumptions.laterStepsWithinDays * 24 * 3_600_000,
      isSent: (kind: TransactionKind) => isSent(kind, recoveries),
    },
    now,
    log,
  } as const;
}
