import { z } from 'zod';
import { TransactionEvent, type TransactionKind } from '../alert/event.ts';
import { toCents } from '../alert/money.ts';
import { eventId } from './identity.ts';
import {
  type Circumstances,
  decimal,
  identifier,
  instantOf,
  integer,
  optionalDecimal,
  parseWith,
  words,
} from './payload.ts';
import { toWallText } from './time.ts';
import { hasCurrentSigns } from './version.ts';

const networkTypes = { auth: 'Auth', pin: 'Pin', settlement: 'Settlement', reversal: 'Reversal' } as const;

/** The five network webhooks share one field set; these are the fields that we use. */
export const TransactionPayload = z.object({
  NetworkTransactionId: z.union([z.int(), z.string().trim().regex(/^\d+$/)]).transform(String),
  AcctId: integer.refine((id) => id > 0, 'expected a positive id'),
  TransactionTime: z.string(),
  AuthTransactionId: identifier,
  TransactionAmount: decimal,
  AvailableBalance: optionalDecimal,
  LedgerBalance: optionalDecimal,
  MerchantName: words,
  MerchantCity: words,
  MerchantState: words,
  MerchantCountry: words,
  MerchantId: identifier,
  MCCCode: words,
  NetworkType: z
    .string()
    .trim()
    .transform((text) => text.toLowerCase())
    .pipe(z.enum(['auth', 'pin', 'settlement', 'reversal']))
    .transform((type) => networkTypes[type]),
  NetworkStatus: z
    .string()
    .trim()
    .transform((text) => text.toLowerCase())
    .pipe(z.enum(['approved', 'declined', '']))
    .nullish(),
  IsCardPresent: z.boolean().nullish(),
  Message: words,
  MessageCode: words,
  MerchantRequestedAmount: optionalDecimal,
});
export type TransactionPayload = z.infer<typeof TransactionPayload>;

/**
 * Kind of a network transaction, from `NetworkStatus` and `NetworkType`.
 *
 * `Description` is informational and never asked: a PIN transaction says "Settlement" there. `MessageCode` is null
 * unless declined, so it decides where the status is missing.
 */
export function transactionKind(payload: TransactionPayload): TransactionKind {
  const isDeclined =
    payload.NetworkStatus === 'declined' || (!payload.NetworkStatus && /^decline\b/i.test(payload.MessageCode));
  if (isDeclined) return 'decline';
  const kinds = { Auth: 'authorization', Pin: 'pin', Settlement: 'settlement', Reversal: 'reversal' } as const;
  return kinds[payload.NetworkType];
}

/**
 * Payload → event. The sign of the amount ends here.
 *
 * Only settlements go both ways (a return is settled as a merchant credit); the direction of all other kinds follows
 * from the kind, whichever sign the version of the webhook writes.
 */
export function redactTransaction(data: unknown, circumstances: Circumstances): TransactionEvent {
  const payload = parseWith(TransactionPayload, data);
  const kind = transactionKind(payload);
  const direction = directionOf(kind, payload.TransactionAmount, circumstances.version);
  const amountCents = Math.abs(toCents(payload.TransactionAmount));
  const cents = (amount: number | null): number | null => (amount === null ? null : toCents(amount));
  const requested = cents(payload.MerchantRequestedAmount);

  return parseWith(TransactionEvent, {
    id: eventId([
      payload.NetworkTransactionId,
      payload.NetworkType,
      kind === 'decline' ? 'Declined' : 'Approved',
      toWallText(payload.TransactionTime, circumstances.zone),
      direction,
      amountCents,
    ]),
    kind,
    callbackAt: circumstances.callbackAt,
    receivedAt: circumstances.receivedAt,
    acctId: payload.AcctId,
    occurredAt: instantOf('TransactionTime', payload.TransactionTime, circumstances.zone, circumstances.callbackAt),
    networkTransactionId: payload.NetworkTransactionId,
    authTransactionId: payload.AuthTransactionId === '' ? null : payload.AuthTransactionId,
    networkType: payload.NetworkType,
    amountCents,
    direction,
    requestedCents: requested === null ? null : Math.abs(requested),
    availableCents: cents(payload.AvailableBalance),
    ledgerCents: cents(payload.LedgerBalance),
    merchant: {
      name: payload.MerchantName,
      city: payload.MerchantCity,
      state: payload.MerchantState,
      country: payload.MerchantCountry,
      id: payload.MerchantId,
    },
    mcc: payload.MCCCode,
    isCardPresent: payload.IsCardPresent ?? null,
    decline: kind === 'decline' ? { code: payload.MessageCode, message: payload.Message } : null,
  });
}

function directionOf(kind: TransactionKind, amount: number, version: string | undefined): 'debit' | 'credit' {
  if (kind === 'reversal') return 'credit';
  if (kind !== 'settlement') return 'debit';
  const isCredit = hasCurrentSigns(version) ? amount > 0 : amount < 0;
  return isCredit ? 'credit' : 'debit';
}
