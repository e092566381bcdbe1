import type { ShippingAlert } from '../../src/alerts/alert.ts';
import { capital } from '../../src/core/first-letter.ts';
import type { Message } from '../../src/slack/message.ts';
import { outcomeLines } from '../actions/outcomes.ts';
import { actions, context, fields, header, section, sentence } from '../core/blocks.ts';
import {
  cardCommand,
  cardName,
  cardOf,
  cardOfHolder,
  holderName,
  holderRaw,
  shortCard,
  statusWord,
} from '../core/card-words.ts';
import { shipmentOf, trackButton, trackingText } from '../core/tracking-link.ts';
import { progressLine, statusOnTheWay } from './order-progress.ts';
import type { ShortLines } from './short-alert.ts';

/** What the team has to do about a card on its way. */
function shippingTodo(alert: ShippingAlert): string {
  const status = statusOnTheWay(alert);
  if (status === 'ACTIVE') return 'It is already activated.';
  const card = cardOf(alert);
  if (status === 'INACTIVE') return `When it arrives, activate it: ${cardCommand('activate', card)}`;
  const fix =
    status === 'BLOCKED'
      ? `If it should work: ${cardCommand('unblock', card)}`
      : 'Closed is final: order a new one if it is needed.';
  return `It is ${statusWord(status)} and will not work. ${fix}`;
}

/** A card that was shipped. */
export function cardShipping(alert: ShippingAlert): Message {
  const { event, late, outcomes } = alert;
  const known = cardOf(alert);
  const { tracking, facts, how } = shipmentOf(event);
  const mark = late ? 'Late notice: ' : '';
  const todo = statusOnTheWay(alert) === 'INACTIVE' ? 'When it arrives, activate it.' : shippingTodo(alert);

  return {
    text: sentence(`${mark}${cardOfHolder(known)} has been shipped${how}. ${todo}`),
    blocks: [
      header(`Card shipped: ${holderRaw(known)}`),
      ...fields([['Cardholder', holderName(known)], ['Card', capital(cardName(known))], ...facts]),
      section(shippingTodo(alert)),
      ...outcomeLines(outcomes),
      ...actions(trackButton(tracking, known)),
      ...context(
        progressLine(alert.progress),
        late ? 'Arrived late' : null,
        [event.id, event.cardOrderId === null ? '' : `card order ${event.cardOrderId}`].filter(Boolean).join(' · '),
      ),
    ],
  };
}

/** The three lines of a shipped card. */
export function shippingLines(alert: ShippingAlert): ShortLines {
  const { event, progress } = alert;
  const card = cardOf(alert);
  return {
    title: 'Card shipped',
    who: shortCard(card),
    at: event.callbackAt,
    cause: [`${trackingText(event)} ${shippingTodo(alert)}`.trim()],
    small: [progressLine(progress) ?? (event.cardOrderId === null ? '' : `card order ${event.cardOrderId}`)],
  };
}
