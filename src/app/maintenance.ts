import { hostname } from 'node:os';
import type { Progress } from '../actions/progress-store.ts';
import type { Requests } from '../approvals/request-store.ts';
import type { CardClient } from '../card-api/client.ts';
import { unreadableKey } from '../core/record-store.ts';
import { CLOCK_SKEW_MS } from '../core/service-time.ts';
import type { Claims } from '../holders/claim-store.ts';
import type { MemoryWatch } from '../intake/memory.ts';
import type { RuleWrites } from '../limits/rule-write-store.ts';
import type { TemporaryChanges } from '../limits/temporary-change-store.ts';
import { createWorkers, readHealth, type Workers } from '../ops/health.ts';
import * as opsIssue from '../ops/issue.ts';
import { createOpsMemory, type OpsIssue } from '../ops/notify-ops.ts';
import * as redisIssue from '../ops/redis-issue.ts';
import { reportFailedJobs, wakeSkewedJobs } from '../ops/stuck.ts';
import type { Outbox } from '../outbox/outbox-store.ts';
import { readLateness } from '../outbox/overdue.ts';
import type { Mutes } from '../routing/mute-store.ts';
import type { SlackClock } from '../slack/clock.ts';
import type { Enqueue } from './enqueue.ts';
import { mayRunEarly } from './jobs.ts';
import type { WorkerContext } from './worker-context.ts';

/** How soon people are notified that Redis is filling up. */
const MEMORY_MS = 1000;
/** While nothing changes: ops are notified again a day later. */
const MEMORY_AGAIN_MS = 60_000;
/**
 * Age of the oldest waiting alert or request: above the first value people are notified, below the second it counts as
 * resolved.
 */
const LAG_MS = 60_000;
const LAG_OVER_MS = 10_000;
const DAY_MS = 24 * 3_600_000;
/** How long before its end people are told to replace the card API token. */
const TOKEN_ENDS_SOON_MS = 14 * DAY_MS;
/** A notice is remembered for a day, and the fifth check after it comes soon after that. */
const TOKEN_EVERY_MS = 5 * 3_600_000;
const CHECK_OF_TOKEN = 'check of the card API token';
/** A worker that starts reports jobs that failed since then. */
const FAILED_SINCE_MS = 3_600_000;

type Context = Pick<
  WorkerContext,
  'redis' | 'queues' | 'enqueue' | 'clock' | 'log' | 'notifyOps' | 'notifyResolved' | 'isCardApiAway'
> & {
  readonly slackClock: Pick<SlackClock, 'now'>;
  readonly memory: Pick<MemoryWatch, 'isFull' | 'isFilling' | 'share'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'all'>;
  readonly quarantined: { readonly count: () => Promise<number> };
  readonly card: Pick<CardClient, 'getCurrentToken' | 'ping'>;
  readonly directory: { readonly refresh: () => Promise<unknown> };
};

interface Work {
  readonly workerId: string;
  readonly sweepMs: number;
  readonly sweep: () => Promise<void>;
}

/** What a worker does besides its jobs, at startup and every `sweepMs`. Logs a failure and retries on the next run. */
export function createMaintenance(context: Context, { workerId, sweepMs, sweep }: Work) {
  const { redis, queues, enqueue, temporaryChanges, directory, card, log } = context;
  const workers = createWorkers(redis);
  const { beat, watch, checkClocks, checkToken, notifyOfMemory } = createWatches(context, workers, workerId);
  const timers: NodeJS.Timeout[] = [];
  const underWay = new Set<string>();

  return {
    /** Does not wait for the work: without Redis it would never end, and the process must still be able to stop. */
    start(): void {
      const sweeping = setInterval(() => {
        void orLog('sweep', sweep);
        void orLog('clock skew', wakeSkewed);
        void orLog('heartbeat', beat);
        void orLog('watch', watch);
        void orLog('clocks', checkClocks);
        // In quiet times nothing else would notice that it answers again.
        if (context.isCardApiAway()) card.ping().catch(() => {});
      }, sweepMs);
      timers.push(
        sweeping,
        setInterval(() => void orLog('memory', notifyOfMemory), MEMORY_MS),
        setInterval(() => void orLog(CHECK_OF_TOKEN, checkToken), TOKEN_EVERY_MS),
      );
      void orLog('start of maintenance', begin);
    },
    stop(): void {
      for (const timer of timers) clearInterval(timer);
    },
    signOff: () => workers.gone(workerId),
  };

  async function wakeSkewed(): Promise<void> {
    for (const { queue } of queues.all) await wakeSkewedJobs(queue, queues.connection, mayRunEarly);
  }

  async function begin(): Promise<void> {
    await orLog('heartbeat', beat);
    await orLog('watch', watch);
    await orLog('clocks', checkClocks);
    await wakeSkewed();
    await sweep();
    for (const { id, endsAt, state } of await temporaryChanges.all()) {
      if (state !== 'open') continue;
      await enqueue('end-temporary-change', { temporaryChangeId: id }, { atMs: Date.parse(endsAt) });
    }
    await directory.refresh();
    await orLog(CHECK_OF_TOKEN, checkToken);
  }

  /** Skipped while the same work of an earlier run has not ended. */
  async function orLog(what: string, work: () => Promise<void>): Promise<void> {
    if (underWay.has(what)) return;
    underWay.add(what);
    try {
      await work();
    } catch (error) {
      log.warn({ err: error, what }, 'maintenance failed; will retry on the next run');
    } finally {
      underWay.delete(what);
    }
  }
}

/** Conditions that ops are notified of automatically: work that waits too long, differing clocks, memory that fills up. */
function createWatches(context: Context, workers: Workers, workerId: string) {
  const { redis, queues, clock, slackClock, memory, card, notifyOps, notifyResolved } = context;
  const opsMemory = createOpsMemory(redis);
  const machineClock = opsIssue.machineClockDiffers(hostname());
  /** What this worker last found of each clock. */
  const skewed = new Map<string, boolean>();
  /** What this worker last reported of Redis' memory, and when. */
  const reported = new Map<OpsIssue, { readonly isOpen: boolean; readonly at: number }>();
  /** Until when (ms) all failed jobs were reported. */
  let reportedUntilMs: number | null = null;
  return {
    /** Reports that this worker is alive. */
    beat: () => workers.beat(workerId, { isCardApiAway: context.isCardApiAway() }),

    /** Reports what this worker finds: unreadable records, failed jobs, long waits. */
    async watch(): Promise<void> {
      const { lagMs, failed } = await readHealth(context);
      const unreadable = await redis.smembers(unreadableKey);
      if (unreadable.length > 0) {
        await notifyOps(opsIssue.recordsUnreadable(unreadable.toSorted()));
        // Another process may have added others meanwhile.
        await redis.srem(unreadableKey, ...unreadable);
      }
      const nowMs = clock.now().getTime();
      const sinceMs = reportedUntilMs ?? nowMs - FAILED_SINCE_MS;
      // The clock of the worker where a job failed may be slow.
      if (failed > 0) await reportFailedJobs(queues, notifyOps, sinceMs - CLOCK_SKEW_MS);
      reportedUntilMs = nowMs;
      if (lagMs > LAG_MS) await notifyOps(opsIssue.lagging);
      else if (lagMs < LAG_OVER_MS) await notifyResolved(opsIssue.lagging);
    },

    /** Cardbell does not use this machine's clock, but BullMQ does. */
    async checkClocks(): Promise<void> {
      const redisMs = (await clock.measure()).getTime();
      // Between the two bounds nothing is said: the times of answers vary by a second.
      const report = async (otherMs: number, issue: OpsIssue): Promise<void> => {
        const skewMs = Math.abs(otherMs - redisMs);
        if (skewMs > CLOCK_SKEW_MS) {
          await notifyOps(issue);
          skewed.set(issue.cause, true);
        } else if (skewMs < CLOCK_SKEW_MS / 2 && skewed.get(issue.cause) !== false) {
          // Once: another worker may find otherwise.
          await notifyResolved(issue);
          skewed.set(issue.cause, false);
        }
      };
      await report(Date.now(), machineClock);
      const slackMs = slackClock.now();
      if (slackMs !== null) await report(slackMs, opsIssue.redisClockDiffers);
    },

    /** Fails if the token has ended; its own watch reports that. */
    async checkToken(): Promise<void> {
      const { expiresOn } = await card.getCurrentToken();
      const leftMs = Date.parse(expiresOn ?? '') + DAY_MS - clock.now().getTime();
      // The day ends later where the card service is. A date before that, such as year 1, is a placeholder: the token works.
      const isSoon = leftMs > -DAY_MS && leftMs < TOKEN_ENDS_SOON_MS;
      await (isSoon ? notifyOps : notifyResolved)(opsIssue.cardTokenEnds(expiresOn ?? ''));
    },

    async notifyOfMemory(): Promise<void> {
      const isFull = memory.isFull();
      // A full Redis has its own notice.
      await reportMemory(redisIssue.redisFilling, isFull === true ? null : memory.isFilling());
      await reportMemory(redisIssue.redisFull, isFull);
    },
  };

  /** @param isOpen null: not known, or nothing to report. */
  async function reportMemory(issue: OpsIssue, isOpen: boolean | null): Promise<void> {
    const last = reported.get(issue);
    const isNew = isOpen !== last?.isOpen;
    if (isOpen === null || (!isNew && (!isOpen || performance.now() - last.at < MEMORY_AGAIN_MS))) return;
    // Another worker may have measured a moment ago that it is over.
    if (isNew || (await opsMemory.isKnown(issue))) await (isOpen ? notifyOps : notifyResolved)(issue);
    reported.set(issue, { isOpen, at: performance.now() });
  }
}

/** Anything overdue by more than this has lost its timer. */
const OVERDUE_MS = 30_000;

/** What waits for a time, or for a job. */
interface Waiting {
  readonly outbox: Pick<Outbox, 'channels' | 'waiting' | 'dueAt'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'all'>;
  readonly mutes: Pick<Mutes, 'inForce' | 'ended'>;
  readonly progress: Pick<Progress, 'awaited'>;
  readonly ruleWrites: Pick<RuleWrites, 'accounts'>;
  readonly claims: Pick<Claims, 'open'>;
  readonly requests: Pick<Requests, 'open'>;
}

interface SweepDeps {
  readonly waiting: Waiting;
  readonly hasEdits: (channel: string) => Promise<boolean>;
  /** How long ago (ms) the message that waits longest for a channel of the team should have been posted. */
  readonly measureOverdue: (ms: number) => void;
  readonly enqueue: Enqueue;
  readonly now: () => Date;
  /** Sets missing timers of recurring jobs. */
  readonly keepTimers: () => Promise<void>;
  /** Applies the channel's quiet hours to what it holds, also to entries that were held while someone changed them. */
  readonly holdAsQuiet: (channel: string) => Promise<unknown>;
}

/**
 * Picks up what a crash between two steps left behind: channels that were never woken, changes that were never ended.
 * Each job is added under the id that an existing one would have.
 */
export function createSweep(deps: SweepDeps): () => Promise<void> {
  const { waiting, hasEdits, enqueue, now } = deps;
  const { outbox, temporaryChanges, ruleWrites, mutes, progress, claims, requests } = waiting;
  const isOverdue = (endsAt: string): boolean => Date.parse(endsAt) + OVERDUE_MS < now().getTime();

  return async function sweep() {
    await deps.keepTimers();
    let overdueMs = 0;
    for (const channel of await outbox.channels()) {
      const { waiting: entries, lateMs } = await readLateness(outbox, channel, now);
      overdueMs = Math.max(overdueMs, lateMs);
      if (entries > 0 || (await hasEdits(channel))) await enqueue('flush-outbox', { channel });
    }
    deps.measureOverdue(overdueMs);
    for (const { id, endsAt, state, certainty } of await temporaryChanges.all()) {
      // An unconfirmed change is checked until it is in effect or can no longer be made.
      if (state === 'open' && (certainty === 'unconfirmed' || isOverdue(endsAt))) {
        await enqueue('end-temporary-change', { temporaryChangeId: id }, { id: `temporary-change-${id}-now` });
      }
    }
    for (const { id, endsAt } of await mutes.inForce()) {
      if (isOverdue(endsAt)) await enqueue('end-mute', { muteId: id });
    }
    for (const { id } of await mutes.ended()) await enqueue('end-mute', { muteId: id }, { id: `mute-${id}-now` });
    for (const { action } of await progress.awaited()) await enqueue('verify-action', { actionId: action.id });
    for (const acctId of await ruleWrites.accounts()) await enqueue('restore-overwritten', { acctId });
    for (const { id, expiresAt } of await claims.open()) {
      if (isOverdue(expiresAt)) await enqueue('end-claim', { claimId: id });
    }
    for (const { id } of await requests.open()) await enqueue('age-request', { requestId: id });
    // Last: hours that this version cannot read must not hold up the other steps.
    for (const channel of await outbox.channels()) await deps.holdAsQuiet(channel);
  };
}
