import type { AnyRecord } from '../card-api/schema.ts';
import type { TransactionEvent } from '../core/event.ts';
import { instantOf } from './payload.ts';
import { redactTransaction } from './transaction.ts';

/**
 * A row of the network transactions → the event that its webhook would have been, under the same id.
 *
 * The API writes today's signs, whatever version the webhooks have. It does not tell when a webhook was produced, so
 * the event's own time stands for that.
 *
 * @throws PayloadError when the row does not fit.
 */
export function toMissedTransaction(
  row: AnyRecord,
  { zone, receivedAt }: { zone: string; receivedAt: string },
): TransactionEvent {
  const callbackAt = instantOf('TransactionTime', String(row['TransactionTime']), zone);
  return redactTransaction(row, { zone, receivedAt, callbackAt, version: undefined });
}
