import type { ActionTools } from '../actions/action-tools.ts';
import type { CardStatusEvent, StoredEvent, VirtualCardEvent } from '../core/event.ts';
import type { Log } from '../core/log.ts';
import type { Arrival, DeliverAlert } from './deliver-alert.ts';

interface Deps {
  readonly receiveStatus: ReceiveStatus;
  readonly deliverAlert: DeliverAlert;
  /** Notes that webhooks of this kind arrive. */
  readonly noteArrival: (event: StoredEvent) => Promise<void>;
  /** Notifies the person who ordered a virtual card or had its details sent again. */
  readonly virtualCardArrived: (event: VirtualCardEvent, run: { readonly isLast: boolean }) => Promise<void>;
  readonly endPurchaseChanges: (event: StoredEvent) => Promise<void>;
  /** Shows on declines that a purchase is their successful retry, whichever of them arrives first. */
  readonly resolveDeclines: (event: StoredEvent) => Promise<void>;
  readonly warnAfter: (event: StoredEvent) => Promise<void>;
}

/**
 * Everything that an event triggers: its alert, and anything that waited for it. Idempotent. The returned function gives the
 * milliseconds until the next run, or null when the event is delivered.
 */
export function createReceiveEvent(deps: Deps) {
  return async function receiveEvent(
    event: StoredEvent,
    { isLast, ...arrival }: Arrival & { readonly isLast: boolean },
  ): Promise<number | null> {
    if (!arrival.isLate) await deps.noteArrival(event);
    if (event.kind === 'card-status') return await deps.receiveStatus(event, arrival);
    const hasPaymentSince = await deps.deliverAlert(event, arrival);
    if (event.kind === 'virtual-card') await deps.virtualCardArrived(event, { isLast });
    // A payment that is not listed yet looks for its declines itself.
    if (event.kind !== 'decline' || hasPaymentSince) await deps.resolveDeclines(event);
    await deps.endPurchaseChanges(event);
    await deps.warnAfter(event);
    return null;
  };
}

/** @returns milliseconds until the next run, or null when the status change is delivered. */
type ReceiveStatus = (event: CardStatusEvent, arrival: Arrival) => Promise<number | null>;

interface StatusDeps extends Pick<ActionTools, 'withLock' | 'cardChanged'> {
  /** True when a status change was reported before its webhook arrived. */
  readonly isBackfilled: (event: CardStatusEvent) => Promise<boolean>;
  readonly deliverStatus: ReceiveStatus;
  readonly log: Log;
}

/** Status changes of one account are delivered one at a time, because each shows the previous status. */
export function createReceiveStatus(deps: StatusDeps): ReceiveStatus {
  return async function receiveStatus(event, arrival) {
    if (!arrival.isLate && (await deps.isBackfilled(event))) {
      deps.log.info({ eventId: event.id }, 'skipped a webhook whose change recovery has already reported');
      return null;
    }
    const waitMs = await deps.withLock(`account:${event.acctId}:status`, () => deps.deliverStatus(event, arrival));
    if (waitMs === null) await deps.cardChanged(event.acctId);
    return waitMs;
  };
}
