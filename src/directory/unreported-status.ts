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
