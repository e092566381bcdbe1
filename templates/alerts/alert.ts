import type { SectionBlock } from '@slack/types';
import type { Alert } from '../../src/alerts/alert.ts';
import { mayShow } from '../../src/core/channel-visibility.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { closedLines, outcomeLines } from '../actions/outcomes.ts';
import type { View } from '../core/view.ts';
import { shared } from '../routing/shared-channel.ts';
import { activationReminder, reminderLines } from './activation-reminder.ts';
import { cardShipping, shippingLines } from './card-shipping.ts';
import { cardStatus, statusLines } from './card-status.ts';
import { cardTesting, testedOutcomes, testingLines } from './card-testing.ts';
import { decline, declineLines } from './decline.ts';
import { fraudCase, fraudCaseLines } from './fraud-case.ts';
import { moneyLine } from './money-line.ts';
import { firstTriedAt, paidAmong } from './repeats.ts';
import { type ShortLines, shortMessage } from './short-alert.ts';
import { virtualCard, virtualLines } from './virtual-card.ts';

/** Any alert, for readers of `view`: three lines, or the long alert. */
export function renderAlert(stored: Alert, view: View): Message {
  if (!mayShow('details', view.place)) return shared(stored);
  const alert = paidAmong(stored, view);
  const [long, lines] = formsOf(alert, view);
  if (view.isLong === true || lines === null) return long;
  const outcomes = shownOutcomes(alert, view);
  return shortMessage(alert, long, lines, { view, details: actionId.showDetails, outcomes });
}

function shownOutcomes(alert: Alert, view: View): SectionBlock[] {
  if (alert.kind === 'card-testing') return testedOutcomes(alert);
  if (alert.kind !== 'transaction') return outcomeLines(alert.outcomes);
  return closedLines(alert.outcomes, firstTriedAt(alert, view));
}

/** The long alert and its three lines; null for an alert that is a single line anyway. */
function formsOf(alert: Alert, view: View): [long: Message, lines: ShortLines | null] {
  switch (alert.kind) {
    case 'transaction':
      return alert.event.kind === 'decline'
        ? [decline(alert, view), declineLines(alert, view)]
        : [moneyLine(alert, alert.event.kind), null];
    case 'card-testing':
      return [cardTesting(alert), testingLines(alert)];
    case 'fraud-case':
      return [fraudCase(alert), fraudCaseLines(alert)];
    case 'card-status':
      return [cardStatus(alert), statusLines(alert)];
    case 'card-shipping':
      return [cardShipping(alert), shippingLines(alert)];
    case 'activation-reminder':
      return [activationReminder(alert), reminderLines(alert)];
    case 'virtual-card':
      return [virtualCard(alert, view), virtualLines(alert)];
  }
}
