import { z } from 'zod';
import { Outcome } from '../actions/outcome.ts';
import { CardFacts } from '../core/card-facts.ts';
import { CardStatus, CardStatusEvent, ShippingEvent, TransactionEvent, VirtualCardEvent } from '../core/event.ts';
import { Remedy } from '../limits/remedy-change.ts';
import { Repeats } from './aggregation-rule.ts';
import { OrderProgress } from './card-order.ts';
import { TriedCard } from './card-testing-rule.ts';
import { PurchaseTimeline } from './purchase-timeline.ts';

const shared = {
  card: CardFacts,
  outcomes: z.array(Outcome),
  /** True when it was fetched after a gap, long after it happened. */
  late: z.boolean(),
};

export const TransactionAlert = z.strictObject({
  ...shared,
  kind: z.literal('transaction'),
  event: TransactionEvent,
  remedy: Remedy.nullable(),
  /** For each channel whose message of it stands for repeats as well: how many. */
  repeats: z.record(z.string(), Repeats).default({}),
  /** The purchase that it is a step of; null for declines and where nobody asked. */
  timeline: PurchaseTimeline.nullable().default(null),
});
export type TransactionAlert = z.infer<typeof TransactionAlert>;

/** Declines of several cards at one merchant: not an event of its own, but what several of them mean together. */
export const CardTestingAlert = z.strictObject({
  ...shared,
  kind: z.literal('card-testing'),
  /** The decline that made it plain, under an id of the warning's own. */
  event: TransactionEvent,
  tried: z.array(TriedCard),
});
export type CardTestingAlert = z.infer<typeof CardTestingAlert>;

/** One card's way through its statuses, oldest first; `from` is what was known before. */
export const StatusChange = z.strictObject({
  cardId: z.int(),
  last4: z.string(),
  from: CardStatus.nullable(),
  steps: z.array(z.strictObject({ status: CardStatus, at: z.string() })).min(1),
  /** Set when the event arrived after a newer one: what the card is now. */
  supersededBy: CardStatus.nullable(),
  /** Slack user whose click in Cardbell caused it, where one is known. */
  causedBy: z.string().nullable(),
});
export type StatusChange = z.infer<typeof StatusChange>;

export const StatusAlert = z.strictObject({
  ...shared,
  kind: z.literal('card-status'),
  event: CardStatusEvent,
  changes: z.array(StatusChange).min(1),
  /** How far the card's order has come; null where the status has nothing to do with an order. */
  progress: OrderProgress.nullable().default(null),
});
export type StatusAlert = z.infer<typeof StatusAlert>;

export const ShippingAlert = z.strictObject({
  ...shared,
  kind: z.literal('card-shipping'),
  event: ShippingEvent,
  progress: OrderProgress.nullable().default(null),
});
export type ShippingAlert = z.infer<typeof ShippingAlert>;

/** The card was not activated long after it was shipped. The event is the shipment, under an id of the reminder's own. */
export const ActivationReminder = z.strictObject({ ...ShippingAlert.shape, kind: z.literal('activation-reminder') });
export type ActivationReminder = z.infer<typeof ActivationReminder>;

/** Who asked for something in Slack (user id), and when (UTC ISO 8601). */
export const Asked = z.strictObject({ by: z.string(), at: z.string() });
export type Asked = z.infer<typeof Asked>;

export const VirtualCardAlert = z.strictObject({
  ...shared,
  kind: z.literal('virtual-card'),
  event: VirtualCardEvent,
  /** Who asked for it in Slack; null: it was asked for elsewhere, or nobody knows yet. */
  asked: Asked.nullable().default(null),
});
export type VirtualCardAlert = z.infer<typeof VirtualCardAlert>;

/** An event with names and what is known around it, ready for a template. Kept in Redis under the event's id. */
export const Alert = z.discriminatedUnion('kind', [
  TransactionAlert,
  CardTestingAlert,
  StatusAlert,
  ShippingAlert,
  ActivationReminder,
  VirtualCardAlert,
]);
export type Alert = z.infer<typeof Alert>;
