import type { CardStatus } from '../core/event.ts';
import type { DirectoryCard } from './account.ts';

/**
 * The status that a card had before an event told of another, as far as the directory knows it.
 *
 * @returns null when nothing is known of it from before the event.
 */
export function statusBefore(
  event: { readonly callbackAt: string },
  { cardId, last4 }: { readonly cardId: number; readonly last4: string },
  cards: readonly DirectoryCard[],
): CardStatus | null {
  // Before the API was asked for its cards, an account's card has no id yet.
  const card =
    cards.find((known) => known.cardId === cardId) ??
    cards.find((known) => known.cardId === null && known.last4 === last4 && last4 !== '');
  if (card === undefined) return null;
  // The API showed the change before this event told it: what was seen last before that is what was before.
  if (card.was !== undefined && card.was.seenAt < event.callbackAt) return card.was.status;
  // What the directory learned after the event happened says nothing of what was before it.
  return card.seenAt >= event.callbackAt ? null : card.status;
}
