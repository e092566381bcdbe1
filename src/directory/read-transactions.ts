import type { CallOptions } from '../card-api/call.ts';
import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import { PayloadError } from '../core/errors.ts';
import type { TransactionEvent } from '../core/event.ts';

/** A list of a year takes the card service long. Nobody waits longer for it. */
const LIST_LIMITS = { deadlineMs: 20_000, attemptMs: 20_000 } as const;

interface Deps {
  readonly card: Pick<CardClient, 'listAccountNetworkTransactions'>;
  /** Converts a network transaction of the API into the event that its webhook would have been. @throws PayloadError */
  readonly toMissed: (row: Record<string, unknown>) => TransactionEvent;
}

export type ReadTransactions = ReturnType<typeof createReadTransactions>;

/**
 * The card service's list of an account's transactions, and how many more there are that cannot be read. Null when it cannot
 * be asked now, or none of them can be read.
 */
export function createReadTransactions({ card, toMissed }: Deps) {
  return async function readTransactions(
    acctId: number,
    window: { readonly from: Date; readonly to: Date },
    limits: CallOptions = LIST_LIMITS,
  ) {
    const rows = await orNull(card.listAccountNetworkTransactions(acctId, window, limits));
    if (rows === null) return null;
    const events = rows.flatMap(readRow);
    const unreadable = rows.length - events.length;
    return events.length === 0 && unreadable > 0 ? null : { events, unreadable };
  };

  /** An unreadable row must not hide the others. */
  function readRow(row: Record<string, unknown>): TransactionEvent[] {
    try {
      return [toMissed(row)];
    } catch (error) {
      if (error instanceof PayloadError) return [];
      throw error;
    }
  }
}
