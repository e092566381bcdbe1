import type { CardStatus } from '../core/event.ts';
import type { DirectoryAccount, DirectoryCard } from './account.ts';

/** Of a card that appears in an account whose cards were all known, nothing was told; of others it cannot be said. */
export function unreportedOf({ detailsAt }: DirectoryAccount): DirectoryCard['was'] | null {
  return detailsAt === null ? null : { status: null, seenAt: detailsAt };
}

/** The API's news of a card, with what was told of it before; nothing of that when both are the same again. */
export function withWas(
  news: DirectoryCard,
  before: DirectoryCard | undefined,
  unreported: DirectoryCard['was'] | null,
): DirectoryCard {
  const { was: _old, ...card } = news;
  const told = before === undefined ? unreported : (before.was ?? { status: before.status, seenAt: before.seenAt });
  const isChange = told !== null && told !== undefined && news.status !== null && told.status !== news.status;
  // A card that was only heard of has no status that could have changed.
  const isKnown = before === undefined || before.was !== undefined || before.status !== null;
  return isChange && isKnown ? { ...card, was: told } : card;
}

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
