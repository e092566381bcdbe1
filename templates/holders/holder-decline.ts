import type { Button } from '@slack/types';
import type { TransactionAlert } from '../../src/alerts/alert.ts';
import { capital, lowerFirst } from '../../src/core/first-letter.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateToken } from '../../src/slack/mrkdwn.ts';
import { currentState } from '../actions/outcomes.ts';
import { howAndWhere, howPaid, requestedAmount } from '../alerts/decline.ts';
import {
  fixes,
  isTooLow,
  neededFor,
  nextNeeded,
  reasonOf,
  type ShownReason,
  serviceWords,
  shortfall,
} from '../alerts/decline-words.ts';
import { isAnywhere, repeatsIn, triedWords } from '../alerts/repeats.ts';
import type { ShortLines } from '../alerts/short-alert.ts';
import { actions, context, escapeUntrusted, fields, header, section, sentence } from '../core/blocks.ts';
import { cardName, cardOf } from '../core/card-words.ts';
import type { View } from '../core/view.ts';
import { alsoNeededOn } from '../limits/also-needed-words.ts';
import { holderWays, limitLine, limitOfRuleset } from '../limits/limit-words.ts';
import { askButton, fraudButton, holderBlockButton, recognizeButton } from './holder-buttons.ts';
import { holderOutcomeSentence, holderOutcomes, isBlockedAlready, mayBlockAgain } from './holder-outcomes.ts';

/** Your card was declined: why, what to do now, and whether it was you. */
export function holderDecline(alert: TransactionAlert, view: View): Message {
  const { event, outcomes, late } = alert;
  const card = cardOf(alert);
  const reason = reasonOf(alert, view.place);
  const { repeats, isOfSeveral, times, amount, at, shop } = triedWords(alert, view);
  const fix = whatToDo(alert, reason, view);
  const title = lowerFirst(reason.title);

  return {
    text: sentence(
      `${late ? 'Late notice: your' : 'Your'} ${cardName(card)} was declined${times} for ${amount}${at}: ${escapeUntrusted(title, 100)}.${fix && ` ${fix}`}${holderOutcomeSentence(outcomes)}`,
    ),
    blocks: [
      header(`${late ? 'Your card was declined earlier' : 'Your card was declined'}${times}: ${amount}`),
      section(
        `*${escapeUntrusted(reason.title, 100)}*`,
        shortfall(alert, reason, view) || escapeUntrusted(reason.meaning, 300),
        serviceWords(reason),
        alsoNeededOn(alert, 'direct'),
      ),
      ...(fix === '' ? [] : [section(`*What you can do:* ${fix}`)]),
      ...fields([
        [isOfSeveral ? 'First at' : 'Merchant', shop],
        ['Your card', capital(cardName(card))],
        ['Requested by the merchant', isOfSeveral ? '' : requestedAmount(event)],
        ['How', isOfSeveral ? '' : howPaid(event)],
        [repeats === null ? 'When' : 'Last try', dateToken(repeats?.lastAt ?? event.occurredAt)],
      ]),
      ...holderOutcomes(alert, repeats?.firstAt ?? event.occurredAt),
      ...actions(...controls({ ...alert, card }, reason)),
      ...context(late ? 'Arrived late' : null, event.id),
    ],
  };
}

/** The lines that differ from the team's: whose card it is, and what the holder can do. */
export function holderDeclineLines(alert: TransactionAlert, view: View): Pick<ShortLines, 'cause' | 'small'> {
  const reason = reasonOf(alert, view.place);
  const why =
    (reason.remedy === 'raise_limit' && limitLine(alert, view)) ||
    `*${escapeUntrusted(reason.title, 100)}.* ${shortfall(alert, reason, view) || escapeUntrusted(reason.meaning, 300)}`;
  return {
    cause: [
      why,
      reason.isKnown ? null : serviceWords(reason),
      alsoNeededOn(alert, 'direct'),
      whatToDo(alert, reason, view, { isResetSaid: true }),
    ],
    small: isAnywhere(alert, repeatsIn(alert, view)) ? [] : howAndWhere(alert.event),
  };
}

function whatToDo(alert: TransactionAlert, reason: ShownReason, view: View, said = { isResetSaid: false }): string {
  const { isRecognized } = currentState(alert.outcomes);
  const doubt = isRecognized ? '' : ' If it wasn’t you, block the card now.';
  const again = reason.isKnown ? 'Try again with the right PIN.' : reason.holderFix;
  const ways = reason.isSensitive ? `${again}${doubt}` : holderWays(alert, view, said);
  const [holderFix] = fixes(alert, reason, { ...view, place: 'direct' }, ways);
  return holderFix;
}

/** Was it you? Each answer is offered only while it can still be given. */
function controls(alert: TransactionAlert, reason: ShownReason): (Button | null)[] {
  const { event, card, outcomes } = alert;
  const { isBlocked, isRecognized, isFraud } = currentState(outcomes);
  return [
    moreButton(alert, reason),
    isRecognized || isBlocked ? null : recognizeButton(event.id, card),
    isRecognized || isFraud || isBlockedAlready(alert) ? null : fraudButton(event.id, card),
    mayBlockAgain(alert) ? holderBlockButton({ value: event.id, card }) : null,
  ];
}

/** *Ask for more*; null if approvers could change nothing that lets the purchase pass, or have done so. */
export function moreButton(
  alert: TransactionAlert,
  reason: ShownReason,
  action: string = actionId.requestIncrease,
): Button | null {
  const { event, card, outcomes, remedy } = alert;
  const { isFraud, isRaised, isPaid } = currentState(outcomes);
  const isDone = isRaised && nextNeeded(alert) === undefined && !isTooLow(remedy, outcomes);
  const isElsewhere = remedy?.kind === 'portal' || limitOfRuleset(remedy) !== null;
  const isOurs = isRule(neededFor(alert, reason)) && !isElsewhere;
  const canAsk = isOurs && !isBlockedAlready(alert) && !isDone && !isFraud && !isPaid;
  return canAsk ? askButton(event.id, card, action) : null;
}

/** A cause that approvers can change. */
function isRule(remedy: ShownReason['remedy']): boolean {
  return remedy === 'raise_limit' || remedy.startsWith('allow_');
}
