import type { Cluster, Redis } from 'ioredis';
import type { TransactionEvent } from '../core/event.ts';
import { stateKey } from '../core/keys.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import type { AggregationRule } from './aggregation-rule.ts';
import { ALERT_TTL_SECONDS } from './alert-store.ts';

/** As long as the same webhook may come again and be run again. */
const MEMBER_TTL_SECONDS = 8 * 24 * 3600;

/** Running groups of one card, merchant and reason; more than a few never overlap. */
const RUNNING_MAX = 8;

export interface AggregationGroups {
  /**
   * Puts a decline into its group in a channel. Any order of arrival, any number of workers, the same event again:
   * each event is counted once, and all get the same answer as before.
   *
   * A group ends when somebody has done something about it: what is declined after that is news. So is what is declined
   * now where the group's message tells of something that was fetched after a gap, long after it happened.
   *
   * @returns id of the alert whose message stands for the group; the event's own where it is the first.
   */
  join(channel: string, event: TransactionEvent, rule: AggregationRule, isLate: boolean): Promise<string>;
}

const joinScript = readScript(new URL('./join-aggregation-group.lua', import.meta.url));

/** Which declines are repeats of which, in each channel: all of it decided in one script. */
export function createAggregationGroups(redis: Redis | Cluster): AggregationGroups {
  const script = defineScript(redis, joinScript);
  return {
    async join(channel, event, { key, gapMs, spanMs }, isLate) {
      const leader = await script.run(
        [stateKey(`group-of:${channel}:${event.id}`), stateKey(`groups:${channel}:${key}`)],
        [
          event.id,
          Math.floor(Date.parse(event.occurredAt)),
          event.occurredAt,
          event.callbackAt,
          event.amountCents,
          gapMs,
          spanMs,
          stateKey('alert:'),
          `repeats:${channel}`,
          MEMBER_TTL_SECONDS,
          Math.ceil((gapMs + spanMs) / 1000),
          ALERT_TTL_SECONDS,
          RUNNING_MAX,
          isLate ? 1 : 0,
        ],
      );
      return String(leader);
    },
  };
}
