import type { ActivationReminder } from '../../src/alerts/alert.ts';
import { commandCode, serviceTime } from '../../src/core/installation.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateToken } from '../../src/slack/mrkdwn.ts';
import { activateButton } from '../actions/card-buttons.ts';
import { currentState, outcomeLines, outcomeSentence } from '../actions/outcomes.ts';
import { actions, context, copyable, header, section, sentence } from '../core/blocks.ts';
import { cardHandle, cardOf, cardOfHolder, holderRaw } from '../core/card-words.ts';
import { trackButton, trackingLink } from '../core/tracking-link.ts';
import { isAwaited, progressLine } from './order-progress.ts';

/** False once it was activated, here or elsewhere, or closed. */
export function isStillWaiting(alert: ActivationReminder): boolean {
  return isAwaited(alert) && !currentState(alert.outcomes).isActivated;
}

/** A card that was shipped long ago and is still not activated. */
export function activationReminder(alert: ActivationReminder): Message {
  const { event, outcomes, progress } = alert;
  const card = cardOf(alert);
  const tracking = trackingLink(event.shippingMethod, event.trackingNumber);
  const isWaiting = isStillWaiting(alert);
  const handle = copyable(cardHandle(card), 20);

  return {
    text: sentence(
      isWaiting
        ? `${cardOfHolder(card)} was shipped on ${serviceTime(event.callbackAt)} and is still not activated.${outcomeSentence(outcomes)}`
        : `${cardOfHolder(card)} is no longer waiting to be activated.${outcomeSentence(outcomes)}`,
    ),
    blocks: [
      header(`${isWaiting ? 'Still not activated' : 'No longer waiting'}: ${holderRaw(card)}`),
      section(
        isWaiting
          ? `*${cardOfHolder(card)} was shipped ${dateToken(event.callbackAt, '{date_long_pretty}')} and is still not activated.*`
          : `${cardOfHolder(card)} is no longer waiting to be activated.`,
        isWaiting
          ? `If its holder has it, activate it. If it never arrived, block it and order a new one: ${commandCode(`block ${handle} lost in the mail`)}`
          : null,
      ),
      ...outcomeLines(outcomes),
      ...actions(
        isWaiting ? activateButton({ value: event.id, card }) : null,
        isWaiting ? trackButton(tracking, card) : null,
      ),
      ...context(progressLine(progress), event.id),
    ],
  };
}
