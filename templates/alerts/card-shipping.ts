import type { ShippingAlert } from '../../src/alerts/alert.ts';
import { capital } from '../../src/core/first-letter.ts';
import { commandCode } from '../../src/core/installation.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateToken, link } from '../../src/slack/mrkdwn.ts';
import { outcomeLines } from '../actions/outcomes.ts';
import { actions, context, copyable, escapeUntrusted, fields, header, section, sentence } from '../core/blocks.ts';
import { cardHandle, cardName, cardOf, cardOfHolder, holderName, holderRaw, statusWord } from '../core/card-words.ts';
import { trackButton, trackingLink } from '../core/tracking-link.ts';
import { progressLine, statusOnTheWay } from './order-progress.ts';

/** What the team has to do about a card on its way. */
export function shippingTodo(alert: ShippingAlert): string {
  const status = statusOnTheWay(alert);
  if (status === 'ACTIVE') return 'It is already activated.';
  if (status !== 'INACTIVE') return `It is ${statusWord(status)} and will not work.`;
  return `When it arrives, activate it: ${commandCode(`activate ${copyable(cardHandle(cardOf(alert)), 20)}`)}`;
}

/** A card that was shipped. */
export function cardShipping(alert: ShippingAlert): Message {
  const { event, late, outcomes } = alert;
  const known = cardOf(alert);
  const tracking = trackingLink(event.shippingMethod, event.trackingNumber);
  const number = escapeUntrusted(event.trackingNumber, 60);
  const method = escapeUntrusted(event.shippingMethod, 60);
  const mark = late ? 'Late notice: ' : '';
  const followed = number === '' ? '' : `, tracking number ${number}`;

  return {
    text: sentence(`${mark}${cardOfHolder(known)} has been shipped${method && ` with ${method}`}${followed}.`),
    blocks: [
      header(`Card shipped: ${holderRaw(known)}`),
      ...fields([
        ['Cardholder', holderName(known)],
        ['Card', capital(cardName(known))],
        ['Shipping method', method],
        ['Tracking number', tracking === null ? number : link(tracking.url, event.trackingNumber.slice(0, 60))],
        ['Shipped', dateToken(event.callbackAt)],
      ]),
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
