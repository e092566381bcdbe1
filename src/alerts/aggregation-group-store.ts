import { contentId } from '../core/content-id.ts';
import { declineCode, type TransactionEvent } from '../core/event.ts';
import { stateKey } from '../core/keys.ts';
import { placeKey } from '../core/merchant-category.ts';
import { merchantName } from '../core/merchant-name.ts';
import type { RedisClient } from '../core/redis.ts';
import { readScript } from '../core/redis-script.ts';
import { ALERT_TTL_SECONDS } from './alert.ts';
import { alertKey } from './event-log.ts';
import { defineCoverTime, defineScriptWithAlerts } from './script-with-alerts.ts';

/**
 * Retries share a message while each follows the previous one within this time. After a quiet period, a decline is news
 * again.
 */
export const AGGREGATION_GAP_MS = 10 * 60_000;

/** Nobody reads yesterday's message, so retries that continue for longer get a new one. */
export const AGGREGATION_SPAN_MS = 24 * 3_600_000;

/** Most groups of one card, merchant and reason that run at the same time. More never overlap. */
const RUNNING_MAX = 8;

/** Which events are repeats of one another, and how far apart they may be. */
interface AggregationRule {
  readonly key: string;
  readonly gapMs: number;
  readonly spanMs: number;
}

/**
 * A merchant's number and name together, because shops of a chain may share either. Spelling variants of the name give the
 * same key. Without both, nobody knows whether two purchases were made at the same merchant: each has a key of its own.
 */
export function merchantKey({
  merchant,
  networkTransactionId,
}: Pick<TransactionEvent, 'merchant' | 'networkTransactionId'>): string {
  const { key } = merchantName(merchant.name);
  return contentId('', merchant.id === '' && key === '' ? [networkTransactionId] : [merchant.id, key]);
}

/**
 * The same for every attempt at a purchase: card account, merchant, place, reason and amount. A different amount or city is
 * a different purchase.
 */
export function purchaseKey(event: TransactionEvent): string {
  const { acctId, merchant, decline, amountCents } = event;
  return contentId('', ['repeat', acctId, merchantKey(event), placeKey(merchant), declineCode(decline), amountCents]);
}

export function aggregationRule(event: TransactionEvent): AggregationRule {
  return { key: purchaseKey(event), gapMs: AGGREGATION_GAP_MS, spanMs: AGGREGATION_SPAN_MS };
}

/**
 * Every decline of a blocked card, at any merchant: the block is their common cause.
 *
 * @param block the thread of the block; null: it is not known.
 */
export function blockedRule(event: TransactionEvent, block: string | null): AggregationRule {
  const key = contentId('', ['blocked', event.acctId, block]);
  return { key, gapMs: AGGREGATION_SPAN_MS, spanMs: AGGREGATION_SPAN_MS };
}

export type AggregationGroups = ReturnType<typeof createAggregationGroups>;

const joinScript = readScript(new URL('./join-aggregation-group.lua', import.meta.url));

interface Joining {
  readonly channel: string;
  readonly event: TransactionEvent;
  readonly rule: AggregationRule;
  readonly isLate: boolean;
}

const runningKey = ({ channel, rule }: Pick<Joining, 'channel' | 'rule'>): string =>
  stateKey(`groups:${channel}:${rule.key}`);

const lastsSeconds = ({ gapMs, spanMs }: AggregationRule): number => Math.ceil((gapMs + spanMs) / 1000);

/** One argument, because each costs Redis and us as much as a short command. */
function argsOf({ channel, event, rule, isLate }: Joining): string[] {
  const { id, occurredAt, callbackAt, amountCents } = event;
  const once = `${id} ${Date.parse(occurredAt)} ${lastsSeconds(rule)} ${channel} ${amountCents} ${occurredAt}`;
  return [`${once} ${callbackAt} ${rule.gapMs} ${rule.spanMs} ${isLate ? 1 : 0}`];
}

/** Decides which declines are repeats of each other in a channel. One atomic script decides. */
export function createAggregationGroups(redis: RedisClient) {
  const join = defineScriptWithAlerts<Joining>(redis, {
    source: joinScript,
    settings: [RUNNING_MAX, ALERT_TTL_SECONDS],
    keysOf: (one) => [runningKey(one), alertKey(one.event.id)],
    argsOf,
    ownersOf: runningKey,
  });
  const coverTime = defineCoverTime(redis);
  return {
    /**
     * Adds a decline to its group in a channel. Idempotent and independent of the order of arrival: each event counts once
     * and always gets the same answer.
     *
     * A group ends when someone acts on it: a later decline is news. A decline that arrives on time does not join a group
     * whose message shows a late one.
     *
     * @returns the id of the alert whose message represents the group; the event's own id if it is the first.
     */
    async join(channel: string, event: TransactionEvent, rule: AggregationRule, isLate: boolean): Promise<string> {
      return (await join({ channel, event, rule, isLate })) ?? event.id;
    },
    /** How to restore a group that Redis has lost, so that the decline joins the same one when its job runs again. */
    restoring(leaderId: string, channel: string, event: TransactionEvent, rule: AggregationRule): () => Promise<void> {
      const key = runningKey({ channel, rule });
      return coverTime({
        key,
        alertId: leaderId,
        at: Date.parse(event.occurredAt),
        more: '',
        ttlSeconds: lastsSeconds(rule),
      });
    },
  };
}
