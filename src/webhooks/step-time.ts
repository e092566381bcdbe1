import type { TransactionEvent, TransactionKind } from '../core/event.ts';
import { toInstant } from '../core/service-time.ts';
import { type Circumstances, instantOf } from './payload.ts';
import type { TransactionPayload } from './transaction.ts';

type Times = Pick<TransactionEvent, 'occurredAt' | 'requestedAt' | 'settledAt'>;
type TimeFields = Pick<
  TransactionPayload,
  'TransactionTime' | 'SettlementTime' | 'MerchantLocalTime' | 'ReferencedTransactionTime'
>;

/**
 * When a step happened, and when the purchase it belongs to was asked for.
 *
 * The specification calls TransactionTime the time at which the authorization request was received; in some payloads of
 * later steps it is the time of the step instead. Both readings are right here:
 *
 * - A settlement happened at its SettlementTime.
 * - A reversal has no time of its own. Its TransactionTime is one when it is later than the purchase it refers to.
 *   Otherwise it happened when it was told; a row of the API was never told, so the terminal's clock stands in, as long
 *   as it lies between the purchase and now.
 *
 * @throws PayloadError when TransactionTime is no datetime.
 */
export function timesOf(kind: TransactionKind, fields: TimeFields, circumstances: Circumstances): Times {
  const { zone, callbackAt } = circumstances;
  const transactionAt = instantOf('TransactionTime', fields.TransactionTime, zone, callbackAt);
  if (kind !== 'settlement' && kind !== 'reversal') {
    return { occurredAt: transactionAt, requestedAt: transactionAt, settledAt: null };
  }
  const referencedAt = toInstant(fields.ReferencedTransactionTime ?? '', zone, transactionAt);
  const requestedAt = referencedAt !== null && referencedAt < transactionAt ? referencedAt : transactionAt;
  if (kind === 'reversal') {
    const isOwnTime = requestedAt < transactionAt;
    const occurredAt = isOwnTime ? transactionAt : reversedAt(transactionAt, fields, circumstances);
    return { occurredAt, requestedAt, settledAt: null };
  }
  const settledAt = toInstant(fields.SettlementTime ?? '', zone, callbackAt);
  return { occurredAt: settledAt ?? transactionAt, requestedAt, settledAt };
}

function reversedAt(requestedAt: string, fields: TimeFields, { zone, callbackAt, receivedAt }: Circumstances): string {
  if (callbackAt > requestedAt) return callbackAt;
  const localAt = toInstant(fields.MerchantLocalTime ?? '', zone, receivedAt);
  return localAt !== null && localAt > requestedAt && localAt <= receivedAt ? localAt : requestedAt;
}
