import type { TransactionEvent, TransactionKind } from '../core/event.ts';
import { toInstant } from '../core/service-time.ts';
import { instantOf, type WebhookContext } from './payload.ts';

export type StepTimes = Pick<TransactionEvent, 'occurredAt' | 'requestedAt' | 'isReferenced' | 'settledAt'>;

interface TimeFields {
  readonly TransactionTime: string;
  readonly SettlementTime?: string | null | undefined;
  readonly MerchantLocalTime?: string | null | undefined;
  readonly ReferencedTransactionTime?: string | null | undefined;
}

/**
 * When a step happened, and when its purchase was requested.
 *
 * According to the specification, TransactionTime is when the authorization request was received. In some payloads of
 * later steps it is the time of the step instead. This handles both:
 *
 * - A settlement happened at its SettlementTime.
 * - A reversal has no such field. It happened at its TransactionTime if that is later than the purchase it refers to,
 *   otherwise at its CallbackTime. A row of the API has none; then the terminal's clock puts it into its place among the
 *   steps, if it lies between the purchase and now. That clock has a zone of its own, so the time is not shown.
 *
 * @throws PayloadError when TransactionTime is not a datetime.
 */
export function stepTimes(kind: TransactionKind, fields: TimeFields, circumstances: WebhookContext): StepTimes {
  const { zone, callbackAt } = circumstances;
  const transactionAt = instantOf('TransactionTime', fields.TransactionTime, zone, callbackAt);
  if (kind !== 'settlement' && kind !== 'reversal') {
    return { occurredAt: transactionAt, requestedAt: transactionAt, settledAt: null };
  }
  const referencedAt = toInstant(fields.ReferencedTransactionTime ?? '', zone, transactionAt);
  const requestedAt = referencedAt !== null && referencedAt < transactionAt ? referencedAt : transactionAt;
  const isReferenced = referencedAt === requestedAt ? true : undefined;
  if (kind === 'reversal') {
    const isOwnTime = requestedAt < transactionAt;
    const occurredAt = isOwnTime ? transactionAt : reversedAt(transactionAt, fields, circumstances);
    return { occurredAt, requestedAt, isReferenced, settledAt: null };
  }
  const settledAt = toInstant(fields.SettlementTime ?? '', zone, callbackAt);
  return { occurredAt: settledAt ?? transactionAt, requestedAt, isReferenced, settledAt };
}

function reversedAt(requestedAt: string, fields: TimeFields, { zone, callbackAt, receivedAt }: WebhookContext): string {
  if (callbackAt > requestedAt) return callbackAt;
  const localAt = toInstant(fields.MerchantLocalTime ?? '', zone, receivedAt);
  return localAt !== null && localAt > requestedAt && localAt <= receivedAt ? localAt : requestedAt;
}
