import { chunksOf } from '../core/chunks.ts';
import { StoreUnavailableError } from '../core/errors.ts';
import type { QuarantinedWebhook, StoredEvent } from '../core/event.ts';
import { groupBy } from '../core/group-by.ts';
import { intakeKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import type { Redo } from '../core/redo.ts';
import { shardOf } from '../core/shards.ts';
import { type InboxEntry, movedKey, SEEN_TTL_SECONDS, seenKey } from './intake.ts';
import type { MemoryWatch } from './memory.ts';

const BATCH_MAX = 100;
/** How long the progress of a recovery is kept, and that a row could not be read. */
export const RECOVERY_TTL_SECONDS = 30 * 24 * 3600;

/** The counts in the progress of a recovery: the intake adds to them in the step that stores what they count. */
export const recoveryCounters = ['recovered', 'unsent', 'statuses', 'unreadable'] as const;
export type RecoveryCounter = (typeof recoveryCounters)[number];

interface Fetched {
  readonly id: string;
  readonly entry: InboxEntry;
  /** The counts that it is part of. */
  readonly counters: readonly RecoveryCounter[];
}

const takeLateSource = readScript(new URL('./take-late.lua', import.meta.url));

/**
 * Stores what recovery fetched. Throws StoreUnavailableError while Redis has no room for it.
 *
 * @param redo repeats the writes that the server of a shard has lost: another server may have stored that the recovery is
 * finished.
 */
export function createLateIntake(
  redis: RedisClient,
  reserve: MemoryWatch['reserve'],
  shards = 1,
  redo?: Pick<Redo, 'remember'>,
) {
  const script = defineScript(redis, takeLateSource);
  const late = (event: StoredEvent, ...counters: readonly RecoveryCounter[]): Fetched => ({
    id: event.id,
    entry: { type: 'event', event, isLate: true },
    counters: ['recovered', ...counters],
  });
  return {
    /**
     * Stores the events that have not been seen, in this order within a shard.
     *
     * @param isUnsent no webhooks of its kind are sent: such events have their own count too. @returns how many.
     */
    take: <Event extends StoredEvent>(
      gapId: string,
      events: readonly Event[],
      isUnsent: (event: Event) => boolean = () => false,
    ) =>
      store(
        gapId,
        events.map((event) => (isUnsent(event) ? late(event, 'unsent') : late(event))),
      ),
    /** The same for the statuses of cards, which have their own count too. */
    takeStatuses: (gapId: string, events: readonly StoredEvent[]) =>
      store(
        gapId,
        events.map((event) => late(event, 'statuses')),
      ),
    /** Quarantines the rows that do not match and have not been seen. @returns how many. */
    quarantineRows: (gapId: string, rows: readonly QuarantinedWebhook[]) =>
      store(
        gapId,
        rows.map((webhook) => ({ id: webhook.id, entry: { type: 'quarantine', webhook }, counters: ['unreadable'] })),
        // A row that was discarded stays discarded for every recovery that still asks for it.
        RECOVERY_TTL_SECONDS,
      ),
  };

  async function store(gapId: string, fetched: readonly Fetched[], ttl = SEEN_TTL_SECONDS): Promise<number> {
    let taken = 0;
    for (const [shard, mine] of groupBy(fetched, ({ id }) => shardOf(id, shards))) {
      const ofShard = [intakeKey('webhooks', shard), movedKey(shard), intakeKey(`recovery:${gapId}`, shard)];
      for (const batch of chunksOf(mine, BATCH_MAX)) {
        const keys = [...ofShard, ...batch.map(({ id }) => seenKey(id, shard))];
        const entries = batch.map(({ counters, entry }) => [counters.join(' '), JSON.stringify(entry)] as const);
        for (const [, { length }] of entries) {
          if (!(await reserve(length))) throw new StoreUnavailableError('redis is nearly full');
        }
        const write = () => script.run(keys, [shards, ttl, RECOVERY_TTL_SECONDS, ...entries.flat()]);
        taken += Number(await write());
        redo?.remember(write);
      }
    }
    return taken;
  }
}
