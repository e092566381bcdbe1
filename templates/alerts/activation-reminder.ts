import type { ActivationReminder } from '../../src/alerts/alert.ts';
import { serviceTime } from '../../src/core/installation.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateToken } from '../../src/slack/mrkdwn.ts';
import { activateButton } from '../actions/card-buttons.ts';
import { currentState, outcomeLines, outcomeSentence } from '../actions/outcomes.ts';
import { actions, context, header, section, sentence } from '../core/blocks.ts';
import { cardOf, cardOfHolder, holderRaw, shortCard } from '../core/card-words.ts';
import { trackButton, trackingLink } from '../core/tracking-link.ts';
import { isAwaited, progressLine } from './order-progress.ts';
import type { ShortLines } from './short-alert.ts';

/** False once it was activated, here or elsewhere, or closed. */
export function isStillWaiting(alert: ActivationReminder): boolean {
  return isAwaited(alert) && !currentState(alert.outcomes).isActivated;
}

/** A block would stop the account's other card, or activate this one first. */
const reminderTodo =
  'If its holder has it, activate it. If it never arrived, order a new one in the card program’s portal: nobody can pay with this one until it is activated.';

/** A card that was shipped long ago and is still not activated. */
export function activationReminder(alert: ActivationReminder): Message {
  const { event, outcomes, progress } = alert;
  const card = cardOf(alert);
  const tracking = trackingLink(event.shippingMethod, event.trackingNumber);
  const isWaiting = isStillWaiting(alert);
  const name = cardOfHolder(card);
  const over = `${name} is no longer waiting to be activated.`;
  const waits = `${name} was shipped on ${serviceTime(event.callbackAt)} and is still not activated.`;

  return {
    text: sentence(`${isWaiting ? waits : over}${outcomeSentence(outcomes)}`),
    blocks: [
      header(`${isWaiting ? 'Still not activated' : 'No longer waiting'}: ${holderRaw(card)}`),
      section(
        isWaiting
          ? `*${name} was shipped ${dateToken(event.callbackAt, '{date_long_pretty}')} and is still not activated.*`
          : over,
        isWaiting ? reminderTodo : null,
      ),
      ...outcomeLines(outcomes),
      ...(isWaiting ? actions(activateButton({ value: event.id, card }), trackButton(tracking, card)) : []),
      ...context(progressLine(progress), event.id),
    ],
  };
}

/** The three lines of a card that is still not activated. */
export function reminderLines(alert: ActivationReminder): ShortLines {
  const { event, progress } = alert;
  const card = cardOf(alert);
  const isWaiting = isStillWaiting(alert);
  const shipped = `Shipped ${dateToken(event.callbackAt, '{date_short_pretty}')}.`;
  return {
    title: isWaiting ? 'Still not activated' : 'No longer waiting to be activated',
    who: shortCard(card),
    at: '',
    cause: [isWaiting ? `${shipped} ${reminderTodo}` : shipped],
    small: [progressLine(progress)],
  };
}
