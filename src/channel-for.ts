import type { StoredEvent } from './alert/event.ts';
import type { Channels } from './config.ts';

/** Channel of an event; null when events of its kind are not posted. */
export function channelFor(event: StoredEvent, channels: Channels): string | null {
  switch (event.kind) {
    case 'decline':
      return channels.decline;
    case 'card-shipping':
      return channels.shipping;
    case 'card-status':
      return channels.status;
    case 'virtual-card':
      return channels.virtual;
    default:
      return channels.spend;
  }
}

/** Which of the account's cards an event is about, as far as it says so. */
export function whichCard(event: StoredEvent): { cardId?: number; last4?: string } {
  if (event.kind === 'card-status') {
    const [only] = event.cards;
    return event.cards.length === 1 && only !== undefined ? { cardId: only.cardId } : {};
  }
  if (event.kind === 'card-shipping') return { last4: event.last4 };
  return event.kind === 'virtual-card' && event.last4 !== null ? { last4: event.last4 } : {};
}
