import { z } from 'zod';
import { CARD_STATUSES } from '../state/account.ts';
import type { WebhookKind } from './kind.ts';

/** A local datetime of the service: Eastern, no offset. Orders add milliseconds. */
export const LocalTime = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,7})?$/);

/** A field with its value in samples. */
function field<T extends z.ZodType>(schema: T, example: z.input<T>): T {
  return schema.meta({ examples: [example] });
}

const text = (example: string): z.ZodString => field(z.string(), example);
const amount = (example: number): z.ZodNumber => field(z.number(), example);
const whole = (example: number): z.ZodInt => field(z.int(), example);
const time = (example = '2026-03-02T12:31:07'): typeof LocalTime => field(LocalTime, example);

/** The fields that all five network webhooks share. */
export const NetworkData = z.strictObject({
  NetworkTransactionId: whole(2265018),
  TransactionId: field(z.int().nullable(), null),
  AcctId: whole(610001),
  TransactionTime: time(),
  HoldTime: field(LocalTime.nullable(), null),
  SettlementTime: field(LocalTime.nullable(), null),
  MerchantLocalTime: time(),
  AuthTransactionId: field(z.int().nullable(), null),
  TransactionAmount: amount(-84.1),
  PaddingAmount: amount(0),
  AvailableBalance: amount(1250),
  LedgerBalance: amount(1250),
  TransactionType: field(z.literal('NETWORK'), 'NETWORK'),
  Description: text('Pending'),
  TransactionNotes: field(z.string().nullable(), null),
  ReferencedTranId: field(z.int().nullable(), null),
  ReferencedTransactionTime: field(LocalTime.nullable(), null),
  MerchantName: text('CORNER DINER'),
  MerchantCity: text('FORT WORTH'),
  MerchantState: text('TX'),
  MerchantZip: text('76102    '),
  MerchantCountry: text('US'),
  MCCCode: text('5812'),
  AuthIdentityResponseCode: text('529958'),
  MerchantId: text('445301978521'),
  TerminalId: text('6548526 '),
  NetworkType: field(z.enum(['Auth', 'Pin', 'Settlement', 'Reversal']), 'Auth'),
  NetworkStatus: field(z.enum(['Approved', 'Declined']).nullable(), 'Approved'),
  IsCardPresent: field(z.boolean(), true),
  Message: field(z.string().nullable(), null),
  MessageCode: field(z.string().nullable(), null),
  MerchantRequestedAmount: amount(-84.1),
});

/** An authorization may omit the requested amount: see `requestedAmountOfAuthorizations` in the assumptions. */
const AuthorizationData = NetworkData.extend({ MerchantRequestedAmount: z.number().optional() });

/** A card as listed in the Card Status Change webhook. */
export const CardListEntry = z.strictObject({
  CardId: whole(82002),
  IssueDate: time('2025-11-26T00:00:00'),
  ExpirationDate: time('2028-11-30T00:00:00'),
  Last4CardNumber: text('5072'),
  CardStatus: field(z.enum(CARD_STATUSES), 'BLOCKED'),
  CardOrderId: whole(55201),
});

export const CardStatusData = z.strictObject({
  AcctId: whole(610001),
  TransactionType: field(z.literal('CARD'), 'CARD'),
  Description: text('Status Change'),
  FirstName: text('Maya'),
  LastName: text('Okafor'),
  CustomId: field(z.string().max(50), 'F1Q52343SF'),
  CardList: z.array(CardListEntry),
});

export const CardShippingData = z.strictObject({
  AcctId: whole(610011),
  TransactionType: field(z.literal('CARDORDER'), 'CARDORDER'),
  Description: text('Shipped'),
  TrackingNumber: text('9400111899000000055211'),
  ShippingMethod: text('USPS'),
  Last4CardNumber: text('3452'),
  CardOrderId: whole(55211),
});

/** The number is a well-known test number. */
export const VirtualCardData = z.strictObject({
  AccountId: whole(610029),
  AccountNumber: text('10000000610029'),
  FirstName: text('Cloud'),
  LastName: text('Hosting'),
  CardNumber: field(z.string().regex(/^(\d{16})?$/), '4111118206004374'),
  ExpirationDate: field(LocalTime.nullable(), '2028-11-30T00:00:00'),
  CVV2: field(z.string().regex(/^(\d{3})?$/), '123'),
  Status: field(z.enum(['ACTIVE', 'INACTIVE']), 'ACTIVE'),
  Balance: amount(400),
  VirtualCardOrderId: whole(55231),
  OrderDateTime: time('2026-03-02T12:31:07.124'),
  Errors: field(z.array(z.enum(['Card', 'Group', 'Ruleset', 'Activation', 'Funding'])), []),
  Message: text('Account Creation Successful'),
});

/** Envelope of every webhook. */
export const Envelope = z.strictObject({
  CallbackTime: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}[+-]\d\d:\d\d$/),
  Data: z.record(z.string(), z.unknown()),
});

/** The schema of each kind's `Data`: exactly the fields of the specification. */
export const DATA_SCHEMAS = {
  authorization: AuthorizationData,
  pin: NetworkData,
  settlement: NetworkData,
  reversal: NetworkData,
  decline: NetworkData,
  'card-status': CardStatusData,
  'card-shipping': CardShippingData,
  'virtual-card': VirtualCardData,
} as const satisfies Record<WebhookKind, z.ZodObject>;

/** The sample built from a schema's examples. */
export function sampleOf(schema: z.ZodType): unknown {
  const examples: unknown = schema.meta()?.examples;
  if (Array.isArray(examples)) return examples[0] as unknown;
  if (schema instanceof z.ZodArray) return [sampleOf(schema.element as z.ZodType)];
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape).filter(([, part]) => !(part instanceof z.ZodOptional));
    return Object.fromEntries(fields.map(([name, part]) => [name, sampleOf(part as z.ZodType)]));
  }
  throw new Error('a field of the schema has no example');
}
