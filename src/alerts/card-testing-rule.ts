import { z } from 'zod';
import { declineCode, type TransactionEvent } from '../core/event.ts';

/** This many different cards declined at one merchant … */
export const CARD_TESTING_CARDS = 3;
/** … within this time look like somebody trying out stolen numbers, whatever the amounts. */
export const CARD_TESTING_WINDOW_MS = 10 * 60_000;
/** A warning stands for what follows at the merchant, as long as no quiet of this length lies between. */
export const CARD_TESTING_GAP_MS = 30 * 60_000;

/**
 * Reasons that hit every card at once and say nothing about who holds it: the business has no money, the company's own
 * approval system says no, the service allows this kind of merchant to nobody.
 */
const causesOfAllCards: ReadonlySet<string> = new Set(['decline.balance.business', 'decline.remote', 'decline.mcc']);

/** True when a decline can be part of card testing. */
export function mayBeCardTesting({ decline }: Pick<TransactionEvent, 'decline'>): boolean {
  return decline !== null && !causesOfAllCards.has(declineCode(decline));
}

/** One of the cards that a card-testing warning names. */
export const TriedCard = z.strictObject({
  acctId: z.int(),
  /** The first of its declines that arrived: an opaque id by which a control names the card. */
  alertId: z.string(),
  holder: z.string().nullable(),
  last4: z.string().nullable(),
  count: z.int().positive(),
  /** UTC ISO 8601. */
  firstAt: z.string(),
  lastAt: z.string(),
  minCents: z.int(),
  maxCents: z.int(),
});
export type TriedCard = z.infer<typeof TriedCard>;

/** What a control carries that means one card of a warning: opaque ids both. */
export function testedCardValue(warningId: string, { alertId }: Pick<TriedCard, 'alertId'>): string {
  return `${warningId}.${alertId}`;
}

export function readTestedCardValue(value: string): { warningId: string; alertId: string } {
  const [warningId = '', alertId = ''] = value.split('.');
  return { warningId, alertId };
}
