import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import type { QuarantinedWebhook, TransactionEvent } from '../core/event.ts';
import { intakeKey } from '../core/keys.ts';

const KEPT_SECONDS = 30 * 24 * 3600;

/** How far a recovery got. Whoever takes it over after a crash goes on from here. */
const Progress = z.object({
  /**
   * UTC ISO 8601: within the gap's time, everything of it up to here has been asked for; before that time, all of it and
   * everything from here on. Null: nothing yet.
   */
  position: z.string().nullable().default(null),
  /** What the card service showed of the gap, known events included. */
  found: z.coerce.number().default(0),
  /** Events that nobody had told before. */
  recovered: z.coerce.number().default(0),
  /** Rows that could not be read, and that nobody had kept aside before. */
  unreadable: z.coerce.number().default(0),
  /** Cards whose status changed without a webhook; part of `recovered`. */
  statuses: z.coerce.number().default(0),
  /** The line in Slack that shows how far it is. */
  lineTs: z.string().nullable().default(null),
  finishedAt: z.string().nullable().default(null),
});
export type RecoveryProgress = z.infer<typeof Progress>;

export interface Recoveries {
  read(gapId: string): Promise<RecoveryProgress>;
  /** Writes what is known now; `recovered` and `unreadable` are counted where these are stored. */
  write(gapId: string, progress: Partial<Omit<RecoveryProgress, 'recovered' | 'unreadable'>>): Promise<void>;
}

/** The progress of each recovery, in the slot of the inbox: events are counted in the step that stores them. */
export function createRecoveries(redis: Redis | Cluster): Recoveries {
  const keyOf = (gapId: string): string => intakeKey(`recovery:${gapId}`);
  return {
    async read(gapId) {
      return Progress.parse(await redis.hgetall(keyOf(gapId)));
    },
    async write(gapId, progress) {
      const fields = Object.entries(progress).filter(([, value]) => value !== null);
      const key = keyOf(gapId);
      await redis.multi().hset(key, Object.fromEntries(fields)).expire(key, KEPT_SECONDS).exec();
    },
  };
}

interface RehearsalDeps {
  /** How many have not been taken before; stores nothing. */
  readonly countNew: (fetched: readonly (TransactionEvent | QuarantinedWebhook)[]) => Promise<number>;
  readonly unreportedOnly: (events: readonly TransactionEvent[]) => Promise<readonly TransactionEvent[]>;
}

/** Stands in for the inbox and its store: counts what would be recovered, and stores nothing. */
export function createRehearsal({ countNew, unreportedOnly }: RehearsalDeps) {
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
