import type { Button } from '@slack/types';
import type { TransactionAlert } from '../../src/alerts/alert.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter, dateToken } from '../../src/slack/mrkdwn.ts';
import { currentState, outcomeLines, outcomeSentence } from '../actions/outcomes.ts';
import { actions, context, section, sentence, withFullStop } from '../core/blocks.ts';
import { cardCommand, cardOf, cardOfHolder } from '../core/card-words.ts';
import type { View } from '../core/view.ts';
import { fixes, isClosed, isOrWasBlocked, reasonOf, shouldStayBlocked } from './decline-words.ts';
import { lastTry, triedWords } from './repeats.ts';

/**
 * Declines of a card that is known to be blocked: the block works as intended, so one quiet line counts them all. No
 * headline, no facts, nothing bold except the number.
 */
export function declineOfBlocked(alert: TransactionAlert, view: View, controls: readonly (Button | null)[]): Message {
  const { event, outcomes } = alert;
  const card = cardOf(alert);
  const { repeats, times, amount, at } = triedWords(alert, view);
  const isBlocked = isOrWasBlocked(alert);
  const [, fix] = fixes(alert, reasonOf(alert, view.place), view);
  const isOver = currentState(outcomes).isUnblocked || isClosed(alert);
  const isSettled = isOver || shouldStayBlocked(alert) || fix === '';

  return {
    text: sentence(
      `${alert.late ? 'Late notice: ' : ''}Declined${times}: ${amount}${at} · ${cardOfHolder(card)}: the card ${isBlocked}.${lastTry(repeats)}${outcomeSentence(outcomes)}${fix && ` ${withFullStop(fix)}`}`,
    ),
    blocks: [
      section(
        `${cardOfHolder(card)} ${isBlocked}: *declined${times}*, ${amount}${at}.`,
        repeats === null
          ? dateToken(event.occurredAt)
          : `${dateAfter('First', repeats.firstAt)}, ${dateAfter('last', repeats.lastAt)}.`,
        isSettled ? fix : `Nothing to do if the block is right. ${fix}`,
      ),
      ...outcomeLines(outcomes),
      ...actions(...controls),
      ...context(`${event.id}${repeats === null ? '' : ` · all of them: ${cardCommand('declines', card)}`}`),
    ],
  };
}
