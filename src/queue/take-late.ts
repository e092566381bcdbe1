import type { StoredEvent } from '../alert/event.ts';
import { intakeKey } from '../keys.ts';
import { defineScript } from '../redis-script.ts';
import type { RedisClient } from './connection.ts';
import { type InboxEntry, inboxKeys, SEEN_TTL_SECONDS } from './intake.ts';

const BATCH_MAX = 100;

/**
 * The intake's step for events that were fetched: remembered, stored and counted in one, so that a crash in between
 * neither posts twice nor counts twice.
 *
 * KEYS: inbox, journal of the recovery, then one memory key for each entry. ARGV: time to live, then the entries.
 */
const takeLateScript = `
local taken = 0
for index = 3, #KEYS do
  if redis.call('SET', KEYS[index], '1', 'NX', 'EX', ARGV[1]) then
    redis.call('XADD', KEYS[1], '*', 'entry', ARGV[index - 1])
    taken = taken + 1
  end
end
if taken > 0 then redis.call('HINCRBY', KEYS[2], 'recovered', taken) end
return taken
`;

const seenKey = (event: StoredEvent): string => intakeKey(`seen:${event.id}`);

/** What recovery does with the events that it fetched. */
export interface LateIntake {
  /** Stores those that are not remembered, in this order. @returns how many that were. */
  take(gapId: string, events: readonly StoredEvent[]): Promise<number>;
  /** How many are not remembered; stores nothing. */
  countNew(events: readonly StoredEvent[]): Promise<number>;
}

export function createLateIntake(redis: RedisClient): LateIntake {
  const script = defineScript(redis, 'cardbellTakeLate', takeLateScript);
  return {
    async take(gapId, events) {
      let taken = 0;
      for (let start = 0; start < events.length; start += BATCH_MAX) {
        const batch = events.slice(start, start + BATCH_MAX);
        const entries = batch.map((event) =>
          JSON.stringify({ type: 'event', event, isLate: true } satisfies InboxEntry),
        );
        const keys = [inboxKeys.webhooks, intakeKey(`recovery:${gapId}`), ...batch.map(seenKey)];
        taken += Number(await script.run(keys, [SEEN_TTL_SECONDS, ...entries]));
      }
      return taken;
    },
    async countNew(events) {
      const seen = await Promise.all(events.map((event) => redis.exists(seenKey(event))));
      return seen.filter((count) => count === 0).length;
    },
  };
}
