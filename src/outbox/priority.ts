import type { WebhookKind } from '../core/event.ts';

/**
 * What goes first where more waits in a channel than it may take, most urgent first, and how much longer than the first
 * each may wait (ms).
 *
 * An entry's place in its channel is the time it came plus this patience: an urgent one overtakes what came shortly
 * before it, and nothing is overtaken for ever, because what comes later than the patience stands behind.
 */
export const maxWaitMs = {
  /** Suspected fraud, card testing: every minute costs money. */
  fraud: 0,
  /** Somebody waits for two others before a purchase can go on. */
  request: 2_000,
  /** Somebody stands at a till. */
  decline: 4_000,
  /** Cardbell's own trouble: what it names may hold back the rest. */
  ops: 8_000,
  /** A card was blocked, closed, activated. */
  status: 12_000,
  shipping: 16_000,
  /** A virtual card was made; its holder has heard of it from the service. */
  virtual: 16_000,
  /** Money that moved as it should. */
  spend: 30_000,
  /** Lines of the record. Nobody waits for them. */
  record: 30_000,
} as const;

export type Urgency = keyof typeof maxWaitMs;
export const urgencies = Object.keys(maxWaitMs) as [Urgency, ...Urgency[]];

const urgencyOfKind: Readonly<Record<WebhookKind, Urgency>> = {
  decline: 'decline',
  'card-status': 'status',
  'card-shipping': 'shipping',
  'virtual-card': 'virtual',
  authorization: 'spend',
  pin: 'spend',
  settlement: 'spend',
  reversal: 'spend',
};

/** How urgent an event of a kind is by itself. */
export function urgencyOf({ kind }: { readonly kind: WebhookKind }): Urgency {
  return urgencyOfKind[kind];
}
