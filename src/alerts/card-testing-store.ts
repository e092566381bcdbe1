import type { CardFacts } from '../core/card-facts.ts';
import { contentId } from '../core/content-id.ts';
import { declineCode, type TransactionEvent } from '../core/event.ts';
import { stateKey } from '../core/keys.ts';
import { locationLine } from '../core/merchant-category.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { AGGREGATION_SPAN_MS, merchantKey } from './aggregation-group-store.ts';
import { ALERT_TTL_SECONDS } from './alert-store.ts';
import { ALERT_ID_IN_KEY, runWithAlerts } from './run-with-alerts.ts';
import { namesFraud } from './suspected-fraud.ts';

/** This many different cards declined at one merchant … */
const CARD_TESTING_CARDS = 3;
/** … within this time, for small or similar amounts, look like someone testing stolen numbers. */
export const CARD_TESTING_WINDOW_MS = 10 * 60_000;
/** A warning also covers later declines at the merchant until nothing happens for this long. */
export const CARD_TESTING_GAP_MS = 30 * 60_000;

/** Most declines remembered per merchant and channel. */
const REMEMBERED_MAX = 1000;
const REMEMBERED_SECONDS = (AGGREGATION_SPAN_MS + CARD_TESTING_GAP_MS) / 1000;

/** People try stolen numbers with small amounts. Whole cents. */
const SMALL_CENTS = 1000;

/**
 * Reasons for declining a person who has only the number: wrong PIN, no physical card, wrong country, or no reason given. A
 * limit, a balance, a merchant rule or a card that is not activated concerns only the holder.
 */
const fraudLike: ReadonlySet<string> = new Set([
  'decline',
  'decline.card.pin',
  'decline.rule.cardnotpresent',
  'decline.rule.location',
]);

/** True when a decline can be part of card testing. */
export function mayBeCardTesting({ decline }: Pick<TransactionEvent, 'decline'>): boolean {
  return decline !== null && (fraudLike.has(declineCode(decline)) || namesFraud(decline));
}

export type CardTesting = ReturnType<typeof createCardTesting>;

const joinScript = readScript(new URL('./join-card-testing.lua', import.meta.url));

/** Detects in each channel at which merchants cards are being tested. One atomic script decides. */
export function createCardTesting(redis: RedisClient) {
  const script = defineScript(redis, joinScript);
  return {
    /**
     * Records a decline at its merchant. Idempotent and independent of the order of arrival: each event counts once and
     * always gets the same answer.
     *
     * @returns the decline's warning and whether this decline caused it; null while too few cards were tried.
     */
    async join(
      channel: string,
      event: TransactionEvent,
      { holder, last4 }: Pick<CardFacts, 'holder' | 'last4'>,
    ): Promise<{ warningId: string; isCause: boolean } | null> {
      const merchant = `${channel}:${merchantKey(event)}`;
      const { id, acctId, amountCents: cents, occurredAt } = event;
      const once = { count: 1, firstAt: occurredAt, lastAt: occurredAt, minCents: cents, maxCents: cents };
      const ownWarningId = contentId('evt_', ['card-testing', channel, id]);
      const warnings = stateKey(`testing-warnings:${merchant}`);
      const keys = [stateKey(`testing:${merchant}`), stateKey(`testing-facts:${merchant}`), warnings];
      const warningId = await runWithAlerts({ redis, script, keys, owners: warnings, own: ownWarningId }, [
        id,
        Math.floor(Date.parse(occurredAt)),
        JSON.stringify({ acctId, alertId: id, holder, last4, ...once, places: [locationLine(event.merchant)] }),
        ownWarningId,
        CARD_TESTING_WINDOW_MS,
        CARD_TESTING_GAP_MS,
        AGGREGATION_SPAN_MS,
        CARD_TESTING_CARDS,
        ALERT_ID_IN_KEY,
        REMEMBERED_MAX,
        REMEMBERED_SECONDS,
        ALERT_TTL_SECONDS,
        SMALL_CENTS,
      ]);
      return warningId !== null ? { warningId, isCause: warningId === ownWarningId } : null;
    },
  };
}
