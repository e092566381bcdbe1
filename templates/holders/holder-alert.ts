import type { Outcome } from '../../src/actions/action-state.ts';
import type { Alert, ShippingAlert, VirtualCardAlert } from '../../src/alerts/alert.ts';
import type { CardStatus, VirtualCardEvent } from '../../src/core/event.ts';
import { capital } from '../../src/core/first-letter.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateToken } from '../../src/slack/mrkdwn.ts';
import { declineLines } from '../alerts/decline.ts';
import { statusOnTheWay } from '../alerts/order-progress.ts';
import { firstTriedAt, paidAmong } from '../alerts/repeats.ts';
import { type ShortLines, shortMessage } from '../alerts/short-alert.ts';

import { isUsable, knownStatus } from '../alerts/virtual-card.ts';
import { actions, context, fields, header, section, sentence } from '../core/blocks.ts';
import { balanceWord, cardName, cardOf, statusWord } from '../core/card-words.ts';
import { shipmentOf, trackButton, trackingText } from '../core/tracking-link.ts';
import type { View } from '../core/view.ts';
import { holderDecline, holderDeclineLines } from './holder-decline.ts';
import { holderOutcomes } from './holder-outcomes.ts';
import { holderStatus, holderStatusLines } from './holder-status.ts';

/**
 * An alert for the cardholder, as a direct message: what happened to *your* card, and what you can do now.
 *
 * @returns null for events that holders are not notified of: money that moved as expected.
 */
export function renderHolderAlert(stored: Alert, view: View): Message | null {
  const alert = withOwnActs(paidAmong(stored, view), view);
  const forms = formsOf(alert, view);
  if (forms === null) return null;
  const [long, lines] = forms;
  if (view.isLong === true) return long;
  const outcomes = holderOutcomes(alert, alert.kind === 'transaction' ? firstTriedAt(alert, view) : null);
  return shortMessage(alert, long, lines, { view, details: actionId.showHolderDetails, outcomes });
}

/** What the reader did as an operator is theirs, too: nobody is told to ask themselves why their card is blocked. */
function withOwnActs<A extends Alert>(alert: A, { reader }: View): A {
  const isOwn = ({ verb, by }: Outcome): boolean => by === reader && ['block', 'unblock', 'activate'].includes(verb);
  if (!alert.outcomes.some(isOwn)) return alert;
  return { ...alert, outcomes: alert.outcomes.map((one) => (isOwn(one) ? { ...one, asHolder: true } : one)) };
}

/** The long alert and its three lines: advice for the holder, about their own card. */
function formsOf(alert: Alert, view: View): [long: Message, lines: ShortLines] | null {
  const who = `your ${cardName(cardOf(alert))}`;
  switch (alert.kind) {
    case 'transaction':
      if (alert.event.kind !== 'decline') return null;
      return [holderDecline(alert, view), { ...declineLines(alert, view), ...holderDeclineLines(alert, view), who }];
    case 'card-status':
      return [holderStatus(alert), holderStatusLines(alert)];
    case 'card-shipping':
      return [holderShipping(alert), holderShippingLines(alert, who)];
    case 'virtual-card':
      return [holderVirtualCard(alert), holderVirtualLines(alert, who)];
    case 'card-testing':
    case 'fraud-case':
    case 'activation-reminder':
      return null;
  }
}

/** What the holder has to do before using it. */
function shippingAdvice(alert: ShippingAlert): string {
  return advice[statusOnTheWay(alert)];
}

const advice: Readonly<Record<CardStatus, string>> = {
  INACTIVE: 'It does not work until it is activated: tell an operator when it arrives.',
  ACTIVE: 'It is already activated: you can use it as soon as it arrives.',
  BLOCKED: 'It is blocked and will not work: ask an approver.',
  CLOSED: 'It is closed and will not work: destroy it when it arrives.',
};

/** Your new card is on its way. */
function holderShipping(alert: ShippingAlert): Message {
  const { event, late } = alert;
  const card = cardOf(alert);
  const { tracking, facts, how } = shipmentOf(event);
  const todo = shippingAdvice(alert);

  return {
    text: sentence(`${late ? 'Late notice: your' : 'Your'} ${cardName(card)} is on its way${how}. ${todo}`),
    blocks: [
      header('Your new card is on its way'),
      section(todo),
      ...fields([['Your card', capital(cardName(card))], ...facts]),
      ...holderOutcomes(alert),
      ...actions(trackButton(tracking, card)),
      ...context(late ? 'Arrived late' : null, event.id),
    ],
  };
}

function holderShippingLines(alert: ShippingAlert, who: string): ShortLines {
  const cause = [`${trackingText(alert.event)} ${shippingAdvice(alert)}`.trim()];
  return { title: 'Your new card is on its way', who, at: alert.event.callbackAt, cause, small: [] };
}

const titles: Readonly<Record<VirtualCardEvent['outcome'], string>> = {
  created: 'Your virtual card is ready',
  partial: 'Your virtual card was created, but is incomplete',
  resend: 'The details of your virtual card were sent again',
  not_created: 'Your virtual card was not created',
};

const managersKnow = 'Whoever manages your cards has been told.';
const askForNumber = 'For its number, ask whoever manages your cards.';

const meanings: Readonly<Record<VirtualCardEvent['outcome'], string>> = {
  created: askForNumber,
  partial: `Part of the order failed; an operator has been told. ${askForNumber}`,
  resend: `The card itself did not change. ${askForNumber}`,
  not_created: managersKnow,
};

/** The outcome, for the holder. */
function virtualWords({ event }: VirtualCardAlert) {
  const isCard = event.outcome !== 'not_created';
  if (event.outcome === 'created' && !isUsable(event)) {
    const title = 'Your virtual card was created, but cannot be used';
    return {
      title,
      meaning: `It is ${statusWord(event.status ?? '')}. ${managersKnow}`,
      isCard,
    };
  }
  return { title: titles[event.outcome], meaning: meanings[event.outcome], isCard };
}

/** Your virtual card: ready or not. Never its number. */
function holderVirtualCard(alert: VirtualCardAlert): Message {
  const { event, late } = alert;
  const card = cardOf(alert);
  const { title, meaning, isCard } = virtualWords(alert);
  const status = knownStatus(alert);

  return {
    text: sentence(`${late ? 'Late notice: ' : ''}${title}${isCard ? ` (${cardName(card)})` : ''}. ${meaning}`),
    blocks: [
      header(title),
      section(meaning),
      ...fields([
        ['Your card', isCard ? capital(cardName(card)) : ''],
        ['Status', isCard && status !== null ? capital(statusWord(status)) : ''],
        ['Balance', isCard && event.balanceCents !== null ? balanceWord(event.balanceCents) : ''],
        ['When', dateToken(event.callbackAt)],
      ]),
      ...context(late ? 'Arrived late' : null, event.id),
    ],
  };
}

function holderVirtualLines(alert: VirtualCardAlert, who: string): ShortLines {
  const { title, meaning, isCard } = virtualWords(alert);
  return { title, who: isCard ? who : '', at: alert.event.callbackAt, cause: [meaning], small: [] };
}
