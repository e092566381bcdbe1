import type { ShippingAlert } from '../../src/alerts/alert.ts';
import type { CardStatus } from '../../src/core/event.ts';
import { capital } from '../../src/core/first-letter.ts';
import type { Message } from '../../src/slack/message.ts';
import { statusOnTheWay } from '../alerts/order-progress.ts';
import { actions, context, fields, header, section, sentence } from '../core/blocks.ts';
import { cardName, cardOf } from '../core/card-words.ts';
import { shipmentOf, trackButton } from '../core/tracking-link.ts';
import { holderOutcomes } from './holder-outcomes.ts';

/** What the holder has to do before using it. */
export function shippingAdvice(alert: ShippingAlert): string {
  return advice[statusOnTheWay(alert)];
}

const advice: Readonly<Record<CardStatus, string>> = {
  INACTIVE: 'It does not work until it is activated: tell an operator when it arrives.',
  ACTIVE: 'It is already activated: you can use it as soon as it arrives.',
  BLOCKED: 'It is blocked and will not work: ask an approver.',
  CLOSED: 'It is closed and will not work: destroy it when it arrives.',
};

/** Your new card is on its way. */
export function holderShipping(alert: ShippingAlert): Message {
  const { event, late, outcomes } = alert;
  const card = cardOf(alert);
  const { tracking, facts, how } = shipmentOf(event);
  const todo = shippingAdvice(alert);

  return {
    text: sentence(`${late ? 'Late notice: your' : 'Your'} ${cardName(card)} is on its way${how}. ${todo}`),
    blocks: [
      header('Your new card is on its way'),
      section(todo),
      ...fields([['Your card', capital(cardName(card))], ...facts]),
      ...holderOutcomes(outcomes),
      ...actions(trackButton(tracking, card)),
      ...context(late ? 'Arrived late' : null, event.id),
    ],
  };
}
