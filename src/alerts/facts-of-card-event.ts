import type { CardFacts } from '../core/card-facts.ts';
import { cardStatuses, type StoredEvent, type TransactionEvent, whichCard } from '../core/event.ts';
import { type DirectoryAccount, toCardFacts } from '../directory/account.ts';
import { type KnownStatuses, statusesThen } from './facts-of-purchase.ts';

/**
 * What the directory knows about the card of an event that is no purchase. If the event names none, such as a shipment
 * without digits, it is the only card of the account that had its status then. It may have another one by now, because
 * webhooks may come late.
 */
export async function factsOfCardEvent(
  event: Exclude<StoredEvent, TransactionEvent>,
  account: DirectoryAccount | null,
  history: KnownStatuses,
): Promise<CardFacts> {
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
