import { setTimeout as sleep } from 'node:timers/promises';
import { recoveryLine } from '../../templates/recovery/recovery-line.ts';
import type { CardClient } from '../card-api/client.ts';
import { CardApiError, SlackError, StoreUnavailableError } from '../core/errors.ts';
import { type Gap, lengthOf } from '../core/gap.ts';
import { webKeys } from '../core/keys.ts';
import { createLock } from '../core/lock.ts';
import type { Log } from '../core/log.ts';
import type { RedisClient } from '../core/redis.ts';
import { holderOf } from '../directory/account.ts';
import type { Directory } from '../directory/directory.ts';
import { createLateIntake } from '../intake/take-late.ts';
import type { Slack } from '../slack/client.ts';
import type { Message } from '../slack/message.ts';
import { toMissedStatus } from '../webhooks/card-status.ts';
import { toMissedTransaction } from '../webhooks/missed-transaction.ts';
import { quarantine } from '../webhooks/quarantine.ts';
import { FETCHED_PATH } from '../webhooks/reread.ts';
import { createAlreadyReported } from './already-reported-store.ts';
import { createBackfilled } from './backfilled-store.ts';
import { createNotifyRecovery } from './notify-recovery.ts';
import { type RecoverDeps, recoverGap } from './recover-gap.ts';
import { recoverStatuses } from './recover-statuses.ts';
import { createRecoveries, nothingRecovered, type RecoveryProgress } from './recovery-store.ts';

/** One question a second leaves the card service's patience (120 calls a minute) to people. */
const REST_MS = 1000;
/** Waits of the service's own, after a 429, included. */
const QUESTION_MS = 120_000;
/** The answer to half a day of a large company is large. */
const BUSY_PAUSE_MS = 1000;
const API_AWAY_PAUSE_MS = 15_000;
const TOKEN_DEAD_PAUSE_MS = 60_000;
const SLACK_PAUSE_MS = 5000;
/** Webhooks that met a shorter gap are repeated within four minutes; only after longer ones every card is asked for. */
const EVERY_CARD_AFTER_MS = 225_000;
/** So few that asking for each costs no more than the list of all. */
const FEW_ACCOUNTS = 40;
/** A status webhook normally follows at once, and may be held up by the service's queue. */
const STATUS_UNEXPLAINED_MS = 5 * 60_000;

interface Parts {
  readonly redis: RedisClient;
  readonly card: Pick<CardClient, 'listNetworkTransactions'>;
  readonly directory: Directory;
  readonly slack: Slack;
  readonly channel: string;
  readonly postNotice: (channel: string, id: string, message: Message) => Promise<void>;
  readonly zone: string;
  /** See `CardApiAssumptions`. */
  readonly laterStepsWithinDays: number;
  readonly log: Log;
}

/** Recovery of gaps, joined. */
export function createRecovery(parts: Parts) {
  const { redis, card, directory, slack, channel, postNotice, zone, log } = parts;
  const recoveries = createRecoveries(redis);
  const late = createLateIntake(redis);
  const backfilled = createBackfilled(redis);
  const tryLock = createLock(redis, 0);
  const now = (): Date => new Date();
  const notify = createNotifyRecovery({
    slack,
    channel,
    recoveries,
    render: (gap, state, done, progress) => recoveryLine({ ...gap, ...progress, state, done }),
    postNotice: (id, message) => postNotice(channel, id, message),
    now: Date.now,
    log,
  });
  const unreported = (gapId: string, unexplainedMs: number): Promise<number> =>
    recoverStatuses(unexplainedMs, {
      accounts: directory.all,
      holderOf,
      toEvent: toMissedStatus,
      backfilled,
      take: (events) => late.take(gapId, events),
      now: Date.now,
    });
  const common: Omit<RecoverDeps, 'onProgress'> = {
    fetchRows: (from, to) => card.listNetworkTransactions({ from, to }, { deadlineMs: QUESTION_MS }),
    toEvent: (row) => toMissedTransaction(row, { zone, receivedAt: now().toISOString() }),
    lookBackMs: parts.laterStepsWithinDays * 24 * 3_600_000,
    unreportedOnly: createAlreadyReported(redis, now),
    quarantine: (row, issues) =>
      quarantine(row, { path: FETCHED_PATH, issues, version: undefined, receivedAt: now().toISOString() }),
    take: late.take,
    setAside: late.setAside,
    async recoverStatuses(gap) {
      const { accounts } = await directory.status();
      if (accounts <= FEW_ACCOUNTS || lengthOf(gap) >= EVERY_CARD_AFTER_MS) {
        await directory.reloadOlderThan(Date.parse(gap.to));
      } else {
        await directory.refresh({ force: true });
      }
      return await unreported(gap.id, 0);
    },
    recoveries,
    rest: () => sleep(REST_MS),
    sinceMs: async () => Number((await redis.get(webKeys.since)) ?? 0),
    now: Date.now,
    log,
  };

  return {
    /** Later webhooks of what was told late add nothing. */
    isBackfilled: backfilled.covers,

    /** Brings the directory up to date, and tells statuses that no webhook has explained for a while, gap or no gap. */
    async refreshDirectory(): Promise<void> {
      const [[, closedUntil] = []] = (await redis.zrange(webKeys.gaps, '-1', '-1')).map((gap) => gap.split('-'));
      const { listedAt } = await directory.status();
      // The list that a recovery wanted may have been more than the service takes in an hour.
      const force = Number(closedUntil ?? 0) > Date.parse(listedAt ?? '');
      await directory.refresh({ force });
      await unreported('maintenance', STATUS_UNEXPLAINED_MS);
    },

    /**
     * Closes a gap, as a job: one at a time over all workers.
     *
     * @returns milliseconds after which to go on, or null when it is closed.
     */
    async run(gap: Gap): Promise<number | null> {
      try {
        return await tryLock('recovery', () => runAlone(gap));
      } catch (error) {
        if (error instanceof StoreUnavailableError) return BUSY_PAUSE_MS;
        throw error;
      }
    },

    /** The same for a terminal: progress goes there, the last word to Slack as well. @throws CardApiError */
    async runHere(gap: Gap, onProgress: RecoverDeps['onProgress']): Promise<RecoveryProgress> {
      const progress = await createLock(redis)('recovery', () => recoverGap(gap, { ...common, onProgress }));
      await notify.end(gap, 'done', progress);
      return progress;
    },

    /** Counts what would be recovered; changes nothing. @throws CardApiError */
    async rehearse(gap: Gap, onProgress: RecoverDeps['onProgress']): Promise<RecoveryProgress> {
      let progress = nothingRecovered;
      return await recoverGap(gap, {
        ...common,
        onProgress,
        async take(_gapId, events) {
          const count = await late.countNew(events);
          progress = { ...progress, recovered: progress.recovered + count };
          return count;
        },
        async setAside(_gapId, rows) {
          const count = await late.countNew(rows);
          progress = { ...progress, unreadable: progress.unreadable + count };
          return count;
        },
        recoverStatuses: async () => 0,
        recoveries: {
          read: async () => progress,
          async write(_gapId, written) {
            progress = { ...progress, ...written };
          },
        },
      });
    },
  };

  async function runAlone(gap: Gap): Promise<number | null> {
    try {
      const progress = await recoverGap(gap, {
        ...common,
        onProgress: (done, progressed) => notify.progress(gap, 'running', done, progressed),
      });
      await notify.end(gap, 'done', progress);
      return null;
    } catch (error) {
      if (error instanceof SlackError) return error.retryAfterMs ?? SLACK_PAUSE_MS;
      if (!(error instanceof CardApiError)) throw error;
      log.warn({ err: error, gap }, 'a gap cannot be closed yet');
      const progress = await recoveries.read(gap.id);
      if (error.retryable || error.code === 'token_dead') {
        await notify.progress(gap, 'waiting', 0, progress);
        return error.code === 'token_dead' ? TOKEN_DEAD_PAUSE_MS : API_AWAY_PAUSE_MS;
      }
      await notify.end(gap, 'failed', progress);
      return null;
    }
  }
}
