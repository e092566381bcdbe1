import type { StoredEvent } from '../core/event.ts';
import { intakeKey } from '../core/keys.ts';
import type { QuarantinedWebhook } from '../core/quarantined-webhook.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript } from '../core/redis-script.ts';
import { type InboxEntry, inboxKeys, SEEN_TTL_SECONDS } from './intake.ts';

const BATCH_MAX = 100;

/**
 * The intake's step for what was fetched: remembered, stored and counted in one, so that a crash in between neither posts
 * twice nor counts twice.
 *
 * KEYS: inbox, journal of the recovery, then one memory key for each entry. ARGV: time to live, the journal's field that
 * counts, then the entries.
 */
const takeLateScript = `
local taken = 0
for index = 3, #KEYS do
  if redis.call('SET', KEYS[index], '1', 'NX', 'EX', ARGV[1]) then
    redis.call('XADD', KEYS[1], '*', 'entry', ARGV[index])
    taken = taken + 1
  end
end
if taken > 0 then redis.call('HINCRBY', KEYS[2], ARGV[2], taken) end
return taken
`;

const seenKey = ({ id }: { readonly id: string }): string => intakeKey(`seen:${id}`);

/** What recovery does with the events that it fetched. */
export interface LateIntake {
  /** Stores those that are not remembered, in this order. @returns how many that were. */
  take(gapId: string, events: readonly StoredEvent[]): Promise<number>;
  /** The same for rows that do not fit: they go to quarantine, as a webhook that does not fit. */
  setAside(gapId: string, rows: readonly QuarantinedWebhook[]): Promise<number>;
  /** How many are not remembered; stores nothing. */
  countNew(fetched: readonly (StoredEvent | QuarantinedWebhook)[]): Promise<number>;
}

export function createLateIntake(redis: RedisClient): LateIntake {
  const script = defineScript(redis, 'cardbellTakeLate', takeLateScript);
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
      taken += Number(await script.run(keys, [SEEN_TTL_SECONDS, counter, ...entries]));
    }
    return taken;
  }
}
