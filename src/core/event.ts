import { z } from 'zod';

/** Which configured channel gets alerts, and how urgent they are. */
export type AlertCategory = 'decline' | 'status' | 'shipping' | 'virtual' | 'spend';

/** Properties of a webhook kind, shared by everything that lists kinds. */
interface KindTraits {
  readonly category: AlertCategory;
  /** How people type it in a filter, besides its name: first the word we print, then its synonyms. */
  readonly typed: readonly [name: string, ...others: string[]];
  /** For counts: `1 shipment`, `2 shipments`. */
  readonly nouns: readonly [one: string, many: string];
}

/** The eight webhook kinds, named after the paths of their receivers. Add a row here for a new kind. */
const kinds = {
  authorization: { category: 'spend', typed: ['authorizations'], nouns: ['purchase', 'purchases'] },
  pin: { category: 'spend', typed: ['pins'], nouns: ['PIN purchase', 'PIN purchases'] },
  settlement: { category: 'spend', typed: ['settlements'], nouns: ['settlement', 'settlements'] },
  reversal: { category: 'spend', typed: ['reversals'], nouns: ['reversal', 'reversals'] },
  decline: { category: 'decline', typed: ['declines', 'declined'], nouns: ['decline', 'declines'] },
  'card-status': { category: 'status', typed: ['status', 'statuses'], nouns: ['status change', 'status changes'] },
  'card-shipping': {
    category: 'shipping',
    typed: ['shipping', 'shipped', 'shipment', 'shipments'],
    nouns: ['shipment', 'shipments'],
  },
  'virtual-card': {
    category: 'virtual',
    typed: ['virtual', 'virtual-cards'],
    nouns: ['virtual card', 'virtual cards'],
  },
} as const satisfies Record<string, KindTraits>;

export type WebhookKind = keyof typeof kinds;
export const webhookKinds = Object.keys(kinds) as readonly WebhookKind[];
export const kindTraits: Readonly<Record<WebhookKind, KindTraits>> = kinds;

/** The five kinds that carry a network transaction. Only their events have an amount and a merchant. */
export const transactionKinds = ['authorization', 'pin', 'settlement', 'reversal', 'decline'] as const;
export type TransactionKind = (typeof transactionKinds)[number];
export const isTransactionKind = (kind: WebhookKind): kind is TransactionKind =>
  transactionKinds.some((one) => one === kind);

/** Card statuses as webhooks write them. Read without regard to case. */
export const cardStatuses = ['INACTIVE', 'ACTIVE', 'BLOCKED', 'CLOSED'] as const;
export const CardStatus = z.enum(cardStatuses);
export type CardStatus = z.infer<typeof CardStatus>;

/** Absolute UTC time, ISO 8601 with up to seven fraction digits. Sorts as text. */
const Instant = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,7})?Z$/);

/** `evt_` and 80 bits of a hash of the fields that identify the event: see `eventId` in `src/webhooks/payload.ts`. */
const EventId = z.string().regex(/^evt_[0-9a-hjkmnp-tv-z]{16}$/);

const Cents = z.int();

const common = {
  id: EventId,
  /** When the service produced the webhook (`CallbackTime`). */
  callbackAt: Instant,
  receivedAt: Instant,
  /** The card account; calls about status and limits take this id. */
  acctId: z.int().positive(),
};

/**
 * What we keep of a network transaction. Amounts are unsigned whole cents; `direction` says which way the money went
 * from the card's point of view.
 *
 * Strict on purpose, like all events: a field that is not listed cannot reach the queue.
 */
export const TransactionEvent = z
  .strictObject({
    ...common,
    kind: z.enum(transactionKinds),
    /**
     * When this step happened. A reversal has no such field and gets the best estimate: see
     * `src/webhooks/step-times.ts`.
     */
    occurredAt: Instant,
    /** When the underlying authorization request was received, if the payload says so. */
    requestedAt: Instant,
    /** The payload refers to the request, so `requestedAt` is its time. Otherwise it may be that of this step. */
    isReferenced: z.literal(true).optional(),
    /** `SettlementTime` of a settlement, for reconciliation. Null for other kinds and when missing. */
    settledAt: Instant.nullable(),
    /** Shared by all steps of a purchase, so it does not identify a single step. */
    networkTransactionId: z.string(),
    authTransactionId: z.string().nullable(),
    networkType: z.enum(['Auth', 'Pin', 'Settlement', 'Reversal']),
    amountCents: Cents.nonnegative(),
    /** What the service reserves on top, for a tip or a full tank. Counts against the limits. */
    paddingCents: Cents.nonnegative().default(0),
    /** What of it counts against the balance, if that is something else. */
    balancePaddingCents: Cents.nonnegative().optional(),
    direction: z.enum(['debit', 'credit']),
    /** What the merchant asked for, which may be more (partial authorization). Null when absent. */
    requestedCents: Cents.nonnegative().nullable(),
    availableCents: Cents.nullable(),
    ledgerCents: Cents.nullable(),
    merchant: z.strictObject({
      name: z.string(),
      city: z.string(),
      state: z.string(),
      /** As sent: alpha-2, alpha-3 or numeric; empty when unknown. */
      country: z.string(),
      id: z.string(),
    }),
    mcc: z.string(),
    isCardPresent: z.boolean().nullable(),
    /** Only for declines: the service's code and message. */
    decline: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  })
  .brand<'StoredEvent'>();
export type TransactionEvent = z.infer<typeof TransactionEvent>;

/** Merchants for which the service reserves a fixed amount. For others, such as restaurants, it is a share. */
const fuelMccs = ['5541', '5542'];

/** The same purchase for another amount, with what the service reserves on top of that. */
export function withAmount(event: TransactionEvent, amountCents: number): TransactionEvent {
  const isFixed = event.amountCents === 0 || fuelMccs.includes(event.mcc);
  const scaled = (cents: number): number => (isFixed ? cents : Math.ceil((cents * amountCents) / event.amountCents));
  const { paddingCents, balancePaddingCents } = event;
  return {
    ...event,
    amountCents,
    paddingCents: scaled(paddingCents),
    ...(balancePaddingCents !== undefined && { balancePaddingCents: scaled(balancePaddingCents) }),
  };
}

/**
 * By how much a purchase, with what the service reserves on top, exceeds a balance; 0 if it does not, or if the balance is
 * not known.
 */
export function lackingCents(
  purchase: Pick<TransactionEvent, 'amountCents' | 'paddingCents' | 'balancePaddingCents'>,
  balanceCents: number | null,
): number {
  const { amountCents, paddingCents, balancePaddingCents = paddingCents } = purchase;
  return balanceCents === null ? 0 : Math.max(0, amountCents + balancePaddingCents - balanceCents);
}

/** Tips or a cheaper choice: by how much the amount that is paid may differ from the declined one. */
export function mayDifferBy(declinedCents: number): number {
  return declinedCents * 0.2;
}

/** A reversal without a time of its own, from a fetched row: `occurredAt` only puts it into its place among the steps. */
export function isUndated({ kind, callbackAt, requestedAt }: TransactionEvent): boolean {
  return kind === 'reversal' && callbackAt <= requestedAt;
}

/** What we keep of a card status change. */
export const CardStatusEvent = z
  .strictObject({
    ...common,
    kind: z.literal('card-status'),
    /** No webhook reported it: the service showed it at `callbackAt`, and nobody knows since when. */
    isSeen: z.literal(true).optional(),
    /** If only seen: the last time when the status was known to be another one. */
    changedAfter: Instant.optional(),
    holder: z.string(),
    customId: z.string().nullable(),
    cards: z
      .array(
        z.strictObject({
          cardId: z.int().positive(),
          last4: z.string(),
          status: CardStatus,
          cardOrderId: z.int().nullable(),
        }),
      )
      .min(1),
  })
  .brand<'StoredEvent'>();
export type CardStatusEvent = z.infer<typeof CardStatusEvent>;

/** A status that a card is known to have had. Ordered by `callbackAt`, never by arrival. Both times sort as text. */
export interface StatusRecord extends Pick<CardStatusEvent, 'callbackAt' | 'receivedAt' | 'changedAfter'> {
  readonly eventId: string;
  readonly status: CardStatus;
}

/** What we keep of a shipment. The tracking number of a known carrier is not masked. */
export const ShippingEvent = z
  .strictObject({
    ...common,
    kind: z.literal('card-shipping'),
    trackingNumber: z.string(),
    shippingMethod: z.string(),
    last4: z.string(),
    cardOrderId: z.int().nullable(),
  })
  .brand<'StoredEvent'>();
export type ShippingEvent = z.infer<typeof ShippingEvent>;

/** What we keep of a virtual card result: never the number, the code, the expiry or the account number. */
export const VirtualCardEvent = z
  .strictObject({
    ...common,
    /** Null when no card was created: the service sends zero or nothing. */
    acctId: z.int().positive().nullable(),
    kind: z.literal('virtual-card'),
    holder: z.string(),
    last4: z.string().nullable(),
    status: z.string().nullable(),
    balanceCents: Cents.nullable(),
    virtualCardOrderId: z.int().nullable(),
    /** From `Errors` and `Message`, which a resend does not have. */
    outcome: z.enum(['created', 'not_created', 'partial', 'resend']),
    /** Members of `Errors` other than Card: the follow-up steps that failed. */
    failed: z.array(z.string()),
    message: z.string(),
  })
  .brand<'StoredEvent'>();
export type VirtualCardEvent = z.infer<typeof VirtualCardEvent>;

/**
 * Everything the queue accepts. Only the schemas above produce this brand, and `redactTransaction`, whose own schema leaves
 * nothing for them to refuse.
 */
export const StoredEvent = z.discriminatedUnion('kind', [
  TransactionEvent,
  CardStatusEvent,
  ShippingEvent,
  VirtualCardEvent,
]);
export type StoredEvent = z.infer<typeof StoredEvent>;

/** Selects a card of an account by its id, or else by its last four digits. Neither: the card in use. */
export interface WhichCard {
  readonly cardId?: number | null | undefined;
  readonly last4?: string | null | undefined;
  /** The card has one of these. Default: any status except closed, unless the account has no other card. */
  readonly statuses?: readonly CardStatus[];
}

/** Which of the account's cards an event is about, if it says. */
export function whichCard(event: StoredEvent): WhichCard {
  switch (event.kind) {
    case 'card-status':
      return event.cards.length === 1 ? { cardId: event.cards[0]?.cardId } : {};
    case 'card-shipping':
      // Without digits: a new card.
      return { last4: event.last4 || null, statuses: ['INACTIVE'] };
    case 'virtual-card':
      return { last4: event.last4 || null };
    case 'authorization':
    case 'pin':
    case 'settlement':
    case 'reversal':
    case 'decline': {
      const code = declineCode(event.decline);
      if (code === 'decline.card.status') return { statuses: declinedStatuses(event.decline?.message ?? '') };
      // A card that pays, or fails only by a limit or a balance, has been activated. Its replacement may be in the mail.
      const isActivated = event.decline === null || /^decline\.(?:rule|balance)\./.test(code);
      return isActivated ? { statuses: ['ACTIVE', 'BLOCKED'] } : {};
    }
  }
}

/** Takes the place of a receiver's path for a network transaction fetched by recovery. */
export const FETCHED_PATH = 'network-transaction';

/** An authentic webhook that did not match its schema: redacted, but complete enough to be read again. */
export const QuarantinedWebhook = z
  .strictObject({
    /** `q_` and 16 digits. */
    id: z.string(),
    /** Path of its receiver. */
    path: z.string(),
    /** Paths and expectations, never values. */
    issues: z.array(z.string()),
    /** The redacted body. */
    body: z.unknown(),
    version: z.string().nullable(),
    receivedAt: z.string(),
  })
  .brand<'Quarantined'>();
export type QuarantinedWebhook = z.infer<typeof QuarantinedWebhook>;

/**
 * A decline code in comparable form: the service's own code, ignoring case and surrounding spaces.
 *
 * @returns an empty string when there is none.
 */
export function declineCode(decline: { readonly code: string } | null | undefined): string {
  return decline?.code.trim().toLowerCase() ?? '';
}

/** A decline by a rule of the card or of its ruleset. */
export function isByRule(decline: { readonly code: string } | null): boolean {
  return declineCode(decline).startsWith('decline.rule.');
}

const statusWords: readonly (readonly [RegExp, readonly CardStatus[]])[] = [
  [/clos/i, ['CLOSED']],
  [/pending/i, ['INACTIVE']],
  // The service has no words of its own for a blocked card.
  [/inactive/i, ['INACTIVE', 'BLOCKED']],
  [/block/i, ['BLOCKED']],
];

/** The service says that the card is new, and nothing else: it calls a blocked card inactive, never new. */
export function isSaidToBeNew(message: string): boolean {
  return declinedStatuses(message).every((status) => status === 'INACTIVE');
}

/** The statuses that a card may have had when it was declined for its status; a message may name several, or none. */
export function declinedStatuses(message: string): readonly CardStatus[] {
  const named = statusWords.flatMap(([word, statuses]) => (word.test(message) ? statuses : []));
  return named.length > 0 ? named : ['INACTIVE', 'BLOCKED', 'CLOSED'];
}
