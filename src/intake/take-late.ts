import { StoreUnavailableError } from '../core/errors.ts';
import type { QuarantinedWebhook, StoredEvent } from '../core/event.ts';
import { intakeKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { type InboxEntry, inboxKeys, SEEN_TTL_SECONDS } from './intake.ts';
import type { MemoryWatch } from './memory.ts';

const BATCH_MAX = 100;

const takeLateSource = readScript(new URL('./take-late.lua', import.meta.url));

const seenKey = ({ id }: { readonly id: string }): string => intakeKey(`seen:${id}`);

/** Stores what recovery fetched. Throws StoreUnavailableError while Redis has no room for it. */
interface LateIntake {
  /** Stores, in this order, the events that have not been seen. @returns how many. */
  take(gapId: string, events: readonly StoredEvent[]): Promise<number>;
  /** Quarantines rows that do not fit and have not been seen. @returns how many. */
  setAside(gapId: string, rows: readonly QuarantinedWebhook[]): Promise<number>;
  /** How many have not been seen. Stores nothing. */
  countNew(fetched: readonly (StoredEvent | QuarantinedWebhook)[]): Promise<number>;
}

export function createLateIntake(redis: RedisClient, reserve: MemoryWatch['reserve']): LateIntake {
  const script = defineScript(redis, takeLateSource);
  return {
    take: (gapId, events) =>
      store(
        gapId,
        'recovered',
        events.map((event) => [seenKey(event), { type: 'event', event, isLate: true }]),
      ),
    setAside: (gapId, rows) =>
      store(
        gapId,
        'unreadable',
        rows.map((webhook) => [seenKey(webhook), { type: 'quarantine', webhook }]),
      ),
    async countNew(fetched) {
      const seen = await Promise.all(fetched.map((one) => redis.exists(seenKey(one))));
      return seen.filter((count) => count === 0).length;
    },
  };

  async function store(
    gapId: string,
    counter: 'recovered' | 'unreadable',
    fetched: readonly (readonly [key: string, entry: InboxEntry])[],
  ): Promise<number> {
    let taken = 0;
    for (let start = 0; start < fetched.length; start += BATCH_MAX) {
      const batch = fetched.slice(start, start + BATCH_MAX);
      const keys = [inboxKeys.webhooks, intakeKey(`recovery:${gapId}`), ...batch.map(([key]) => key)];
      const entries = batch.map(([, entry]) => JSON.stringify(entry));
      for (const entry of entries) {
        if (!(await reserve(entry.length))) throw new StoreUnavailableError('redis is nearly full');
      }
      taken += Number(await script.run(keys, [SEEN_TTL_SECONDS, counter, ...entries]));
    }
    return taken;
  }
}
