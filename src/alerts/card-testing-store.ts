import type { CardFacts } from '../core/card-facts.ts';
import { contentId } from '../core/content-id.ts';
import { declineCode, type TransactionEvent } from '../core/event.ts';
import { stateKey } from '../core/keys.ts';
import { locationLine } from '../core/merchant-category.ts';
import type { RedisClient } from '../core/redis.ts';
import { readScript } from '../core/redis-script.ts';
import { AGGREGATION_SPAN_MS, merchantKey } from './aggregation-group-store.ts';
import { ALERT_TTL_SECONDS } from './alert.ts';
import { isSensitive } from './decline-reason.ts';
import { alertKey } from './event-log.ts';
import { defineCoverTime, defineScriptWithAlerts } from './script-with-alerts.ts';
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
 * Reasons for declining a person who has only the number, besides a wrong PIN: no physical card, wrong country, or no
 * reason given. A limit, a balance, a merchant rule or a card that is not activated concerns only the holder.
 */
const fraudLike: ReadonlySet<string> = new Set(['decline', 'decline.rule.cardnotpresent', 'decline.rule.location']);

export function mayBeCardTesting({ decline }: Pick<TransactionEvent, 'decline'>): boolean {
  if (decline === null) return false;
  return fraudLike.has(declineCode(decline)) || isSensitive(decline) || namesFraud(decline);
}

export type CardTesting = ReturnType<typeof createCardTesting>;

const joinScript = readScript(new URL('./join-card-testing.lua', import.meta.url));

interface Joining {
  /** Channel and merchant. */
  readonly merchant: string;
  readonly event: TransactionEvent;
  readonly card: Pick<CardFacts, 'holder' | 'last4' | 'status'>;
  /** Id of the warning that this decline may cause. */
  readonly ownWarningId: string;
}

const merchantIn = (channel: string, event: TransactionEvent): string => `${channel}:${merchantKey(event)}`;
const warningsKey = ({ merchant }: Pick<Joining, 'merchant'>): string => stateKey(`testing-warnings:${merchant}`);

function argsOf({ event, card: { holder, last4, status }, ownWarningId }: Joining): (string | number)[] {
  const { id, acctId, amountCents: cents, occurredAt } = event;
  const once = { count: 1, firstAt: occurredAt, lastAt: occurredAt, minCents: cents, maxCents: cents };
  const facts = { acctId, alertId: id, holder, last4, ...once, places: [locationLine(event.merchant)] };
  const isClosed = status === 'CLOSED' ? { isClosed: true } : {};
  return [id, Date.parse(occurredAt), JSON.stringify({ ...facts, ...isClosed }), ownWarningId];
}

/** Detects in each channel at which merchants cards are being tested. One atomic script decides. */
export function createCardTesting(redis: RedisClient) {
  const join = defineScriptWithAlerts<Joining>(redis, {
    source: joinScript,
    settings: [
      CARD_TESTING_WINDOW_MS,
      CARD_TESTING_GAP_MS,
      AGGREGATION_SPAN_MS,
      CARD_TESTING_CARDS,
      REMEMBERED_MAX,
      REMEMBERED_SECONDS,
      ALERT_TTL_SECONDS,
      SMALL_CENTS,
    ],
    keysOf: (one) => [
      stateKey(`testing:${one.merchant}`),
      stateKey(`testing-facts:${one.merchant}`),
      warningsKey(one),
      alertKey(one.ownWarningId),
    ],
    argsOf,
    ownersOf: warningsKey,
  });
  const coverTime = defineCoverTime(redis);
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
      card: Pick<CardFacts, 'holder' | 'last4' | 'status'>,
    ): Promise<{ warningId: string; isCause: boolean } | null> {
      const ownWarningId = contentId('evt_', ['card-testing', channel, event.id]);
      const merchant = merchantIn(channel, event);
      const warningId = await join({ merchant, event, card, ownWarningId });
      return warningId !== null ? { warningId, isCause: warningId === ownWarningId } : null;
    },
    /** How to restore a warning that Redis has lost, so that the decline belongs to the same one when its job runs again. */
    restoring(warningId: string, channel: string, event: TransactionEvent): () => Promise<void> {
      const key = warningsKey({ merchant: merchantIn(channel, event) });
      const [at, more] = [Date.parse(event.occurredAt), ` ${event.amountCents} lost`];
      return coverTime({ key, alertId: warningId, at, more, ttlSeconds: REMEMBERED_SECONDS });
    },
  };
}
