import { AnyRecord } from '../card-api/schema.ts';
import type { StoredEvent, TransactionEvent } from '../core/event.ts';
import { FETCHED_PATH, type QuarantinedWebhook } from '../core/quarantined-webhook.ts';
import { toStoredEvent } from './kind.ts';
import { toMissedTransaction } from './missed-transaction.ts';

/**
 * What was kept aside, read once more: by then we may know its shape, or the sender may have mended it.
 *
 * @throws PayloadError when it still does not fit.
 */
export function reread(
  kept: QuarantinedWebhook,
  zone: string,
): { event: StoredEvent; isLate: false } | { event: TransactionEvent; isLate: true } {
  const { body, path, version, receivedAt } = kept;
  if (path === FETCHED_PATH) {
    return { event: toMissedTransaction(AnyRecord.parse(body), { zone, receivedAt }), isLate: true };
  }
  return { event: toStoredEvent(body, path, { zone, version: version ?? undefined, receivedAt }), isLate: false };
}
