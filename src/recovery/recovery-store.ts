import { z } from 'zod';
import { ALERT_TTL_SECONDS } from '../alerts/alert.ts';
import type { QuarantinedWebhook, StoredEvent, TransactionEvent } from '../core/event.ts';
import { Gap } from '../core/gap.ts';
import { intakeKey, stateKey, webKeys } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { shardOf, shardsOf } from '../core/shards.ts';
import { seenKey } from '../intake/intake.ts';
import { RECOVERY_TTL_SECONDS, type RecoveryCounter, recoveryCounters } from '../intake/take-late.ts';

const DAY_MS = 24 * 3_600_000;
/** The inbox remembers younger events and deduplicates them itself. */
const INBOX_REMEMBERS_MS = 6 * DAY_MS;
/** A day less than alerts are kept, so that the alert of a younger event is certainly still stored. */
const ALERTS_KEPT_MS = ALERT_TTL_SECONDS * 1000 - DAY_MS;

/** What the message of a recovery shows besides what was found. */
const RecoveryShown = Gap.pick({ from: true, to: true, cause: true }).extend({
  state: z.enum(['running', 'waiting', 'done', 'failed']),
  /** From 0 to 1. */
  done: z.number(),
});
export type RecoveryShown = z.infer<typeof RecoveryShown>;

/** The progress of a recovery. After a crash, another worker continues from here. */
export const RecoveryProgress = z.object({
  /** From when the card service is asked about the gap itself, UTC ISO 8601. Null: the recovery has not begun. */
  start: z.string().nullable().default(null),
  /**
   * UTC ISO 8601. Inside the gap: everything in the gap before this time was fetched. Before the gap: the complete gap was
   * fetched, and everything from this time to its start. Null: nothing yet.
   */
  position: z.string().nullable().default(null),
  /** Events of the gap that the card service returned, including already known ones. */
  found: z.coerce.number().default(0),
  /** Events that had not been reported before. */
  recovered: z.coerce.number().default(0),
  /** Those of kinds whose webhooks are not sent; included in `recovered`. */
  unsent: z.coerce.number().default(0),
  /** Unreadable rows, which are in quarantine now. */
  unreadable: z.coerce.number().default(0),
  /** Cards whose status changed without a webhook; included in `recovered`. */
  statuses: z.coerce.number().default(0),
  /** What its message shows; null: it has none. */
  shown: z
    .preprocess((text) => (typeof text === 'string' ? JSON.parse(text) : text), RecoveryShown.nullable())
    .default(null),
  finishedAt: z.string().nullable().default(null),
});
export type RecoveryProgress = z.infer<typeof RecoveryProgress>;
type WrittenProgress = Partial<Omit<RecoveryProgress, RecoveryCounter>>;

export type Recoveries = ReturnType<typeof createRecoveries>;

/**
 * The progress of each recovery, in the same slot as the inbox, because the intake counts in the same transaction: each
 * shard counts the events it stored.
 */
export function createRecoveries(redis: RedisClient, shards = 1) {
  return {
    async read(gapId: string): Promise<RecoveryProgress> {
      const [first, ...more] = await Promise.all(
        shardsOf(shards).map(async (shard) => await redis.hgetall(intakeKey(`recovery:${gapId}`, shard))),
      );
      const progress = RecoveryProgress.parse(first);
      for (const counts of more) for (const name of recoveryCounters) progress[name] += Number(counts[name] ?? 0);
      return progress;
    },
    write,
    /** The events of the gap, and of the time before it, are reported: that is known longer than its progress. Idempotent. */
    async finish({ id, from, to }: Pick<Gap, 'id' | 'from' | 'to'>, progress: WrittenProgress): Promise<void> {
      const [fromMs, open] = [Date.parse(from), `${Date.parse(from)}-${Date.parse(to)}`];
      // A gap that a person asked about is not among those that were noticed.
      if ((await redis.zscore(webKeys.gaps, open)) !== null)
        await redis.multi().zadd(webKeys.gaps, fromMs, `${open}${RECOVERED}`).zrem(webKeys.gaps, open).exec();
      await write(id, progress);
    },
  };

  /** All but the {@link recoveryCounters}. */
  async function write(gapId: string, progress: WrittenProgress): Promise<void> {
    const fields = Object.entries(progress).filter(([, value]) => value !== null);
    const stored = fields.map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : value]);
    const key = intakeKey(`recovery:${gapId}`);
    await redis.multi().hset(key, Object.fromEntries(stored)).expire(key, RECOVERY_TTL_SECONDS).exec();
  }
}

/** Behind a gap whose events have been fetched since. */
const RECOVERED = '-recovered';

/**
 * Removes events that were already reported, as far back as that is known. The inbox remembers the events of the last days, and
 * alerts cover the last month. Older events count as reported if Cardbell was receiving webhooks at the time, or has recovered
 * the gap: nothing else is left to check, and a duplicate report would be worse than a missing one.
 */
export function createUnreportedOnly(redis: RedisClient, now: () => Date) {
  return async function unreportedOnly(events: readonly TransactionEvent[]): Promise<TransactionEvent[]> {
    const age = (event: TransactionEvent): number => now().getTime() - Date.parse(earliestAt(event));
    const isOld = events.some((event) => age(event) > ALERTS_KEPT_MS);
    const wasReported = isOld ? (await readUptime(redis)).wasReported : () => false;
    const isReported = await Promise.all(
      events.map(async (event) => {
        if (age(event) < INBOX_REMEMBERS_MS) return false;
        // A reversal may come weeks after its purchase, and its row dates only that.
        if ((await redis.exists(stateKey(`alert:${event.id}`))) === 1) return true;
        return age(event) > ALERTS_KEPT_MS && wasReported(Date.parse(earliestAt(event)));
      }),
    );
    return events.filter((_event, index) => isReported[index] !== true);
  };
}

/** When webhooks were accepted, and of which times all events are reported. */
export async function readUptime(redis: RedisClient) {
  const [[since, open], stored] = await Promise.all([
    redis.mget(webKeys.since, webKeys.open),
    redis.zrange(webKeys.gaps, '0', '-1'),
  ]);
  const gaps = stored.map((gap) => {
    const [fromMs = 0, toMs = 0] = gap.split('-').map(Number);
    return { fromMs, toMs, isRecovered: gap.endsWith(RECOVERED) };
  });
  const outside = (spans: typeof gaps): ((atMs: number) => boolean) => {
    const isOutside = (atMs: number) => spans.every(({ fromMs, toMs }) => atMs < fromMs - DAY_MS / 24 || atMs > toMs);
    return (atMs) => since != null && atMs > Number(since) && isOutside(atMs);
  };
  return {
    /** When webhooks were last accepted (ms). Null when web has not run yet. */
    untilMs: open == null ? null : Number(open),
    /** Those that were noticed. */
    gaps,
    wasReceiving: outside(gaps),
    wasReported: outside(gaps.filter(({ isRecovered }) => !isRecovered)),
  };
}

/** How many have not been seen. Stores nothing. */
export function createCountNew(redis: RedisClient, shards: number) {
  return async function countNew(fetched: readonly Pick<StoredEvent | QuarantinedWebhook, 'id'>[]): Promise<number> {
    const seen = await Promise.all(fetched.map(({ id }) => redis.exists(seenKey(id, shardOf(id, shards)))));
    return seen.filter((count) => count === 0).length;
  };
}

/** The earliest time at which it can have been reported. A settlement has its own time, a reversal does not. */
function earliestAt({ settledAt, requestedAt }: TransactionEvent): string {
  return settledAt ?? requestedAt;
}
