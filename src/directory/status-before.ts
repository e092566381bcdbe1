import type { CardStatus } from '../core/event.ts';
import type { DirectoryAccount, DirectoryCard } from './account.ts';

/** When a card's status was seen, as {@link DirectoryCard} stores it. */
export type SeenTimes = Pick<DirectoryCard, 'seenAt' | 'callbackAt' | 'readAt'>;

/** True when an answer of the API showed the stored status, not a webhook. */
export function isOfRead({ callbackAt, seenAt, readAt }: SeenTimes): boolean {
  return callbackAt === undefined || seenAt === readAt;
}

/** When the status was seen; if a webhook reported it, when that was sent by the card service's clock. */
function saidAt(card: SeenTimes): string {
  return isOfRead(card) ? card.seenAt : (card.callbackAt ?? card.seenAt);
}

/** If all cards of the account were known, a new card has not been reported. Otherwise that is unknown. */
export function unreportedOf({ detailsAt }: DirectoryAccount): DirectoryCard['was'] | null {
  return detailsAt === null ? null : { status: null, seenAt: detailsAt };
}

/** A card as the API shows it, with the last reported status if it differs. */
export function withWas(
  news: DirectoryCard,
  before: DirectoryCard | undefined,
  unreported: DirectoryCard['was'] | null,
): DirectoryCard {
  const { was: _old, ...card } = news;
  const earlier = before === undefined ? unreported : (before.was ?? { status: before.status, seenAt: saidAt(before) });
  const isChange = earlier !== null && earlier !== undefined && news.status !== null && earlier.status !== news.status;
  // A card known only from a webhook has no earlier status.
  const isKnown = before === undefined || before.was !== undefined || before.status !== null;
  return isChange && isKnown ? { ...card, was: earlier } : card;
}

/**
 * The status that a card had before an event changed it, according to the directory.
 *
 * @returns null when nothing from before the event is known.
 */
export function statusBefore(
  event: { readonly callbackAt: string },
  { cardId, last4 }: { readonly cardId: number; readonly last4: string },
  cards: readonly DirectoryCard[],
): CardStatus | null {
  // A card has no id until it was read from the API.
  const card =
    cards.find((known) => known.cardId === cardId) ??
    cards.find((known) => known.cardId === null && known.last4 === last4 && last4 !== '');
  if (card === undefined) return null;
  // The API showed the change before this event reported it.
  if (card.was !== undefined && card.was.seenAt < event.callbackAt) return card.was.status;
  // A status seen after the event says nothing about the status before it.
  return saidAt(card) >= event.callbackAt ? null : card.status;
}
