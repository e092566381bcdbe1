import { z } from 'zod';

/** What is to be known of a kind of webhook wherever kinds are listed. */
interface KindTraits {
  /** Which configured channel its alerts go to, and how urgent they are. */
  readonly category: 'decline' | 'status' | 'shipping' | 'virtual' | 'spend';
  /** How people type it in a filter: first the word that is printed, then others for the same. */
  readonly typed: readonly [name: string, ...others: string[]];
  /** As it is counted: `1 shipment`, `2 shipments`. */
  readonly nouns: readonly [one: string, many: string];
  /** Whoever holds the card is notified too. */
  readonly isForHolders: boolean;
}

const spend = { category: 'spend', isForHolders: false } as const;

/** The eight kinds of webhook, under the names that the receivers' paths use. A new kind gets its row here. */
const kinds = {
  authorization: { ...spend, typed: ['authorizations', 'authorization'], nouns: ['purchase', 'purchases'] },
  pin: { ...spend, typed: ['pins', 'pin'], nouns: ['PIN purchase', 'PIN purchases'] },
  settlement: { ...spend, typed: ['settlements', 'settlement'], nouns: ['settlement', 'settlements'] },
  reversal: { ...spend, typed: ['reversals', 'reversal'], nouns: ['reversal', 'reversals'] },
  decline: {
    category: 'decline',
    typed: ['declines', 'decline', 'declined'],
    nouns: ['decline', 'declines'],
    isForHolders: true,
  },
  'card-status': {
    category: 'status',
    typed: ['status', 'statuses'],
    nouns: ['status change', 'status changes'],
    isForHolders: true,
  },
  'card-shipping': {
    category: 'shipping',
    typed: ['shipping', 'shipped', 'shipment', 'shipments'],
    nouns: ['shipment', 'shipments'],
    isForHolders: true,
  },
  'virtual-card': {
    category: 'virtual',
    typed: ['virtual'],
    nouns: ['virtual card', 'virtual cards'],
    isForHolders: true,
  },
} as const satisfies Record<string, KindTraits>;

export type WebhookKind = keyof typeof kinds;
export const webhookKinds = Object.keys(kinds) as readonly WebhookKind[];
export const kindTraits: Readonly<Record<WebhookKind, KindTraits>> = kinds;

/** The five kinds that carry a network transaction. */
export const transactionKinds = ['authorization', 'pin', 'settlement', 'reversal', 'decline'] as const;
export type TransactionKind = (typeof transactionKinds)[number];

/** Card statuses as the webhooks write them; compared without regard to case at the edge. */
export const cardStatuses = ['INACTIVE', 'ACTIVE', 'BLOCKED', 'CLOSED'] as const;
export const CardStatus = z.enum(cardStatuses);
export type CardStatus = z.infer<typeof CardStatus>;

/** Absolute UTC time, ISO 8601 with up to seven fraction digits: sorts as text. */
const Instant = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,7})?Z$/);

/** `evt_` and 80 bits of a hash over what makes the event itself: see `src/webhooks/payload.ts`. */
const EventId = z.string().regex(/^evt_[0-9a-hjkmnp-tv-z]{16}$/);

const Cents = z.int();

const common = {
  id: EventId,
  /** When the service produced the webhook (`CallbackTime`). */
  callbackAt: Instant,
  /** When we took it. */
  receivedAt: Instant,
  /** Card account: what status and limit calls take. */
  acctId: z.int().positive(),
};

/**
 * What we keep of a network transaction. Money is whole cents without sign: `direction` says which way it went, seen
 * from the card.
 *
 * Strict on purpose, as all events here: a field that is not listed cannot reach the queue.
 */
export const TransactionEvent = z
  .strictObject({
    ...common,
    kind: z.enum(transactionKinds),
    /**
     * When this step happened. The service does not say so of a reversal: then it is as near as the payload comes, see
     * `src/webhooks/transaction.ts`.
     */
    occurredAt: Instant,
    /** When the authorization request that it goes back to was received, as far as the payload says. */
    requestedAt: Instant,
    /** `SettlementTime` of a settlement, for reconciliation; null for all other kinds and where it is missing. */
    settledAt: Instant.nullable(),
    /** Shared by every step of one purchase, so never an identity by itself. */
    networkTransactionId: z.string(),
    authTransactionId: z.string().nullable(),
    networkType: z.enum(['Auth', 'Pin', 'Settlement', 'Reversal']),
    amountCents: Cents.nonnegative(),
    /** What the service sets aside on top, for a tip or a full tank: it must fit the limits as well. */
    paddingCents: Cents.nonnegative().default(0),
    direction: z.enum(['debit', 'credit']),
    /** What the merchant asked for, where it differs in meaning (partial authorization); null when absent. */
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
    /** Only on declines: the service's code and its own words. */
    decline: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  })
  .brand<'StoredEvent'>();
export type TransactionEvent = z.infer<typeof TransactionEvent>;

/** What we keep of a card status change. */
export const CardStatusEvent = z
  .strictObject({
    ...common,
    kind: z.literal('card-status'),
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

/** What we keep of a shipment. The tracking number is an identifier by contract and stays whole. */
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
    /** Zero or missing when no card came to be. */
    acctId: z.int().positive().nullable(),
    kind: z.literal('virtual-card'),
    holder: z.string(),
    last4: z.string().nullable(),
    status: z.string().nullable(),
    balanceCents: Cents.nullable(),
    virtualCardOrderId: z.int().nullable(),
    /** From `Errors` and `Message`; a resend carries neither. */
    outcome: z.enum(['created', 'not_created', 'partial', 'resend']),
    /** Members of `Errors` other than Card: the follow-ups that failed. */
    failed: z.array(z.string()),
    message: z.string(),
  })
  .brand<'StoredEvent'>();
export type VirtualCardEvent = z.infer<typeof VirtualCardEvent>;

/** The only thing that the queue accepts. Its brand is given by the schemas above and nowhere else. */
export const StoredEvent = z.discriminatedUnion('kind', [
  TransactionEvent,
  CardStatusEvent,
  ShippingEvent,
  VirtualCardEvent,
]);
export type StoredEvent = z.infer<typeof StoredEvent>;

/** Stands for the receiver of what no webhook brought: a network transaction that recovery fetched. */
export const FETCHED_PATH = 'network-transaction';

/** An authentic webhook that did not fit, as we keep it: redacted, and complete enough to be tried again. */
export const QuarantinedWebhook = z
  .strictObject({
    id: z.string(),
    /** The receiver it came by. */
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
 * The code of a decline as it is compared: the service's own, whatever its case and the blanks around it.
 *
 * @returns an empty text where there is none.
 */
export function declineCode(decline: { readonly code: string } | null | undefined): string {
  return decline?.code.trim().toLowerCase() ?? '';
}
