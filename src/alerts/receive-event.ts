import type { CardStatusEvent, StoredEvent, VirtualCardEvent } from '../core/event.ts';
import type { WithLock } from '../core/lock.ts';
import type { Log } from '../core/log.ts';

interface Deps {
  /** True when people were told of a status change before its webhook came. */
  readonly isBackfilled: (event: CardStatusEvent) => Promise<boolean>;
  readonly withLock: WithLock;
  /** @returns milliseconds after which to come again, or null when the event is delivered. */
  readonly deliver: (event: StoredEvent, coming: Coming) => Promise<number | null>;
  /** Tells who ordered a virtual card, or had its details sent again. */
  readonly virtualCardArrived: (event: VirtualCardEvent, attempt: { readonly isLast: boolean }) => Promise<void>;
  /** Ends changes that were made for this purchase. */
  readonly endPurchaseChanges: (event: StoredEvent) => Promise<void>;
  readonly log: Log;
}

interface Coming {
  readonly hasWaited: boolean;
  /** It was missed and fetched afterwards. */
  readonly isLate: boolean;
}

export type ReceiveEvent = (
  event: StoredEvent,
  coming: Coming & { readonly isLast: boolean },
) => Promise<number | null>;

/**
 * What an event sets off: its alert, and what waits for such an event. Safe to repeat.
 *
 * Status changes of one account are delivered one at a time, because each is told with the status before it.
 */
export function createReceiveEvent(deps: Deps): ReceiveEvent {
  return async function receiveEvent(event, { hasWaited, isLate, isLast }) {
    const coming = { hasWaited, isLate };
    if (event.kind === 'card-status') {
      if (!isLate && (await deps.isBackfilled(event))) {
        deps.log.info({ eventId: event.id }, 'a webhook came after all, its change was told late');
        return null;
      }
      return await deps.withLock(`account:${event.acctId}:status`, () => deps.deliver(event, coming));
    }
    const againMs = await deps.deliver(event, coming);
    if (event.kind === 'virtual-card') await deps.virtualCardArrived(event, { isLast });
    await deps.endPurchaseChanges(event);
    return againMs;
  };
}
