import { batched } from '../core/batched.ts';
import { contentId } from '../core/content-id.ts';
import { declineCode, type TransactionEvent } from '../core/event.ts';
import { stateKey } from '../core/keys.ts';
import { placeKey } from '../core/merchant-category.ts';
import { merchantName } from '../core/merchant-name.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { ALERT_TTL_SECONDS } from './alert-store.ts';

/** Retries share a message while each follows another within this time: after a quiet spell a decline is news again. */
export const AGGREGATION_GAP_MS = 10 * 60_000;

/** Nobody looks at yesterday's message: what goes on for longer gets a new one. */
export const AGGREGATION_SPAN_MS = 24 * 3_600_000;

/** Groups of one card, merchant and reason that run at the same time; more than a few never overlap. */
const RUNNING_MAX = 8;

/** Which events are repeats of one another, and how far apart they may be. */
interface AggregationRule {
  readonly key: string;
  readonly gapMs: number;
  readonly spanMs: number;
}

/** A merchant, by number and name together, because the shops of a chain may share either. Its name may be spelled in any way. */
export function merchantKey({ merchant }: Pick<TransactionEvent, 'merchant'>): string {
  return contentId('', [merchant.id, merchantName(merchant.name).key]);
}

/** The same card account, merchant, place, reason and amount: another amount, or another city, is another purchase. */
export function aggregationRule(event: TransactionEvent): AggregationRule {
  const key = contentId('', [
    'repeat',
    event.acctId,
    merchantKey(event),
    placeKey(event.merchant),
    declineCode(event.decline),
    event.amountCents,
  ]);
  return { key, gapMs: AGGREGATION_GAP_MS, spanMs: AGGREGATION_SPAN_MS };
}

/** Every decline of a blocked card, at any merchant: they follow from the block. */
export function blockedRule(event: TransactionEvent): AggregationRule {
  const key = contentId('', ['blocked', event.acctId]);
  return { key, gapMs: AGGREGATION_SPAN_MS, spanMs: AGGREGATION_SPAN_MS };
}

export type AggregationGroups = ReturnType<typeof createAggregationGroups>;

const joinScript = readScript(new URL('./join-aggregation-group.lua', import.meta.url));

/** A decline that is put into its group in a channel. */
interface Joining {
  readonly channel: string;
  readonly event: TransactionEvent;
  readonly rule: AggregationRule;
  readonly isLate: boolean;
}

const runningKey = ({ channel, rule }: Joining): string => stateKey(`groups:${channel}:${rule.key}`);
const alertKey = (id: string): string => stateKey(`alert:${id}`);

/** What the script takes for one decline. */
function argsOf({ channel, event, rule: { gapMs, spanMs }, isLate }: Joining): (string | number)[] {
  const { id, occurredAt, callbackAt, amountCents } = event;
  const lasts = Math.ceil((gapMs + spanMs) / 1000);
  const at = Math.floor(Date.parse(occurredAt));
  return [id, at, occurredAt, callbackAt, amountCents, gapMs, spanMs, channel, lasts, isLate ? 1 : 0];
}

/** Which declines are repeats of which, in each channel. One script decides it. */
export function createAggregationGroups(redis: RedisClient) {
  const script = defineScript(redis, joinScript);
  const run = async (joining: readonly Joining[], leaders: readonly string[]): Promise<string[]> => {
    const own = joining.flatMap((one) => [runningKey(one), alertKey(one.event.id)]);
    const args = [joining.length, RUNNING_MAX, ALERT_TTL_SECONDS, ...joining.flatMap(argsOf), ...leaders];
    return (await script.run([...own, ...leaders.map(alertKey)], args)) as string[];
  };
  const joinTogether = batched((joining: readonly Joining[]) => run(joining, []));
  /**
   * A script must be given the keys of all alerts that it may change: while slots of a Redis Cluster move, one that touches
   * others would stop in the middle. Most often there is no other leader, and where one came meanwhile it is run again.
   */
  async function joinOther(one: Joining): Promise<string> {
    const leaders = (await redis.hkeys(runningKey(one))).filter((id) => id !== one.event.id);
    const [answer] = await run([one], leaders);
    return answer || (await joinOther(one));
  }
  return {
    /**
     * Puts a decline into its group in a channel. Whatever the order of arrival and however often it is called, each event
     * is counted once and always gets the same answer.
     *
     * A group ends when somebody has acted on it: a decline after that is news. A decline that arrives in time does not
     * join a group whose message shows one that was fetched late.
     *
     * @returns id of the alert whose message stands for the group; the event's own id if it is the first.
     */
    async join(channel: string, event: TransactionEvent, rule: AggregationRule, isLate: boolean): Promise<string> {
      const one = { channel, event, rule, isLate };
      return (await joinTogether(one)) || (await joinOther(one));
    },
  };
}
