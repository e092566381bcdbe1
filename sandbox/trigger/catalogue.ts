import { toServiceTime, toServiceTimeMs } from '../service-time.ts';
import { DECLINE_CODES } from '../webhook/decline-code.ts';
import { isWebhookKind, WEBHOOK_KINDS, type WebhookKind } from '../webhook/kind.ts';
import { DATA_SCHEMAS, sampleOf } from '../webhook/schema.ts';

/** Something to trigger: a kind, or a decline with one code. */
export interface CatalogueEntry {
  readonly name: string;
  readonly kind: WebhookKind;
  readonly about: string;
  /** Fields that differ from the plain sample of its kind. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** How many one run may send. */
export const TIMES_MAX = 10_000;

const reference = {
  AuthTransactionId: 2465657071,
  ReferencedTranId: 2465657071,
  ReferencedTransactionTime: '2026-03-01T19:05:40',
};
const pinFields = {
  NetworkType: 'Pin',
  TerminalId: '12313123',
  MerchantCity: '',
  MerchantState: '',
  MerchantCountry: '',
  AuthIdentityResponseCode: '394297',
};

const KIND_ENTRIES: Readonly<Record<WebhookKind, Pick<CatalogueEntry, 'about' | 'fields'>>> = {
  authorization: { about: 'a signature purchase was approved and holds its amount', fields: {} },
  pin: { about: 'a PIN purchase debited the card', fields: { ...pinFields, Description: 'Settlement' } },
  settlement: {
    about: 'the merchant captured an authorization',
    fields: {
      ...reference,
      TransactionId: 2465657073,
      HoldTime: '2026-03-01T19:05:40',
      SettlementTime: '2026-03-02T12:31:07',
      Description: 'Settlement',
      NetworkType: 'Settlement',
      NetworkStatus: null,
    },
  },
  reversal: {
    about: 'the merchant took an authorization or a PIN purchase back',
    fields: {
      ...reference,
      TransactionAmount: 84.1,
      MerchantRequestedAmount: 84.1,
      Description: 'Reversal',
      NetworkType: 'Reversal',
      NetworkStatus: null,
    },
  },
  decline: { about: 'a purchase was not honored', fields: declineFields('decline.rule.velocity') },
  'card-status': { about: "a card's status changed", fields: {} },
  'card-shipping': { about: 'ordered cards were shipped', fields: {} },
  'virtual-card': { about: 'a virtual card order is complete (test number only)', fields: {} },
};

/** Every kind, then a decline of every code. */
export const CATALOGUE: readonly CatalogueEntry[] = [
  ...WEBHOOK_KINDS.map((kind) => ({ name: kind, kind, ...KIND_ENTRIES[kind] })),
  // The last code, `decline`, is also the name of the kind. The kind's sample has a more telling reason instead.
  ...DECLINE_CODES.filter(({ code }) => !isWebhookKind(code)).map(({ code, meaning }) => ({
    name: code,
    kind: 'decline' as const,
    about: `declined: ${meaning}`,
    fields: declineFields(code),
  })),
  {
    name: 'decline.other',
    kind: 'decline',
    about: 'declined: any other reason (code "decline")',
    fields: declineFields('decline'),
  },
];

/** The message for a decline code. Undefined for an unknown code. */
export function declineMessage(code: string): string | undefined {
  return DECLINE_CODES.find((entry) => entry.code === code)?.message;
}

function declineFields(code: string): Record<string, unknown> {
  return {
    ...(code === 'decline.card.pin' ? pinFields : {}),
    ...(code === 'decline.balance.card' ? { AvailableBalance: 60, LedgerBalance: 60 } : {}),
    ...(code === 'decline.rule.location' ? { MerchantCity: '', MerchantState: '', MerchantCountry: 'NO' } : {}),
    ...(code === 'decline.rule.cardnotpresent' ? { IsCardPresent: false } : {}),
    ...(code === 'decline.rule.mcc' ? { MCCCode: '5251', MerchantName: 'OAK HARDWARE' } : {}),
    ...(code === 'decline.mcc' ? { MCCCode: '7995', MerchantName: 'LUCKY SEVEN' } : {}),
    Description: 'Declined',
    NetworkStatus: 'Declined',
    AuthIdentityResponseCode: '',
    MessageCode: code,
    Message: declineMessage(code),
  };
}

/** The entry with a name. Undefined when there is none. */
export function entryOf(name: string): CatalogueEntry | undefined {
  return CATALOGUE.find((entry) => entry.name === name.toLowerCase());
}

/** The sample payload of an entry, made from its schema. */
export function sampleData(entry: CatalogueEntry): Record<string, unknown> {
  return { ...(sampleOf(DATA_SCHEMAS[entry.kind]) as Record<string, unknown>), ...structuredClone(entry.fields) };
}

/** The sample with current times and new ids, so that it is an event of its own. */
export function freshData(entry: CatalogueEntry, at: Date, serial: number): Record<string, unknown> {
  const local = toServiceTime(at);
  // Each millisecond has room for as many as one run sends. Short: a number of 13 digits could be a card number.
  const id = (at.getTime() % 100_000_000) * TIMES_MAX + serial;
  const fresh: Record<string, unknown> = {
    NetworkTransactionId: id,
    // Each settlement and reversal is of a purchase of its own. Otherwise two of them would be one purchase.
    AuthTransactionId: id,
    ReferencedTranId: id,
    ReferencedTransactionTime: local,
    HoldTime: local,
    // A parcel and an order are one event each, however often they are reported. The prefix is the carrier's.
    TrackingNumber: `9400111899${String(id).padStart(12, '0')}`,
    VirtualCardOrderId: id,
    TransactionTime: local,
    MerchantLocalTime: local,
    OrderDateTime: toServiceTimeMs(at),
    SettlementTime: local,
  };
  return Object.fromEntries(
    Object.entries(sampleData(entry)).map(([name, value]) => [
      name,
      value !== null && name in fresh ? fresh[name] : value,
    ]),
  );
}
