import { purchaseElsewhere } from '../../templates/limits/temporary-change.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { Rule } from '../card-api/rule.ts';
import { isAboutLimits } from '../card-api/rule-change.ts';
import { mayDifferBy, type StoredEvent, type TransactionEvent } from '../core/event.ts';
import { isAbroad } from '../core/merchant-category.ts';
import { CLOCK_SKEW_MS, happenedSince } from '../core/service-time.ts';
import { foldName } from '../directory/card-query.ts';
import type { FitsMerchant } from './merchant-fit.ts';
import type { TemporaryChange, TemporaryChanges } from './temporary-change-store.ts';

interface Deps extends Pick<ActionTools, 'factsOf' | 'postToApprovals'> {
  readonly temporaryChanges: Pick<TemporaryChanges, 'all'>;
  readonly endTemporaryChangeNow: (temporaryChangeId: string) => Promise<void>;
  readonly fitsMerchant: FitsMerchant;
}

/**
 * Ends changes that were made for one purchase when it is authorized. Approvers read when another one used a rule that was
 * opened: they approved one amount at one merchant, but the card service cannot limit an opened rule to them. Idempotent.
 */
export function createEndPurchaseChanges(deps: Deps) {
  return async function endPurchaseChanges(event: StoredEvent): Promise<void> {
    if (event.kind !== 'authorization' && event.kind !== 'pin') return;
    for (const change of await deps.temporaryChanges.all()) {
      if (!isItsPurchase(change, event, deps.fitsMerchant)) continue;
      // Before the end: a change that has ended is not found again when the job of the event runs again.
      if (!isAsApproved(change, event)) await notifyApprovers(change, event);
      await deps.endTemporaryChangeNow(change.id);
    }
  };

  async function notifyApprovers(change: TemporaryChange, event: TransactionEvent): Promise<void> {
    const card = await deps.factsOf(change.acctId);
    const id = `purchase-elsewhere-${change.id}-${event.id}`;
    await deps.postToApprovals(id, purchaseElsewhere(change, event, card), card.group);
  }
}

/**
 * What a raised limit lets pass has an upper bound, so its purchase is the one at the same merchant that costs no more, except
 * for a tip: whatever the alert shows as the paid purchase ends the raise. An opened rule has none: the first purchase that needs it counts, wherever it is and whatever it costs. Without a decline, the
 * merchant is not known.
 */
function isItsPurchase(change: TemporaryChange, event: TransactionEvent, fitsMerchant: FitsMerchant): boolean {
  const { acctId, changes, purchase, state, openedAt } = change;
  if (purchase === null || state !== 'open' || acctId !== event.acctId) return false;
  // A shop that checks the card first, for $0.00, charges it afterwards.
  if (event.amountCents === 0) return false;
  const { declinedAt, maxCents } = purchase;
  const mostCents = declinedAt === null ? maxCents : maxCents + mayDifferBy(maxCents);
  if (isAboutLimits(changes) && event.amountCents > mostCents) return false;
  const openedMs = Date.parse(openedAt);
  // At any merchant, a purchase made just before would be taken for it. At the same one, the webhook of one made before the
  // decline may be late.
  const sinceMs = declinedAt === null ? openedMs : Math.max(openedMs - CLOCK_SKEW_MS, Date.parse(declinedAt));
  if (!happenedSince(sinceMs)(event)) return false;
  if (declinedAt === null || isThere(purchase, event)) return true;
  return changes.some(({ rule }) => isNeeded(rule, event, fitsMerchant));
}

/** Whether a purchase passes only because of an opened rule. */
function isNeeded(rule: Rule, { merchant, mcc, isCardPresent }: TransactionEvent, fitsMerchant: FitsMerchant): boolean {
  switch (rule.kind) {
    case 'international':
      return isAbroad(merchant);
    case 'card_not_present':
      return isCardPresent === false;
    case 'category':
      return fitsMerchant(rule.category.name, mcc) === true;
    case 'limit':
      return false;
  }
}

function isThere(purchase: Place, { merchant: { id, name } }: TransactionEvent): boolean {
  if (id.trim() !== '' && id.trim() === purchase.merchantId.trim()) return true;
  return foldName(name) !== '' && foldName(name) === foldName(purchase.merchant);
}

type Place = NonNullable<TemporaryChange['purchase']>;

/** Of raised limits, only the approved purchase is found. */
function isAsApproved({ changes, purchase }: TemporaryChange, event: TransactionEvent): boolean {
  if (purchase === null || purchase.declinedAt === null || isAboutLimits(changes)) return true;
  return isThere(purchase, event) && event.amountCents <= purchase.maxCents;
}
