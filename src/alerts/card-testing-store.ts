import type { Cluster, Redis } from 'ioredis';
import type { CardFacts } from '../core/card-facts.ts';
import { contentId } from '../core/content-id.ts';
import type { TransactionEvent } from '../core/event.ts';
import { stateKey } from '../core/keys.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { AGGREGATION_SPAN_MS, merchantKey } from './aggregation-rule.ts';
import { ALERT_TTL_SECONDS } from './alert-store.ts';
import { CARD_TESTING_CARDS, CARD_TESTING_GAP_MS, CARD_TESTING_WINDOW_MS } from './card-testing-rule.ts';

/** Declines of a merchant that are remembered in one channel. */
const REMEMBERED_MAX = 1000;
const REMEMBERED_SECONDS = (AGGREGATION_SPAN_MS + CARD_TESTING_GAP_MS) / 1000;

export interface CardTesting {
  /**
   * Notes a decline at its merchant. Any order of arrival, any number of workers; the same event again counts nothing
   * and gets the same answer.
   *
   * @returns id of the warning that the decline belongs to, and whether this decline brought it about; null while too
   * few cards were tried.
   */
  join(
    channel: string,
    event: TransactionEvent,
    card: Pick<CardFacts, 'holder' | 'last4'>,
  ): Promise<{ warningId: string; isCause: boolean } | null>;
}

const joinScript = readScript(new URL('./join-card-testing.lua', import.meta.url));

/** Which merchants cards are being tried at, in each channel: decided in one script. */
export function createCardTesting(redis: Redis | Cluster): CardTesting {
  const script = defineScript(redis, joinScript);
  return {
    async join(channel, event, { holder, last4 }) {
      const place = `${channel}:${merchantKey(event)}`;
      const { id, acctId, amountCents: cents, occurredAt } = event;
      const once = { count: 1, firstAt: occurredAt, lastAt: occurredAt, minCents: cents, maxCents: cents };
      const caused = contentId('evt_', ['card-testing', channel, id]);
      const warningId = await script.run(
        [stateKey(`testing:${place}`), stateKey(`testing-facts:${place}`), stateKey(`testing-warnings:${place}`)],
        [
          id,
          Math.floor(Date.parse(occurredAt)),
          JSON.stringify({ acctId, alertId: id, holder, last4, ...once }),
          caused,
          CARD_TESTING_WINDOW_MS,
          CARD_TESTING_GAP_MS,
          AGGREGATION_SPAN_MS,
          CARD_TESTING_CARDS,
          stateKey('alert:'),
          REMEMBERED_MAX,
          REMEMBERED_SECONDS,
          ALERT_TTL_SECONDS,
        ],
      );
      return typeof warningId === 'string' ? { warningId, isCause: warningId === caused } : null;
    },
  };
}
