import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import { PayloadError } from '../core/errors.ts';
import type { TransactionEvent } from '../core/event.ts';

interface Deps {
  readonly card: Pick<CardClient, 'listAccountNetworkTransactions'>;
  /** Converts a network transaction of the API into the event that its webhook would have been. @throws PayloadError */
  readonly toMissed: (row: Record<string, unknown>) => TransactionEvent;
}

/** The card service's list of an account's transactions; null when it cannot be asked now. */
export type ReadTransactions = (
  acctId: number,
  window: { readonly from: Date; readonly to: Date },
) => Promise<TransactionEvent[] | null>;

export function createReadTransactions({ card, toMissed }: Deps): ReadTransactions {
  return async function readTransactions(acctId, window) {
    const rows = await orNull(card.listAccountNetworkTransactions(acctId, window));
    return rows === null ? null : rows.flatMap(readRow);
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
