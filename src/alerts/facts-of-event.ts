import type { CardFacts } from '../core/card-facts.ts';
import {
  type CardStatus,
  cardStatuses,
  declineCode,
  isSaidToBeNew,
  type StatusRecord,
  type StoredEvent,
  type TransactionEvent,
  whichCard,
} from '../core/event.ts';
import { CLOCK_SKEW_MS, happenedSince } from '../core/service-time.ts';
import { type DirectoryAccount, type DirectoryCard, openStatuses, toCardFacts } from '../directory/account.ts';
import type { CardHistory } from './card-history.ts';
import { FOLLOWS_WITHIN_MS, REFUND_WITHIN_MS } from './purchase-timeline.ts';

type KnownStatuses = Pick<CardHistory, 'statuses'>;

/**
 * What the directory knows about the card of an event. If the event does not name it, it is the only card of the account that
 * had a fitting status then. It may have another one by now, because webhooks may come late, or have been replaced since.
 */
export async function factsOfEvent(
  event: StoredEvent,
  account: DirectoryAccount | null,
  history: KnownStatuses,
): Promise<CardFacts> {
  if ('direction' in event) return await factsOfPurchase(event, account, history);
  const { acctId, callbackAt } = event;
  const which = whichCard(event);
  const { last4, statuses } = which;
  if (account === null || last4 != null || statuses === undefined) return toCardFacts(acctId, account, which);
  const moment = { occurredAt: callbackAt };
  const then = await Promise.all(
    account.cards.map((card) => statusesThen({ first: moment, last: moment }, card, history)),
  );
  // A closed card of which nothing else is known is the one that was replaced.
  const cards = account.cards.filter(({ status }, at) =>
    then[at]?.some((one) => (one === null ? status !== 'CLOSED' : statuses.includes(one))),
  );
  return toCardFacts(acctId, { ...account, cards }, { statuses: cardStatuses });
}

async function factsOfPurchase(
  event: TransactionEvent,
  account: DirectoryAccount | null,
  history: KnownStatuses,
): Promise<CardFacts> {
  const { acctId } = event;
  if (account === null) return toCardFacts(acctId, account);
  const cards = await cardsThen(event, account.cards, history);
  if (cards.length === 0) return { ...toCardFacts(acctId, account), cardId: null, last4: null };
  const { status, ...facts } = toCardFacts(acctId, { ...account, cards }, { statuses: cardStatuses });
  // Only what was declined for its card's status depends on that card: the rules and the balance are the account's.
  const isReplaced = status === 'CLOSED' && account.cards.some((card) => card.status !== 'CLOSED');
  const isTold = !isReplaced || event.kind !== 'decline' || declineCode(event.decline) === 'decline.card.status';
  return isTold && status !== undefined ? { ...facts, status } : facts;
}

async function cardsThen(
  event: TransactionEvent,
  cards: readonly DirectoryCard[],
  history: KnownStatuses,
): Promise<DirectoryCard[]> {
  if (cards.length < 2) return [...cards];
  const { statuses = openStatuses } = whichCard(event);
  const suited = await Promise.all(
    cards.map(async (card) => {
      const then = await statusesThen(timesOf(event), card, history);
      return { card, all: then, possible: then.filter((status) => status === null || statuses.includes(status)) };
    }),
  );
  // A blocked card comes before its replacement in the mail, if no other card worked then, as in `byStatus`.
  const mayBeBlocked =
    !isSaidToBeNew(event.decline?.message ?? '') &&
    suited.some(({ possible }) => possible.includes('BLOCKED')) &&
    suited.every(({ all }) => all.some((status) => status !== null && status !== 'ACTIVE'));
  const counts = (status: CardStatus | null): boolean => !mayBeBlocked || status !== 'INACTIVE';
  return suited.filter(({ possible }) => possible.some(counts)).map(({ card }) => card);
}

interface Moment {
  readonly occurredAt: string;
}

/** The statuses that a card may have had at a moment between these two. Null: it may have had any status. */
async function statusesThen(
  { first, last }: { readonly first: Moment; readonly last: Moment },
  card: DirectoryCard,
  history: KnownStatuses,
): Promise<(CardStatus | null)[]> {
  const { cardId, status, seenAt, was } = card;
  const known = cardId === null ? [] : await history.statuses(cardId);
  // A change is reported when it is made, or a little later. If it was only seen, it may have been made long before.
  const reported = known.map(({ callbackAt, status, changedAfter }) => {
    const byMs = Date.parse(callbackAt);
    return { status, fromMs: changedAfter === undefined ? byMs - CLOCK_SKEW_MS : Date.parse(changedAfter), byMs };
  });
  const seen = was === undefined ? [] : [{ status, fromMs: Date.parse(was.seenAt), byMs: Date.parse(seenAt) }];
  // Final: a delayed webhook with an earlier status may come after it.
  const changes = [...reported, ...seen].toSorted(
    (a, b) => Number(a.status === 'CLOSED') - Number(b.status === 'CLOSED'),
  );
  const sure = changes.findLastIndex(({ byMs }) => happenedSince(byMs)(first));
  const meanwhile = changes.slice(sure + 1).filter(({ fromMs }) => happenedSince(fromMs)(last));
  return [changes[sure]?.status ?? statusFirst(known, card), ...meanwhile.map((one) => one.status)];
}

/** The status before all known changes. Null: it may have been any. */
function statusFirst([first]: readonly StatusRecord[], { status, was }: DirectoryCard): CardStatus | null {
  // A card that is first reported as inactive was new.
  if (first !== undefined) return first.status === 'INACTIVE' ? 'INACTIVE' : null;
  return was === undefined ? status : (was.status ?? 'INACTIVE');
}

/** The first and the last time when the purchase may have been made. */
function timesOf({ kind, direction, requestedAt, occurredAt, isReferenced }: TransactionEvent) {
  const last = { occurredAt: requestedAt };
  const isRefund = kind === 'settlement' && direction === 'credit';
  // Some steps have only a time of their own, not that of the purchase. A reversal that was reported later does not show it.
  const isSame = Date.parse(occurredAt) - Date.parse(requestedAt) <= CLOCK_SKEW_MS;
  const isOwnTime = isReferenced !== true && (kind === 'reversal' || (kind === 'settlement' && isSame));
  const withinMs = isRefund ? REFUND_WITHIN_MS : isOwnTime ? FOLLOWS_WITHIN_MS : 0;
  return { first: { occurredAt: new Date(Date.parse(requestedAt) - withinMs).toISOString() }, last };
}
