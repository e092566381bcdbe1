import { z } from 'zod';
import type { QuarantinedWebhook, TransactionEvent } from '../core/event.ts';
import { intakeKey, stateKey, webKeys } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { shardsOf } from '../core/shards.ts';
import { RECOVERY_TTL_SECONDS } from '../intake/take-late.ts';

const DAY_MS = 24 * 3_600_000;
/** The inbox still remembers younger events, and checks them when it takes them. */
const INBOX_REMEMBERS_MS = 6 * DAY_MS;
/** Alerts are kept a little longer than this. */
const ALERTS_KEPT_MS = 29 * DAY_MS;

/** How far a recovery has come. A worker that takes over after a crash continues from here. */
const Progress = z.object({
  /**
   * UTC ISO 8601. Inside the gap: everything of the gap up to here has been fetched. Before the gap: all of the gap, and
   * everything from here to its beginning. Null: nothing yet.
   */
  position: z.string().nullable().default(null),
  /** Events of the gap that the card service returned, including those that were known already. */
  found: z.coerce.number().default(0),
  /** Events that had not been reported before. */
  recovered: z.coerce.number().default(0),
  /** Unreadable rows that were not in quarantine before. */
  unreadable: z.coerce.number().default(0),
  /** Cards whose status changed without a webhook; included in `recovered`. */
  statuses: z.coerce.number().default(0),
  /** The Slack message that shows the progress. Empty: it was asked for, and nobody knows where it stands, if it does. */
  lineTs: z.string().nullable().default(null),
  finishedAt: z.string().nullable().default(null),
});
export type RecoveryProgress = z.infer<typeof Progress>;

export type Recoveries = ReturnType<typeof createRecoveries>;

/**
 * The progress of each recovery, in the slot of the inbox, because the intake counts in the same transaction: each shard
 * what it took.
 */
export function createRecoveries(redis: RedisClient, shards = 1) {
  const keyOf = (gapId: string): string => intakeKey(`recovery:${gapId}`);
  return {
    async read(gapId: string): Promise<RecoveryProgress> {
      const [first, ...more] = await Promise.all(
        shardsOf(shards).map(async (shard) => await redis.hgetall(intakeKey(`recovery:${gapId}`, shard))),
      );
      const progress = Progress.parse(first);
      for (const { recovered = 0, unreadable = 0 } of more) {
        progress.recovered += Number(recovered);
        progress.unreadable += Number(unreadable);
      }
      return progress;
    },
    /** `recovered` and `unreadable` are counted by the intake, in the step that stores the events. */
    async write(gapId: string, progress: Partial<Omit<RecoveryProgress, 'recovered' | 'unreadable'>>): Promise<void> {
      const fields = Object.entries(progress).filter(([, value]) => value !== null);
      const key = keyOf(gapId);
      await redis.multi().hset(key, Object.fromEntries(fields)).expire(key, RECOVERY_TTL_SECONDS).exec();
    },
  };
}

/** Leaves out events that were reported before, as far back as that can be known. */
type UnreportedOnly = (events: readonly TransactionEvent[]) => Promise<TransactionEvent[]>;

/**
 * The inbox remembers the events of the last days, and alerts show those of the last month. Older events count as
 * reported if Cardbell was receiving webhooks at the time: nothing is left to check, and reporting twice would be worse.
 */
export function createUnreportedOnly(redis: RedisClient, now: () => Date): UnreportedOnly {
  return async function unreportedOnly(events) {
    const age = (event: TransactionEvent): number => now().getTime() - Date.parse(earliestAt(event));
    const wasReceiving = events.some((event) => age(event) > ALERTS_KEPT_MS) ? await readUptime() : () => false;
    const isReported = await Promise.all(
      events.map(async (event) => {
        if (age(event) < INBOX_REMEMBERS_MS) return false;
        if (age(event) > ALERTS_KEPT_MS) return wasReceiving(Date.parse(earliestAt(event)));
        return (await redis.exists(stateKey(`alert:${event.id}`))) === 1;
      }),
    );
    return events.filter((_event, index) => isReported[index] !== true);
  };

  async function readUptime(): Promise<(atMs: number) => boolean> {
    const [since, stored] = await Promise.all([redis.get(webKeys.since), redis.zrange(webKeys.gaps, '0', '-1')]);
    const gaps = stored.map((gap) => gap.split('-').map(Number));
    return (atMs) =>
      since !== null &&
      atMs > Number(since) &&
      !gaps.some(([from = 0, to = 0]) => atMs >= from - DAY_MS / 24 && atMs <= to);
  }
}

/** The earliest moment at which it can have been reported. A settlement says when it happened, a reversal does not. */
function earliestAt({ settledAt, requestedAt }: TransactionEvent): string {
  return settledAt ?? requestedAt;
}

interface DryRunDeps {
  /** How many have not been taken before. Stores nothing. */
  readonly countNew: (fetched: readonly (TransactionEvent | QuarantinedWebhook)[]) => Promise<number>;
  readonly unreportedOnly: UnreportedOnly;
}

/** Stands in for the intake and the progress store: counts what would be recovered, and stores nothing. */
export function createDryRun({ countNew, unreportedOnly }: DryRunDeps) {
  let progress = Progress.parse({});
  const recoveries: Recoveries = {
    read: async () => progress,
    async write(_gapId, written) {
      progress = { ...progress, ...written };
    },
  };
  const intake = {
    async take(_gapId: string, events: readonly TransactionEvent[]) {
      const count = await countNew(await unreportedOnly(events));
      progress = { ...progress, recovered: progress.recovered + count };
      return count;
    },
    async setAside(_gapId: string, rows: readonly QuarantinedWebhook[]) {
      const count = await countNew(rows);
      progress = { ...progress, unreadable: progress.unreadable + count };
      return count;
    },
  };
  return { recoveries, intake };
}
