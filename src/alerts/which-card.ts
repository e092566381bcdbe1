import type { StoredEvent } from '../core/event.ts';

/** Which of the account's cards an event is about, as far as it says so. */
export function whichCard(event: StoredEvent): { cardId?: number; last4?: string } {
  if (event.kind === 'card-status') {
    const [only] = event.cards;
    return event.cards.length === 1 && only !== undefined ? { cardId: only.cardId } : {};
  }
  if (event.kind === 'card-shipping') return { last4: event.last4 };
  return event.kind === 'virtual-card' && event.last4 !== null ? { last4: event.last4 } : {};
}
