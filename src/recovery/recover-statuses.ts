import type { CardStatus, CardStatusEvent } from '../core/event.ts';
import type { DirectoryAccount } from '../directory/account.ts';
import type { Backfilled } from './backfilled-store.ts';

/** A card whose status changed, as the API shows it, without a webhook that told it. */
export interface UnreportedStatus {
  readonly acctId: number;
  readonly holder: string;
  readonly customId: string | null;
  readonly card: { readonly cardId: number; readonly last4: string; readonly status: CardStatus };
  /** What was told last; a null status for a card that is new. */
  readonly was: { readonly status: CardStatus | null; readonly seenAt: string };
  /** When the API showed it. */
  readonly seenAt: string;
}

interface Deps {
  readonly accounts: () => AsyncIterable<DirectoryAccount>;
  readonly holderOf: (account: DirectoryAccount) => string | null;
  readonly toEvent: (unreported: UnreportedStatus) => CardStatusEvent;
  readonly backfilled: Backfilled;
  /** Stores it, marked as late, unless it was. @returns how many were new. */
  readonly take: (events: readonly CardStatusEvent[]) => Promise<number>;
  readonly now: () => number;
}

/**
 * Tells each card whose status the API shows to be another than was told: one late alert a card, with the status it has
 * now. Safe to repeat: the same change is the same event.
 *
 * @param unexplainedMs how long a webhook may take to come by itself.
 * @returns how many were told.
 */
export async function recoverStatuses(unexplainedMs: number, deps: Deps): Promise<number> {
  let told = 0;
  for await (const account of deps.accounts()) {
    for (const { cardId, last4, status, seenAt, was } of account.cards) {
      if (was === undefined || cardId === null || status === null) continue;
      if (deps.now() - Date.parse(seenAt) < unexplainedMs) continue;
      const event = deps.toEvent({
        acctId: account.acctId,
        holder: deps.holderOf(account) ?? '',
        customId: account.customId,
        card: { cardId, last4: last4 ?? '', status },
        was,
        seenAt,
      });
      // First, so that no webhook slips in between.
      await deps.backfilled.remember(cardId, { status, after: was.seenAt, until: seenAt });
      told += await deps.take([event]);
    }
  }
  return told;
}
