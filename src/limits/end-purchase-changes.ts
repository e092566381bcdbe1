import { isAboutLimits } from '../card-api/rule-change.ts';
import type { StoredEvent, TransactionEvent } from '../core/event.ts';
import { happenedSince } from '../core/service-time.ts';
import { foldName } from '../directory/card-query.ts';
import type { TemporaryChange, TemporaryChanges } from './temporary-change-store.ts';

interface PurchaseDeps {
  readonly temporaryChanges: Pick<TemporaryChanges, 'all'>;
  readonly endTemporaryChangeNow: (temporaryChangeId: string) => Promise<void>;
}

/** Maximum difference between the service's clock and ours. */
const CLOCK_SKEW_MS = 60_000;

/** Ends a change that was made for one purchase when that purchase is authorized. Idempotent. */
export async function endPurchaseChanges(
  event: StoredEvent,
  { temporaryChanges, endTemporaryChangeNow }: PurchaseDeps,
): Promise<void> {
  if (event.kind !== 'authorization' && event.kind !== 'pin') return;
  for (const temporaryChange of await temporaryChanges.all())
    if (isItsPurchase(temporaryChange, event)) await endTemporaryChangeNow(temporaryChange.id);
}

/**
 * Matches by account, merchant and amount: a purchase at the same merchant that costs no more. What a raised limit lets pass
 * has an upper bound; an opened category or country has none, so it counts whatever it costs. Without a decline, the merchant
 * is not known.
 */
function isItsPurchase(change: TemporaryChange, event: TransactionEvent): boolean {
  const { acctId, purchase, state, openedAt } = change;
  if (purchase === null || state !== 'open' || acctId !== event.acctId) return false;
  // A shop that checks the card first, for $0.00, charges it afterwards.
  if (event.amountCents === 0) return false;
  if (isAboutLimits(change.changes) && event.amountCents > purchase.maxCents) return false;
  // At any merchant, a purchase made just before would be taken for it.
  const skewMs = purchase.isAnywhere === true ? 0 : CLOCK_SKEW_MS;
  if (!happenedSince(Date.parse(openedAt) - skewMs)(event)) return false;
  if (purchase.isAnywhere === true) return true;
  const { id, name } = event.merchant;
  if (id.trim() !== '' && id.trim() === purchase.merchantId.trim()) return true;
  return foldName(name) !== '' && foldName(name) === foldName(purchase.merchant);
}
