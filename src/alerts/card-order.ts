import { z } from 'zod';
import type { CardStatusEvent, ShippingEvent } from '../core/event.ts';

/** A card that is still not activated this long after it was shipped has got lost, or its holder forgot. */
export const NUDGE_AFTER_MS = 10 * 24 * 3_600_000;

/** What happens later is no part of how the card came to its holder. */
export const ORDER_TIMELINE_MS = 60 * 24 * 3_600_000;

/** Steps on a card's way to its holder, in their order. */
export const orderSteps = ['created', 'shipped', 'activated', 'used', 'closed'] as const;
export type OrderStep = (typeof orderSteps)[number];

/** How far a card that was ordered has come: when each step happened, UTC ISO 8601; null: not yet, or not known. */
export const OrderProgress = z.strictObject({
  cardOrderId: z.int(),
  created: z.string().nullable(),
  shipped: z.string().nullable(),
  activated: z.string().nullable(),
  used: z.string().nullable(),
  closed: z.string().nullable(),
});
export type OrderProgress = z.infer<typeof OrderProgress>;

/**
 * The order that a message about a card belongs to: one card of one account. An order of forty cards is forty threads,
 * because people follow a person's card, not an order form.
 */
export function orderOf(event: CardStatusEvent | ShippingEvent): number | null {
  if (event.kind === 'card-shipping') return event.cardOrderId;
  const [only] = event.cards;
  return event.cards.length === 1 && only !== undefined ? only.cardOrderId : null;
}

/** The thread of a card order in every channel. */
export function orderThread(acctId: number, cardOrderId: number): string {
  return `order-${acctId}-${cardOrderId}`;
}

/** True while what happens to the card still belongs to the story of how it came. */
export function isOrderOpen({ created, shipped, closed, used }: OrderProgress, at: string): boolean {
  const [begun] = [created, shipped].filter((time) => time !== null).toSorted((a, b) => a.localeCompare(b));
  if (begun === undefined || (closed !== null && closed < at) || (used !== null && used < at)) return false;
  return Date.parse(at) - Date.parse(begun) <= ORDER_TIMELINE_MS;
}
