import { z } from 'zod';
import { Outcome } from '../actions/action-state.ts';
import { CardFacts } from '../core/card-facts.ts';
import { CardStatus, CardStatusEvent, ShippingEvent, TransactionEvent, VirtualCardEvent } from '../core/event.ts';
import { fromStoredAs } from '../core/unknown-fields.ts';
import { Remedy } from '../limits/remedy-change.ts';
import { PurchaseTimeline } from './purchase-timeline.ts';

/** Alerts stay actionable for this long. What refers to them is kept as long. */
export const ALERT_TTL_SECONDS = 30 * 24 * 3600;

const shared = {
  card: CardFacts,
  outcomes: z.array(Outcome),
  /** True when the event was fetched after a gap, or replayed from quarantine, long after it happened. */
  late: z.boolean(),
};

/** How often a decline was repeated in one channel, including the first. Stored with the alert of the first decline. */
export const Repeats = z.strictObject({
  count: z.int().positive(),
  /** UTC ISO 8601. The times of the purchases, not of their arrival. */
  firstAt: z.string(),
  lastAt: z.string(),
  minCents: z.int(),
  maxCents: z.int(),
});
export type Repeats = z.infer<typeof Repeats>;

/**
 * Parses the scripts' format: a count, then amount and time of a single decline, or the range of both. `+` means that the
 * leader's own decline is not counted yet.
 *
 * @throws UnreadableError
 */
export function readRepeats(text: string): Repeats {
  const [count, least, second = '', third, fourth] = text.split(' ');
  const [most, firstAt, lastAt] = third === undefined ? [least, second, second] : [second, third, fourth];
  const range = { minCents: Number(least), maxCents: Number(most), firstAt, lastAt };
  return fromStoredAs('repeats', Repeats, { count: Number(count), ...range });
}

export const TransactionAlert = z.strictObject({
  ...shared,
  kind: z.literal('transaction'),
  event: TransactionEvent,
  remedy: Remedy.nullable(),
  /** What it says about its card, such as a status or what is left of a limit, was read long after the purchase. */
  isKnownLater: z.literal(true).optional(),
  /** The repeats that this alert's message also represents, by channel. */
  repeats: z.record(z.string(), Repeats).default({}),
  /** The alert of the last of these repeats, by channel. */
  newest: z.record(z.string(), z.string()).optional(),
  /** The alert whose message represents this one as a repeat, by channel. */
  leaders: z.record(z.string(), z.string()).optional(),
  /** The purchase that this event is a step of; null for declines. */
  timeline: PurchaseTimeline.nullable().default(null),
});
export type TransactionAlert = z.infer<typeof TransactionAlert>;

/** A card that a card-testing warning names. */
export const TriedCard = z.strictObject({
  acctId: z.int(),
  /** The first of its declines to arrive: an opaque id that buttons use for the card. */
  alertId: z.string(),
  holder: z.string().nullable(),
  last4: z.string().nullable(),
  ...Repeats.shape,
  /** The cities in which it was tried, in words. */
  places: z.array(z.string()).default([]),
  /** It was closed for good when it was tried. */
  isClosed: z.literal(true).optional(),
});
export type TriedCard = z.infer<typeof TriedCard>;

/** Declines of several cards at one merchant. Not an event: several events together cause it. */
export const CardTestingAlert = z.strictObject({
  ...shared,
  kind: z.literal('card-testing'),
  /** The decline that caused the warning, under the warning's own id. */
  event: TransactionEvent,
  tried: z.array(TriedCard),
});
export type CardTestingAlert = z.infer<typeof CardTestingAlert>;

/**
 * A purchase that the card's holder did not make. Its event is the decline, under the case's own id. Later events of the
 * card are replies in its thread.
 */
export const FraudCaseAlert = z.strictObject({
  ...shared,
  kind: z.literal('fraud-case'),
  event: TransactionEvent,
  /** The alert on which the holder reported the fraud. */
  alertId: z.string(),
  /** The open case whose thread this purchase is added to; null when it opens its own case. */
  joins: z.string().nullable().default(null),
  reported: z.strictObject({ by: z.string(), at: z.string() }),
  /** When the latest purchase was added to the case. Absent: none was. */
  addedAt: z.string().optional(),
  /** Whom to mention: Slack users and user groups. */
  operators: z.array(z.string()),
  /** The card's latest purchases at the time of the report, newest first; null when they could not be read. */
  purchases: z.array(z.strictObject({ at: z.string(), amountCents: z.int(), merchant: z.string() })).nullable(),
  /** How many older ones there are within the same time. */
  morePurchases: z.int().default(0),
  /** How many transactions could not be read. They may be purchases. */
  unreadable: z.int().default(0),
});
export type FraudCaseAlert = z.infer<typeof FraudCaseAlert>;

const StatusStep = z.strictObject({ status: CardStatus, at: z.string() });

/** The statuses that a card went through, oldest first. `from` is the previous status. */
export const StatusChange = z.strictObject({
  cardId: z.int(),
  last4: z.string(),
  from: CardStatus.nullable(),
  steps: z.tuple([StatusStep], StatusStep),
  /** The card's current status, when a newer event arrived first. */
  supersededBy: CardStatus.nullable(),
  /** Slack user id of the person who caused it through Cardbell; null when nobody did. */
  causedBy: z.string().nullable(),
});
export type StatusChange = z.infer<typeof StatusChange>;

export function lastStep({ steps }: Pick<StatusChange, 'steps'>): StatusChange['steps'][0] {
  return steps.at(-1) ?? steps[0];
}

/** The card's current status, as far as known. */
export function statusNow(change: StatusChange): CardStatus {
  return change.supersededBy ?? lastStep(change).status;
}

/** Steps on a card's way to its holder, in their order. */
export const orderSteps = ['created', 'shipped', 'activated', 'used', 'closed'] as const;
export type OrderStep = (typeof orderSteps)[number];

/** When each step of a card order happened, UTC ISO 8601; null: not yet, or unknown. */
export const OrderProgress = z.strictObject({
  cardOrderId: z.int(),
  created: z.string().nullable(),
  shipped: z.string().nullable(),
  activated: z.string().nullable(),
  used: z.string().nullable(),
  closed: z.string().nullable(),
});
export type OrderProgress = z.infer<typeof OrderProgress>;

export const StatusAlert = z.strictObject({
  ...shared,
  kind: z.literal('card-status'),
  event: CardStatusEvent,
  changes: z.array(StatusChange).min(1),
  /** Null when the status is unrelated to a card order. */
  progress: OrderProgress.nullable().default(null),
});
export type StatusAlert = z.infer<typeof StatusAlert>;

/** Null: several cards changed. */
export function onlyChange({ changes }: Pick<StatusAlert, 'changes'>): StatusChange | null {
  const [change, ...others] = changes;
  return change === undefined || others.length > 0 ? null : change;
}

export function changedAt({ changes, event }: StatusAlert): string {
  const last = changes.at(-1);
  return last === undefined ? event.callbackAt : lastStep(last).at;
}

export const ShippingAlert = z.strictObject({
  ...shared,
  kind: z.literal('card-shipping'),
  event: ShippingEvent,
  progress: OrderProgress.nullable().default(null),
});
export type ShippingAlert = z.infer<typeof ShippingAlert>;

/** A card was not activated long after it was shipped. The event is the shipment, under the reminder's own id. */
export const ActivationReminder = z.strictObject({ ...ShippingAlert.shape, kind: z.literal('activation-reminder') });
export type ActivationReminder = z.infer<typeof ActivationReminder>;

/** The Slack user id of the requester, and when they asked (UTC ISO 8601). */
export const AskedBy = z.strictObject({ by: z.string(), at: z.string() });
export type AskedBy = z.infer<typeof AskedBy>;

export const VirtualCardAlert = z.strictObject({
  ...shared,
  kind: z.literal('virtual-card'),
  event: VirtualCardEvent,
  /** Who ordered it in Slack; null when it was ordered elsewhere, or that is not known yet. */
  asked: AskedBy.nullable().default(null),
});
export type VirtualCardAlert = z.infer<typeof VirtualCardAlert>;

/** An event with everything that a template needs to show it. Stored under the event's id. */
export const Alert = z.discriminatedUnion('kind', [
  TransactionAlert,
  CardTestingAlert,
  FraudCaseAlert,
  StatusAlert,
  ShippingAlert,
  ActivationReminder,
  VirtualCardAlert,
]);
export type Alert = z.infer<typeof Alert>;

/** The kinds of alerts whose latest are listed per account. Reversals are listed with the payments that they reverse. */
export type LatestKind = 'declines' | 'payments' | 'shipments';

/** In which list of its account's latest an alert is, and its time there (ISO 8601). Null: in none. */
export function listingOf({ kind, event }: Alert): { kind: LatestKind; acctId: number; at: string } | null {
  if (kind === 'card-shipping') return { kind: 'shipments', acctId: event.acctId, at: event.callbackAt };
  if (kind !== 'transaction' || event.kind === 'settlement') return null;
  return { kind: event.kind === 'decline' ? 'declines' : 'payments', acctId: event.acctId, at: event.occurredAt };
}

/** Button value for one card of a warning: two opaque ids. */
export function testedCardValue(warningId: string, { alertId }: Pick<TriedCard, 'alertId'>): string {
  return `${warningId}.${alertId}`;
}

export function readTestedCardValue(value: string): { warningId: string; alertId: string } {
  const [warningId = '', alertId = ''] = value.split('.');
  return { warningId, alertId };
}

/** Button value of *It wasn't me*, which blocks like *Block card* and also opens a fraud case. */
export function fraudValue(alertId: string): string {
  return `fraud_${alertId}`;
}

/** The alert of an *It wasn't me* button; null when the button only blocks. */
export function alertIdInFraudValue(value: string): string | null {
  return value.startsWith('fraud_') ? value.slice('fraud_'.length) : null;
}
