import type { CardFacts } from '../core/card-facts.ts';
import { hadBegun } from '../core/service-time.ts';
import type { DirectoryCard } from '../directory/account.ts';
import type { CardHistory } from './card-history.ts';

type History = Pick<CardHistory, 'statuses'>;

/**
 * Since when a blocked or closed card declines everything: the time of the webhook that said so, or when the API showed it.
 *
 * @returns UTC ISO 8601; null when that is not known, and for a card with another status.
 */
export async function stoppedSince(
  { cardId, status, seenAt, was }: DirectoryCard,
  history: History,
): Promise<string | null> {
  if (status !== 'BLOCKED' && status !== 'CLOSED') return null;
  const known = cardId === null ? [] : await history.statuses(cardId);
  // Closed is final: a delayed webhook with an earlier status may come after it.
  const first =
    status === 'CLOSED'
      ? known.find((one) => one.status === status)
      : known[known.findLastIndex((one) => one.status !== status) + 1];
  if (first !== undefined) return first.callbackAt;
  return was === undefined ? null : seenAt;
}

/** Cards with the time since when they decline everything. */
export async function withSince(cards: readonly DirectoryCard[], history: History) {
  return await Promise.all(cards.map(async (card) => ({ ...card, since: await stoppedSince(card, history) })));
}

/** True when a card was blocked or closed only after a purchase; of several cards that it may be, one of them. */
export async function gotStatusAfter(
  event: { readonly occurredAt: string },
  { cardId, status }: CardFacts,
  cards: readonly DirectoryCard[],
  history: History,
): Promise<boolean> {
  if (status === undefined) return false;
  const meant = cards.filter((card) => card.status === status && (cardId === null || card.cardId === cardId));
  return (await withSince(meant, history)).some(({ since }) => since !== null && !hadBegun(since, event));
}
