import type { ShippingAlert } from '../../src/alerts/alert.ts';
import type { CardStatus } from '../../src/core/event.ts';
import { capital } from '../../src/core/first-letter.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateToken, link } from '../../src/slack/mrkdwn.ts';
import { statusOnTheWay } from '../alerts/order-progress.ts';
import { actions, context, escapeUntrusted, fields, header, section, sentence } from '../core/blocks.ts';
import { cardName, cardOf } from '../core/card-words.ts';
import { trackButton, trackingLink } from '../core/tracking-link.ts';
import { holderOutcomes } from './holder-outcomes.ts';

/** What the holder has to do before using it. */
export function shippingAdvice(alert: ShippingAlert): string {
  return advice[statusOnTheWay(alert)];
}

const advice: Readonly<Record<CardStatus, string>> = {
  INACTIVE: 'It does not work until it is activated: tell whoever manages your cards when it arrives.',
  ACTIVE: 'It is already activated: you can use it as soon as it arrives.',
  BLOCKED: 'It is blocked and will not work: ask whoever manages your cards.',
  CLOSED: 'It is closed and will not work: destroy it when it arrives.',
};

/** Your new card is on its way. */
export function holderShipping(alert: ShippingAlert): Message {
  const { event, late, outcomes } = alert;
  const card = cardOf(alert);
  const tracking = trackingLink(event.shippingMethod, event.trackingNumber);
  const number = escapeUntrusted(event.trackingNumber, 60);
  const method = escapeUntrusted(event.shippingMethod, 60);
  const followed = number === '' ? '' : `, tracking number ${number}`;
  const todo = shippingAdvice(alert);

  return {
    text: sentence(
      `${late ? 'Late notice: your' : 'Your'} ${cardName(card)} is on its way${method && ` with ${method}`}${followed}. ${todo}`,
    ),
    blocks: [
      header('Your new card is on its way'),
      section(todo),
      ...fields([
        ['Your card', capital(cardName(card))],
        ['Shipping method', method],
        ['Tracking number', tracking === null ? number : link(tracking.url, event.trackingNumber.slice(0, 60))],
        ['Shipped', dateToken(event.callbackAt)],
      ]),
      ...holderOutcomes(outcomes),
      ...actions(trackButton(tracking, card)),
      ...context(late ? 'Arrived late' : null, event.id),
    ],
  };
}
