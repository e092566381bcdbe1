import { currentState } from '../../templates/actions/outcomes.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { CardStatus, CardStatusEvent } from '../core/event.ts';
import type { TransactionAlert } from './alert.ts';
import { type Alerts, alertsOfKind } from './alert-store.ts';
import type { CardHistory } from './card-history.ts';
import { declineReason } from './decline-reason.ts';

/** Older declines are not tried again. */
const WITHIN_MS = 7 * 24 * 3_600_000;

interface Deps {
  readonly history: Pick<CardHistory, 'alertsBetween' | 'expectedAction'>;
  readonly alerts: Pick<Alerts, 'get' | 'save' | 'setOutcome'>;
  readonly factsOf: (acctId: number) => Promise<CardFacts>;
  readonly updateAlert: (alertId: string) => Promise<void>;
}

/**
 * A card has a new status, wherever it was changed: the declines that the old one caused, or that name it, show it. All
 * declines show that the account's last card was closed. Idempotent.
 *
 * @param status that of the account's card in use.
 */
export type ShowStatus = (event: CardStatusEvent, status: CardStatus) => Promise<void>;

export function createShowStatus({ history, alerts, factsOf, updateAlert }: Deps): ShowStatus {
  return async function showStatus(event, status) {
    const declines = await declinesBefore(event);
    await showClosed(event, declines, status);
    if (status === 'ACTIVE' || status === 'BLOCKED') await showUsable(event, declines, status);
  };

  async function declinesBefore({ acctId, callbackAt }: CardStatusEvent): Promise<TransactionAlert[]> {
    const atMs = Date.parse(callbackAt);
    const ids = await history.alertsBetween(acctId, 'declines', atMs - WITHIN_MS, atMs);
    return await alertsOfKind('transaction', ids, alerts);
  }

  async function showClosed(event: CardStatusEvent, declines: readonly TransactionAlert[], status: CardStatus) {
    // The event may name only one of several cards.
    const isAccountClosed = status === 'CLOSED' && (await factsOf(event.acctId)).status === 'CLOSED';
    for (const alert of declines) {
      const isOwnClosed = statusIn(event, alert.card) === 'CLOSED';
      if (!isAccountClosed && !isOwnClosed) continue;
      // The rules are the account's, so they still help another card. The status is the card's own.
      const isToldClosed = isAccountClosed || causeOf(alert) !== null;
      const { status: before, ...facts } = alert.card;
      const isHidden = before === undefined && facts.isStatusLater === true;
      if (!isToldClosed && before !== 'BLOCKED' && !isHidden) continue;
      const card = { ...facts, isStatusLater: true, ...(isToldClosed && { status: 'CLOSED' as const }) } as const;
      if (before !== 'CLOSED') await alerts.save({ ...alert, card });
      // Also if it was saved before: a crash may have come in between.
      await updateAlert(alert.event.id);
    }
  }

  async function showUsable(
    event: CardStatusEvent,
    declines: readonly TransactionAlert[],
    status: 'ACTIVE' | 'BLOCKED',
  ): Promise<void> {
    const { id, callbackAt: at } = event;
    const by = declines.length === 0 ? null : await history.expectedAction(event, status);
    for (const alert of declines) {
      // Another card of the account may have got it, as the replacement of this one does.
      const isOfCard = isUnnamed(alert.card) || statusIn(event, alert.card) === status;
      const verb = isOfCard ? verbFor(alert, status, event) : null;
      if (verb === null) continue;
      const outcome = { verb, by: by?.userId ?? null, at, state: 'done', text: '' } as const;
      // Under the id of the action that changed it: if that was asked for on this alert, its own report replaces this.
      await alerts.setOutcome(alert.event.id, by?.actionId ?? `status-${id}`, outcome);
      await updateAlert(alert.event.id);
    }
  }
}

const isUnnamed = ({ cardId, last4 }: CardFacts): boolean => cardId === null && last4 === null;

/** The status that an event gives to the card that an alert names. */
function statusIn({ cards }: CardStatusEvent, { cardId, last4 }: CardFacts): CardStatus | undefined {
  return cards.find((card) => (cardId === null ? card.last4 === last4 : card.cardId === cardId))?.status;
}

/** What a decline asks for because its card's status declined it. */
function causeOf({ event, remedy }: TransactionAlert): 'activate' | 'unblock' | null {
  const wanted = event.decline === null ? 'none' : declineReason(event.decline, remedy).remedy;
  return wanted === 'activate' || wanted === 'unblock' ? wanted : null;
}

/** What an alert asks for because of its card's status: whatever declined the purchase, it says that the card is blocked. */
function wantedBy(alert: TransactionAlert): 'activate' | 'unblock' | null {
  return alert.card.status === 'BLOCKED' ? 'unblock' : causeOf(alert);
}

/** What the alert has to show; null: nothing, or it shows it already. */
function verbFor(alert: TransactionAlert, status: 'ACTIVE' | 'BLOCKED', event: CardStatusEvent) {
  const { isActivated, isUnblocked, isBlocked, isPaid } = currentState(alert.outcomes);
  // Whatever declined the purchase: the alert says that somebody has blocked or unblocked the card.
  const follows = (isBlocked || isUnblocked) && isAfterLast(alert, status, event);
  const wanted = wantedBy(alert) ?? (follows ? 'unblock' : null);
  if (wanted === null) return null;
  const isUsable = (isActivated || isUnblocked) && !isBlocked;
  if (isPaid || isUsable === (status === 'ACTIVE')) return null;
  if (status === 'BLOCKED') return 'block';
  return isBlocked ? 'unblock' : wanted;
}

/** Whether the card got the status after the last block or unblock that the alert shows. */
function isAfterLast({ outcomes }: TransactionAlert, status: 'ACTIVE' | 'BLOCKED', event: CardStatusEvent): boolean {
  const last = outcomes.findLast(({ verb, state }) => (verb === 'block' || verb === 'unblock') && state !== 'failed');
  if (last === undefined) return true;
  // Later by both the card service's clock and ours: a block must not look ended because one of them is fast.
  return event.callbackAt > last.at && (status === 'BLOCKED' || event.receivedAt > last.at);
}
