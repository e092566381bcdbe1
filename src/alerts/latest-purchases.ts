import type { TransactionEvent } from '../core/event.ts';
import { isReversed } from './resolve-declines.ts';

const LATEST_MAX = 5;

/**
 * The latest purchases among transactions, newest first. An authorization of $0.00 only checks the card, and what was
 * taken back in full is no purchase.
 *
 * @param all with the reversals, which may name another merchant.
 */
export function latestPurchases(
  all: readonly TransactionEvent[],
  isWanted: (purchase: TransactionEvent) => boolean = () => true,
): TransactionEvent[] {
  return all
    .filter((one) => (one.kind === 'authorization' || one.kind === 'pin') && one.amountCents > 0 && isWanted(one))
    .filter((one) => !isReversed(one, all))
    .toSorted((a, b) => b.occurredAt.localeCompare(a.occurredAt))
    .slice(0, LATEST_MAX);
}
