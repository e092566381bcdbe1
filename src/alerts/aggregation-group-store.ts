import type { Cluster, Redis } from 'ioredis';
import { contentId } from '../core/content-id.ts';
import { declineCode, type TransactionEvent } from '../core/event.ts';
import { stateKey } from '../core/keys.ts';
import { placeKey } from '../core/merchant-category.ts';
import { merchantName } from '../core/merchant-name.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { ALERT_TTL_SECONDS } from './alert-store.ts';
import { ALERT_ID_IN_KEY, runWithAlerts } from './run-with-alerts.ts';

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

/** Which declines are repeats of which, in each channel. One script decides it. */
export function createAggregationGroups(redis: Redis | Cluster) {
  const script = defineScript(redis, joinScript);
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
    async join(
      channel: string,
      event: TransactionEvent,
      { key, gapMs, spanMs }: AggregationRule,
      isLate: boolean,
    ): Promise<string> {
      const running = stateKey(`groups:${channel}:${key}`);
      const leader = await runWithAlerts({ redis, script, keys: [running], owners: running, own: event.id }, [
        event.id,
        Math.floor(Date.parse(event.occurredAt)),
        event.occurredAt,
        event.callbackAt,
        event.amountCents,
        gapMs,
        spanMs,
        ALERT_ID_IN_KEY,
        channel,
        Math.ceil((gapMs + spanMs) / 1000),
        ALERT_TTL_SECONDS,
        RUNNING_MAX,
        isLate ? 1 : 0,
      ]);
      return String(leader);
    },
  };
}
