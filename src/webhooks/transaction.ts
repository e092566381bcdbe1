import { z } from 'zod';
import { TransactionEvent, type TransactionKind } from '../core/event.ts';
import { toCents } from '../core/money.ts';
import { toWallText } from '../core/service-time.ts';
import { eventId } from './event-id.ts';
import {
  type Circumstances,
  decimalForm,
  identifierForm,
  optionalDecimalForm,
  parseWith,
  positiveForm,
  readIdentifier,
  readInteger,
  readOptionalDecimal,
  readWords,
  textForm,
} from './payload.ts';
import { timesOf } from './step-time.ts';
import { hasCurrentSigns } from './version.ts';

const networkTypes = { auth: 'Auth', pin: 'Pin', settlement: 'Settlement', reversal: 'Reversal' } as const;
const kinds = { Auth: 'authorization', Pin: 'pin', Settlement: 'settlement', Reversal: 'reversal' } as const;

/** The five network webhooks share one field set; these are the fields that we use. */
const TransactionPayload = z.object({
  NetworkTransactionId: z.union([z.int(), z.string().regex(/^\s*\d+\s*$/)]),
  AcctId: positiveForm,
  TransactionId: identifierForm,
  TransactionTime: z.string(),
  SettlementTime: textForm.catch(null),
  MerchantLocalTime: textForm.catch(null),
  ReferencedTransactionTime: textForm.catch(null),
  AuthTransactionId: identifierForm,
  TransactionAmount: decimalForm,
  /** Only an addition: what cannot be read of it holds nothing up. */
  PaddingAmount: optionalDecimalForm.catch(null),
  AvailableBalance: optionalDecimalForm,
  LedgerBalance: optionalDecimalForm,
  MerchantName: textForm,
  MerchantCity: textForm,
  MerchantState: textForm,
  MerchantCountry: textForm,
  MerchantId: identifierForm,
  MCCCode: textForm,
  NetworkType: z.string().regex(/^\s*(auth|pin|settlement|reversal)\s*$/i),
  NetworkStatus: z
    .string()
    .regex(/^\s*(approved|declined)?\s*$/i)
    .nullish(),
  IsCardPresent: z.boolean().nullish(),
  Message: textForm,
  MessageCode: textForm,
  MerchantRequestedAmount: optionalDecimalForm,
});
export type TransactionPayload = z.infer<typeof TransactionPayload>;

/**
 * Payload → event. The sign of the amount ends here.
 *
 * Only settlements go both ways (a return is settled as a merchant credit); the direction of all other kinds follows
 * from the kind, whichever sign the version of the webhook writes.
 */
export function redactTransaction(data: unknown, circumstances: Circumstances): TransactionEvent {
  const payload = parseWith(TransactionPayload, data);
  const networkType = networkTypes[keyed(payload.NetworkType) as keyof typeof networkTypes];
  const code = readWords(payload.MessageCode);
  const kind = kindOf(networkType, payload.NetworkStatus, code);
  const amount = Number(payload.TransactionAmount);
  const direction = directionOf(kind, amount, circumstances.version);
  const amountCents = Math.abs(toCents(amount));
  const requested = centsOf(payload.MerchantRequestedAmount);
  const networkTransactionId = readIdentifier(payload.NetworkTransactionId);
  const authTransactionId = readIdentifier(payload.AuthTransactionId);

  return parseWith(TransactionEvent, {
    id: eventId([
      networkTransactionId,
      networkType,
      kind === 'decline' ? 'Declined' : 'Approved',
      toWallText(payload.TransactionTime, circumstances.zone),
      direction,
      amountCents,
      ...ownMarks(kind, payload, circumstances.zone),
    ]),
    kind,
    callbackAt: circumstances.callbackAt,
    receivedAt: circumstances.receivedAt,
    acctId: readInteger(payload.AcctId),
    ...timesOf(kind, payload, circumstances),
    networkTransactionId,
    authTransactionId: authTransactionId === '' ? null : authTransactionId,
    networkType,
    amountCents,
    paddingCents: Math.abs(centsOf(payload.PaddingAmount) ?? 0),
    direction,
    requestedCents: requested === null ? null : Math.abs(requested),
    availableCents: centsOf(payload.AvailableBalance),
    ledgerCents: centsOf(payload.LedgerBalance),
    merchant: {
      name: readWords(payload.MerchantName),
      city: readWords(payload.MerchantCity),
      state: readWords(payload.MerchantState),
      country: readWords(payload.MerchantCountry),
      id: readIdentifier(payload.MerchantId),
    },
    mcc: readWords(payload.MCCCode),
    isCardPresent: payload.IsCardPresent ?? null,
    decline: kind === 'decline' ? { code, message: readWords(payload.Message) } : null,
  });
}

/**
 * What tells a step apart from others of the same purchase, kind and amount.
 *
 * One authorization may be captured and reversed in several equal parts, and all of them may carry the time of its
 * request as their TransactionTime. A settlement has an id and a time of its own; of a reversal only the clock of the
 * terminal differs.
 */
function ownMarks(kind: TransactionKind, payload: TransactionPayload, zone: string): (string | null)[] {
  const wallText = (text: string | null | undefined): string | null => (text == null ? null : toWallText(text, zone));
  if (kind === 'settlement') return [readIdentifier(payload.TransactionId), wallText(payload.SettlementTime)];
  return kind === 'reversal' ? [wallText(payload.MerchantLocalTime)] : [];
}

/**
 * Kind of a network transaction, from `NetworkStatus` and `NetworkType`.
 *
 * `Description` is informational and never asked: a PIN transaction says "Settlement" there. `MessageCode` is null
 * unless declined, so it decides where the status is missing.
 */
function kindOf(
  networkType: TransactionEvent['networkType'],
  networkStatus: TransactionPayload['NetworkStatus'],
  code: string,
): TransactionKind {
  const status = keyed(networkStatus ?? '');
  if (status === 'declined' || (status === '' && /^decline\b/i.test(code))) return 'decline';
  return kinds[networkType];
}

/** As the service's own words for types and states are compared: it writes them in more than one way. */
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
