import type { StoredEvent, TransactionEvent } from '../core/event.ts';
import { nameWords } from '../directory/card-query.ts';
import type { TemporaryChange, TemporaryChanges } from './temporary-change-store.ts';

interface Deps {
  readonly temporaryChanges: Pick<TemporaryChanges, 'all'>;
  readonly endTemporaryChangeNow: (temporaryChangeId: string) => Promise<void>;
}

/** The service's clock and ours may disagree by this much. */
const CLOCK_SKEW_MS = 60_000;

/** A change that was made for one purchase ends when that purchase is authorized. Safe to repeat. */
export async function endPurchaseChanges(
  event: StoredEvent,
  { temporaryChanges, endTemporaryChangeNow }: Deps,
): Promise<void> {
  if (event.kind !== 'authorization' && event.kind !== 'pin') return;
  for (const temporaryChange of await temporaryChanges.all())
    if (isItsPurchase(temporaryChange, event)) await endTemporaryChangeNow(temporaryChange.id);
}

/** By account, merchant and amount: a purchase of the same merchant that costs no more. */
function isItsPurchase({ acctId, purchase, state, openedAt }: TemporaryChange, event: TransactionEvent): boolean {
  if (purchase === null || state !== 'open' || acctId !== event.acctId) return false;
  if (event.amountCents > purchase.maxCents) return false;
  if (Date.parse(event.occurredAt) < Date.parse(openedAt) - CLOCK_SKEW_MS) return false;
  const { id, name } = event.merchant;
  if (id.trim() !== '' && id.trim() === purchase.merchantId.trim()) return true;
  return fold(name) !== '' && fold(name) === fold(purchase.merchant);
}

const fold = (name: string): string => nameWords(name).join('');
