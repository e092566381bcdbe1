import type { TransactionEvent } from '../core/event.ts';
import { isOpening, purchaseStateOf, taken } from './purchase-state.ts';
import { stepOf } from './purchase-store.ts';
import { groupPurchases, type Purchase } from './purchase-timeline.ts';

/** How many of them people are shown. */
export const PURCHASES_SHOWN = 5;

/**
 * The purchases among transactions, newest first, each as its authorization or PIN purchase with the amount that it
 * cost by now. An authorization of $0.00 only checks the card, and what was given back in full is no purchase.
 *
 * @param all with the settlements, refunds and reversals, which may name another merchant.
 */
export function latestPurchases(
  all: readonly TransactionEvent[],
  isWanted: (purchase: TransactionEvent) => boolean = () => true,
): TransactionEvent[] {
  const events = new Map(all.filter(({ kind }) => kind !== 'decline').map((event) => [stepOf(event), event]));
  return groupPurchases([...events.keys()])
    .flatMap((purchase) => {
      const opening = purchase.steps.find(isOpening);
      const event = opening === undefined ? undefined : events.get(opening);
      return event === undefined ? [] : [{ ...event, amountCents: costOf(purchase) }];
    })
    .filter((one) => one.amountCents > 0 && isWanted(one))
    .toSorted((a, b) => b.occurredAt.localeCompare(a.occurredAt));
}

/** What was captured and kept; before the capture, what is held. */
function costOf({ steps, inferred }: Purchase): number {
  const state = purchaseStateOf(steps.map((step) => ({ ...step, isInferred: inferred.has(step.eventId) })));
  return (taken(state) > 0 ? taken(state) - state.credited : state.held) - state.refunded;
}
