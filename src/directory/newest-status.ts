import type { CardStatusEvent } from '../core/event.ts';
import { CLOCK_SKEW_MS } from '../core/service-time.ts';
import type { DirectoryAccount, DirectoryCard } from './account.ts';
import { isOfRead, type SeenTimes, withWas } from './status-before.ts';

/** The times of a status that the API showed when it was asked at `at`. */
export function timesOfRead(at: string): SeenTimes {
  return { seenAt: at, readAt: at };
}

/**
 * The times of a status that a webhook reported. Its own time is by the card service's clock, and orders it among webhooks.
 * The API's answers have times by Redis' clock. Compared with them, a webhook was sent at the latest possible time: it was
 * received by then, and correct clocks differ by less than the tolerance.
 */
export function timesOfWebhook({
  callbackAt,
  receivedAt,
  isSeen,
}: Pick<CardStatusEvent, 'callbackAt' | 'receivedAt' | 'isSeen'>): SeenTimes {
  // No webhook, but a status that a recovery reports because the API showed it.
  if (isSeen === true) return timesOfRead(callbackAt);
  return {
    seenAt: earlierOf(receivedAt, skewed(callbackAt)),
    // By a wrong clock it was sent later than it was received, and would win over every webhook until then.
    callbackAt: earlierOf(callbackAt, skewed(receivedAt)),
  };
}

/** True when the stored status is newer than the news. Two webhooks are compared by their own times. */
function isOutdated(news: SeenTimes, stored: SeenTimes): boolean {
  if (news.callbackAt === undefined) return isLater(stored.seenAt, news.seenAt);
  return isLater(stored.callbackAt, news.callbackAt) || (isOfRead(stored) && !isLater(news.seenAt, stored.seenAt));
}

/**
 * True when an answer of the API was as recent as the webhook that replaced it, as far as the clocks can tell, so that it may
 * have been the newer one; or when the API has listed the account's cards, but not this one. Then it must be asked again.
 */
export function isUnsure({
  cards,
  detailsAt,
}: Pick<DirectoryAccount, 'detailsAt'> & { readonly cards: readonly SeenTimes[] }): boolean {
  return cards.some((card) =>
    card.readAt === undefined
      ? detailsAt !== null
      : !isOfRead(card) && isLater(skewed(card.readAt), card.callbackAt ?? ''),
  );
}

/** An answer of the API may be this much behind its webhooks. */
const BEHIND_MAX_MS = 2 * 60_000;

/**
 * Whether the API, asked at `at`, may not have listed a new card yet that a webhook named. It is unsure, and so read again.
 * Somebody may have made it up, but nobody changes an account's rules by a card that is not activated.
 */
export function isNotListedYet({ cardId, status, readAt, seenAt }: DirectoryCard, at: string): boolean {
  const behind = new Date(Date.parse(at) - BEHIND_MAX_MS).toISOString();
  return cardId !== null && status === 'INACTIVE' && readAt === undefined && isLater(seenAt, behind);
}

/** Facts may be this much newer than the request that they are compared with. */
const AHEAD_MAX_MS = 5 * 60_000;

/**
 * Redis' clock may have gone back. A fact from later than now would stand until then. It was seen before now, and new facts win:
 * also a webhook that was sent a little before it arrived.
 */
export function withoutFuture(account: DirectoryAccount | null, now: string): DirectoryAccount | null {
  const latest = new Date(Date.parse(now) + AHEAD_MAX_MS).toISOString();
  const before = new Date(Date.parse(now) - AHEAD_MAX_MS).toISOString();
  const isAhead = (at: string | null | undefined): boolean => isLater(at, latest);
  const seen = <Facts extends { readonly seenAt: string; readonly readAt?: string | undefined }>(
    facts: Facts,
  ): Facts => ({
    ...facts,
    ...(isAhead(facts.seenAt) && { seenAt: before }),
    ...(isAhead(facts.readAt) && { readAt: before }),
  });
  return (
    account && {
      ...account,
      namesAt: isAhead(account.namesAt) ? null : account.namesAt,
      detailsAt: isAhead(account.detailsAt) ? null : account.detailsAt,
      doubtedAt: isAhead(account.doubtedAt) ? before : account.doubtedAt,
      cards: account.cards.map((card) => ({ ...seen(card), ...(card.was && { was: seen(card.was) }) })),
    }
  );
}

/** When an answer of the API was requested, and when it is stored: UTC ISO 8601, by the clock of Redis. */
export interface AnswerTimes {
  readonly at: string;
  readonly mergedAt: string;
}

/**
 * Whether the details were requested later than another answer, by another worker. A time in the future is from before
 * the clock of Redis went back, and says nothing.
 */
export function hasNewerDetails(
  { detailsAt }: Pick<DirectoryAccount, 'detailsAt'>,
  { at, mergedAt }: AnswerTimes,
): boolean {
  return isLater(detailsAt, at) && !isLater(detailsAt, mergedAt);
}

/** When the latest webhook and the latest answer of two facts about a card were sent. */
export function latestTimes(one: SeenTimes, other: SeenTimes): Omit<SeenTimes, 'seenAt'> {
  const callbackAt = laterOf(one.callbackAt, other.callbackAt);
  const readAt = laterOf(one.readAt, other.readAt);
  return { ...(callbackAt !== undefined && { callbackAt }), ...(readAt !== undefined && { readAt }) };
}

/** The cards of an account after a webhook about one of them. */
export function withStatus(cards: readonly DirectoryCard[], news: DirectoryCard): DirectoryCard[] {
  const isHint = (card: DirectoryCard): boolean => card.cardId === null && card.last4 === news.last4;
  const stored = cards.find((card) => card.cardId === news.cardId) ?? cards.find(isHint);
  if (stored === undefined) return [...cards, news];
  // If the known facts are newer or final, only the id is new.
  const isOld = stored.status === 'CLOSED' || (stored.status !== null && isOutdated(news, stored));
  // The webhook reports the change that the API already showed.
  const { was, ...withoutWas } = stored;
  const isReported = was === undefined || stored.status === news.status;
  const facts = isOld ? (isReported ? withoutWas : stored) : news;
  // A card keeps its digits, so other ones are about another card, or false.
  const updated = { ...facts, ...latestTimes(stored, news), cardId: news.cardId, last4: stored.last4 ?? news.last4 };
  return cards.map((card) => (card === stored ? updated : card)).filter((card) => card === updated || !isHint(card));
}

/**
 * The cards of an account after a fact about the card with these digits.
 *
 * @param unreported for facts from the API, which were not reported to anyone: what was reported about a new card.
 */
export function withHint(
  cards: readonly DirectoryCard[],
  hint: Omit<DirectoryCard, 'cardId'>,
  unreported?: DirectoryCard['was'] | null,
): DirectoryCard[] {
  const alike = cards.filter((card) => card.last4 === hint.last4);
  if (alike.length === 0) return [...cards, withWas({ cardId: null, ...hint }, undefined, unreported ?? null)];
  // Closed is final, and of several open cards, as after a renewal, it may be any: only their ids can tell.
  const [card, ...others] = alike.filter(({ status }) => status !== 'CLOSED');
  if (card === undefined || others.length > 0 || hint.status === null || hint.status === card.status) return [...cards];
  const times = latestTimes(card, hint);
  const isOld = card.status !== null && isOutdated(hint, card);
  if (isOld) return cards.with(cards.indexOf(card), { ...card, ...times });
  const changed = { ...card, status: hint.status, seenAt: hint.seenAt, ...times };
  return cards.with(cards.indexOf(card), unreported === undefined ? changed : withWas(changed, card, null));
}

/** UTC texts with different numbers of fraction digits are compared without the Z, which sorts after digits. */
export function isLater(one: string | null | undefined, other: string): boolean {
  return one != null && one.replace(/Z$/, '') > other.replace(/Z$/, '');
}

/** The latest time by the other clock: correct clocks differ by less than the tolerance. */
function skewed(at: string): string {
  return new Date(Date.parse(at) + CLOCK_SKEW_MS).toISOString();
}

function earlierOf(one: string, other: string): string {
  return isLater(one, other) ? other : one;
}

function laterOf(one: string | undefined, other: string | undefined): string | undefined {
  return other === undefined || isLater(one, other) ? one : other;
}
