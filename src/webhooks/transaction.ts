import { z } from 'zod';
import type { AnyRecord } from '../card-api/schema.ts';
import { maskCardNumbers } from '../core/card-number.ts';
import { PayloadError } from '../core/errors.ts';
import type { TransactionEvent, TransactionKind } from '../core/event.ts';
import { toCents } from '../core/money.ts';
import { toInstant, toWallText } from '../core/service-time.ts';
import {
  decimalForm,
  eventId,
  identifierForm,
  instantOf,
  isPhoneNumber,
  optionalDecimalForm,
  positiveForm,
  quickCheckOfObject,
  readIdentifier,
  readInteger,
  readOptionalDecimal,
  readPayload,
  readWords,
  requiredTextForm,
  textForm,
  type WebhookContext,
  withQuickCheck,
} from './payload.ts';
import { type StepTimes, stepTimes } from './step-times.ts';

const networkTypes = { auth: 'Auth', pin: 'Pin', settlement: 'Settlement', reversal: 'Reversal' } as const;
const kinds = { Auth: 'authorization', Pin: 'pin', Settlement: 'settlement', Reversal: 'reversal' } as const;

/** The fields we use of the network transaction payload, which five kinds share. */
const TransactionPayload = z.object({
  /** Quarantine masks one that could be a card number. */
  NetworkTransactionId: withQuickCheck(z.union([z.int(), z.string().regex(/^\s*[\d•]+\s*$/)]), Number.isSafeInteger),
  AcctId: positiveForm,
  TransactionId: identifierForm,
  TransactionTime: requiredTextForm,
  SettlementTime: textForm,
  MerchantLocalTime: textForm,
  ReferencedTransactionTime: textForm,
  AuthTransactionId: identifierForm,
  TransactionAmount: decimalForm,
  PaddingAmount: optionalDecimalForm,
  AvailableBalance: optionalDecimalForm,
  LedgerBalance: optionalDecimalForm,
  MerchantName: textForm,
  MerchantCity: textForm,
  MerchantState: textForm,
  MerchantCountry: textForm,
  MerchantId: identifierForm,
  MCCCode: identifierForm,
  NetworkType: withQuickCheck(
    z.string().regex(/^\s*(auth|pin|settlement|reversal)\s*$/i),
    (value) => typeof value === 'string' && Object.hasOwn(kinds, value),
  ),
  NetworkStatus: withQuickCheck(
    z
      .string()
      .regex(/^\s*(approved|declined)?\s*$/i)
      .nullish(),
    (value) => value === 'Declined' || value === 'Approved' || value === null,
  ),
  IsCardPresent: withQuickCheck(z.boolean().nullish(), (value) => typeof value === 'boolean' || value === null),
  Message: textForm,
  MessageCode: textForm,
  MerchantRequestedAmount: optionalDecimalForm,
});
type TransactionPayload = z.infer<typeof TransactionPayload>;

/** What is unreadable in one of these does not reject the webhook: an alert says less, and remains true. */
const inessential: ReadonlySet<string> = new Set<keyof TransactionPayload>([
  'SettlementTime',
  'MerchantLocalTime',
  'ReferencedTransactionTime',
  'PaddingAmount',
  'AvailableBalance',
  'LedgerBalance',
  'MerchantRequestedAmount',
  'MerchantName',
  'MerchantCity',
  'MerchantState',
  'MerchantCountry',
  'MerchantId',
  'MCCCode',
  'IsCardPresent',
  'Message',
]);

/** True for nearly all payloads. What is spelled otherwise, or does not fit, is left to the schema. */
const isUsual = quickCheckOfObject(TransactionPayload);

/**
 * Payload → event, with an unsigned amount.
 *
 * Only settlements go both ways, because a return is settled as a merchant credit. For all other kinds the direction
 * follows from the kind, whatever sign this version of the webhook uses.
 */
export function redactTransaction(data: unknown, circumstances: WebhookContext): TransactionEvent {
  const payload = isUsual(data) ? data : readPayload(TransactionPayload, data, inessential, circumstances.onIgnored);
  const networkType = networkTypeOf(payload);
  const kind = kindOf(networkType, payload, data);
  const amount = Number(payload.TransactionAmount);
  const direction = directionOf(kind, amount, circumstances.version);
  const ownCents = Math.abs(toCents(amount));
  // Zero is no request.
  const requestedCents = Math.abs(centsOf(payload.MerchantRequestedAmount) ?? 0) || null;
  // Nothing of a decline is paid: if it has no amount of its own, the requested one is what was tried.
  const amountCents = (kind === 'decline' && ownCents === 0 ? requestedCents : null) ?? ownCents;
  const networkTransactionId = readIdentifier(payload.NetworkTransactionId);
  const acctId = readInteger(payload.AcctId);
  const { occurredAt, requestedAt, isReferenced, settledAt } = stepTimes(kind, payload, circumstances);

  // Without a spread: fields that follow one are slow to define.
  const event: z.input<typeof TransactionEvent> = {
    id: eventId([
      acctId,
      networkTransactionId,
      networkType,
      kind === 'decline' ? 'Declined' : 'Approved',
      timeMark(payload.TransactionTime, kind, payload, circumstances.zone),
      direction,
      ownCents,
      ...ownMarks(kind, payload, circumstances.zone),
    ]),
    kind,
    callbackAt: circumstances.callbackAt,
    receivedAt: circumstances.receivedAt,
    acctId,
    occurredAt,
    requestedAt,
    isReferenced,
    settledAt,
    networkTransactionId,
    authTransactionId: referenceOf(payload.AuthTransactionId),
    networkType,
    amountCents,
    paddingCents: Math.abs(centsOf(payload.PaddingAmount) ?? 0),
    direction,
    requestedCents,
    availableCents: centsOf(payload.AvailableBalance),
    ledgerCents: centsOf(payload.LedgerBalance),
    merchant: merchantOf(payload),
    mcc: readIdentifier(payload.MCCCode),
    isCardPresent: payload.IsCardPresent ?? null,
    decline: kind === 'decline' ? { code: readWords(payload.MessageCode), message: readWords(payload.Message) } : null,
  };
  // The payload's schema leaves nothing that the event's schema would refuse, so it is checked only where it is read.
  return event as TransactionEvent;
}

/** A card number that is split over what people see next to each other leaves one text, the name. */
function merchantOf(payload: TransactionPayload): TransactionEvent['merchant'] {
  const merchant = {
    name: readWords(payload.MerchantName),
    city: readWords(payload.MerchantCity),
    state: readWords(payload.MerchantState),
    country: readWords(payload.MerchantCountry),
    id: readIdentifier(payload.MerchantId),
  };
  const { name, city, state, country } = merchant;
  const isCode = country.trim().length <= 3;
  const place = `${city} ${state} ${isCode ? '' : country}`;
  if (!/\p{Nd}/u.test(place) || isPhoneNumber(city)) return merchant;
  const whole = `${name} ${place}`;
  const masked = maskCardNumbers(whole);
  if (masked === whole) return merchant;
  return { ...merchant, name: masked.trim(), city: '', state: '', country: isCode ? country : '' };
}

/**
 * What distinguishes a step from others of the same purchase, kind and amount.
 *
 * An authorization may be captured and reversed in several equal parts, and all of them may have their request's time
 * as TransactionTime. A settlement has its own id and time. Reversals differ only in the terminal's clock: an own id, which
 * their webhooks lack, would make a fetched one another reversal.
 */
function ownMarks(kind: TransactionKind, payload: TransactionPayload, zone: string): (string | null)[] {
  const timeOf = (text: string | null | undefined): string | null =>
    text == null ? null : timeMark(text, kind, payload, zone);
  if (kind === 'settlement') return [referenceOf(payload.TransactionId), timeOf(payload.SettlementTime)];
  return kind === 'reversal' ? [timeOf(payload.MerchantLocalTime)] : [];
}

/**
 * A time in the id of an event. A webhook may write fractions of a second that the API leaves out. They count only where
 * nothing else distinguishes two steps in the same second: a request has its own NetworkTransactionId, a settlement its own id.
 */
function timeMark(text: string, kind: TransactionKind, { TransactionId }: TransactionPayload, zone: string): string {
  const wall = toWallText(text, zone);
  const hasOwnId = kind === 'settlement' ? referenceOf(TransactionId) !== null : kind !== 'reversal';
  return hasOwnId ? wall.replace(/\.\d+$/, '') : wall;
}

/** Zero is no reference: it would tie all purchases at a merchant together. */
function referenceOf(id: TransactionPayload['TransactionId']): string | null {
  const reference = readIdentifier(id);
  return /^0*$/.test(reference) ? null : reference;
}

/**
 * The kind of a network transaction, from `NetworkStatus` and `NetworkType`.
 *
 * `Description` is informational and ignored: for a PIN transaction it is "Settlement". Settlements and reversals have no
 * status. Authorizations and PIN transactions have one; if it is missing, `MessageCode` and `Message` decide, which are null
 * unless declined.
 *
 * @param data the payload as it came.
 * @throws PayloadError when only the `Message` could decide, and it is unreadable.
 */
function kindOf(
  networkType: TransactionEvent['networkType'],
  { NetworkStatus, MessageCode, Message }: TransactionPayload,
  data: unknown,
): TransactionKind {
  const status = keyed(NetworkStatus ?? '');
  const isPurchase = networkType === 'Auth' || networkType === 'Pin';
  const reason = keyed(`${MessageCode ?? ''} ${Message ?? ''}`);
  const hasReason = reason !== '' && !reason.startsWith('approved');
  const isUnreadable = Message == null && (data as Partial<TransactionPayload>).Message != null;
  if (isPurchase && status === '' && reason === '' && isUnreadable) {
    throw new PayloadError(['Message: expected string, because NetworkStatus is missing']);
  }
  return status === 'declined' || (isPurchase && status === '' && hasReason) ? 'decline' : kinds[networkType];
}

function networkTypeOf({ NetworkType }: Pick<TransactionPayload, 'NetworkType'>): TransactionEvent['networkType'] {
  return networkTypes[keyed(NetworkType) as keyof typeof networkTypes];
}

/** The service spells its types and states in more than one way. */
function keyed(text: string): string {
  return text.trim().toLowerCase();
}

function centsOf(amount: TransactionPayload['AvailableBalance']): number | null {
  const dollars = readOptionalDecimal(amount);
  return dollars === null ? null : toCents(dollars);
}

function directionOf(kind: TransactionKind, amount: number, version: string | undefined): 'debit' | 'credit' {
  if (kind === 'reversal') return 'credit';
  if (kind !== 'settlement') return 'debit';
  const isCredit = hasCurrentSigns(version) ? amount > 0 : amount < 0;
  return isCredit ? 'credit' : 'debit';
}

/** First webhook version with negative debits. Specification, "Versioning" 3. */
const SIGNS_CHANGED_IN = [2, 0, 1, 3];

/**
 * Whether amounts use the current signs (debits negative, credits positive), according to `X-SERVICE-Version`.
 *
 * A missing or unreadable version counts as current, because a later description of the service omits the header.
 */
export function hasCurrentSigns(version: string | undefined): boolean {
  const text = version?.trim() ?? '';
  if (!/^\d{1,9}(\.\d{1,9}){0,9}$/.test(text)) return true;
  const numbers = text.split('.').map(Number);
  for (const [index, wanted] of SIGNS_CHANGED_IN.entries()) {
    const given = numbers[index] ?? 0;
    if (given !== wanted) return given > wanted;
  }
  return true;
}

/**
 * Converts a row of the network transactions to the event that its webhook would have produced, with the same id.
 *
 * The API uses the current signs, whatever the webhooks' version. It does not say when the webhook was produced, so the
 * time of the settlement or of the request is used instead.
 *
 * @throws PayloadError when the row does not match.
 */
export function toMissedTransaction(row: AnyRecord, fetched: Fetched): TransactionEvent {
  return redactTransaction(row, contextOf(row, fetched));
}

type Fetched = Pick<WebhookContext, 'zone' | 'receivedAt'>;

/** @throws PayloadError when TransactionTime is not a datetime. */
function contextOf(row: AnyRecord, { zone, receivedAt }: Fetched): WebhookContext {
  const transactionAt = instantOf('TransactionTime', String(row['TransactionTime']), zone, receivedAt);
  const settledAt = toInstant(String(row['SettlementTime']), zone, receivedAt);
  const callbackAt = settledAt !== null && settledAt > transactionAt ? settledAt : transactionAt;
  return { zone, receivedAt, callbackAt, version: undefined };
}

const RowTimes = TransactionPayload.pick({
  NetworkType: true,
  TransactionTime: true,
  SettlementTime: true,
  MerchantLocalTime: true,
  ReferencedTransactionTime: true,
});

/**
 * The kind and the times of a row that does not match because of other fields. A decline counts as its authorization.
 * Null when these cannot be read either.
 */
export function timesOfMisfit(
  row: AnyRecord,
  fetched: Fetched,
): (Omit<StepTimes, 'isReferenced'> & Pick<TransactionEvent, 'kind'>) | null {
  try {
    const fields = readPayload(RowTimes, row, inessential);
    const kind = kinds[networkTypeOf(fields)];
    const { isReferenced: _, ...times } = stepTimes(kind, fields, contextOf(row, fetched));
    return { kind, ...times };
  } catch (error) {
    if (error instanceof PayloadError) return null;
    throw error;
  }
}
