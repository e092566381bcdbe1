import type { AnyRecord } from '../card-api/schema.ts';
import type { TransactionEvent } from '../core/event.ts';
import { toInstant } from '../core/service-time.ts';
import { instantOf } from './payload.ts';
import { redactTransaction } from './transaction.ts';

/**
 * A row of the network transactions → the event that its webhook would have been, under the same id.
 *
 * The API writes today's signs, whatever version the webhooks have. It does not tell when a webhook was produced, so
 * the time of its settlement or of its request stands for that.
 *
 * @throws PayloadError when the row does not fit.
 */
export function toMissedTransaction(
  row: AnyRecord,
  { zone, receivedAt }: { zone: string; receivedAt: string },
): TransactionEvent {
  const transactionAt = instantOf('TransactionTime', String(row['TransactionTime']), zone);
  const settledAt = typeof row['SettlementTime'] === 'string' ? toInstant(row['SettlementTime'], zone) : null;
  const callbackAt = settledAt !== null && settledAt > transactionAt ? settledAt : transactionAt;
  return redactTransaction(row, { zone, receivedAt, callbackAt, version: undefined });
}
