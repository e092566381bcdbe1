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

/** A count in the progress of a recovery. */
type Counter = 'recovered' | 'unsent' | 'statuses' | 'unreadable';
type Fetched = readonly [id: string, entry: InboxEntry];

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
  /** Stores the events that have not been seen, in this order within a shard. @returns how many. */
  const takeAs = (counters: readonly Counter[]) => (gapId: string, events: readonly StoredEvent[]) =>
    store(
      gapId,
      counters,
      events.map((event) => [event.id, { type: 'event', event, isLate: true }]),
    );
  return {
    take: takeAs(['recovered']),
    /** The same for events of which no webhook is sent, which have their own count too. */
    takeUnsent: takeAs(['recovered', 'unsent']),
    /** The same for the statuses of cards, which have their own count too. */
    takeStatuses: takeAs(['recovered', 'statuses']),
    /** Quarantines the rows that do not match and have not been seen. @returns how many. */
    quarantineRows: (gapId: string, rows: readonly QuarantinedWebhook[]) =>
      store(
        gapId,
        ['unreadable'],
        rows.map((webhook) => [webhook.id, { type: 'quarantine', webhook }]),
        // A row that was discarded stays discarded for every recovery that still asks for it.
        RECOVERY_TTL_SECONDS,
      ),
  };

  async function store(
    gapId: string,
    counters: readonly Counter[],
    fetched: readonly Fetched[],
    ttl = SEEN_TTL_SECONDS,
  ): Promise<number> {
    let taken = 0;
    for (const [shard, mine] of groupBy(fetched, ([id]) => shardOf(id, shards))) {
      const ofShard = [intakeKey('webhooks', shard), movedKey(shard), intakeKey(`recovery:${gapId}`, shard)];
      for (const batch of chunksOf(mine, BATCH_MAX)) {
        const keys = [...ofShard, ...batch.map(([id]) => seenKey(id, shard))];
        const entries = batch.map(([, entry]) => JSON.stringify(entry));
        for (const entry of entries) {
          if (!(await reserve(entry.length))) throw new StoreUnavailableError('redis is nearly full');
        }
        const write = () => script.run(keys, [shards, ttl, RECOVERY_TTL_SECONDS, counters.join(' '), ...entries]);
        taken += Number(await write());
        redo?.remember(write);
      }
    }
    return taken;
  }
}
