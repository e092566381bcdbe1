import type { Alert } from '../../src/alerts/alert.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { firstTriedAt } from '../alerts/repeats.ts';
import { type ShortLines, shortMessage } from '../alerts/short-alert.ts';
import { declineLines, tracked } from '../alerts/short-lines.ts';
import { cardName, cardOf } from '../core/card-words.ts';
import type { View } from '../core/view.ts';
import { holderDecline, holderDeclineLines } from './holder-decline.ts';
import { holderOutcomes } from './holder-outcomes.ts';
import { holderShipping, shippingAdvice } from './holder-shipping.ts';
import { holderStatus, holderStatusLines } from './holder-status.ts';
import { holderVirtualCard, virtualWords } from './holder-virtual-card.ts';

/**
 * An alert for the cardholder, as a direct message: what happened to *your* card, and what you can do now.
 *
 * @returns null for events that holders are not notified of: money that moved as expected.
 */
export function renderHolderAlert(alert: Alert, view: View): Message | null {
  const long = longAlert(alert, view);
  const lines = view.isLong === true ? null : holderLines(alert, view);
  if (long === null || lines === null) return long;
  const outcomes = holderOutcomes(alert.outcomes, alert.kind === 'transaction' ? firstTriedAt(alert, view) : null);
  return shortMessage(alert, long, lines, { view, details: actionId.showHolderDetails, outcomes });
}

/** The three lines of an alert for the holder: advice for them, about their own card. */
function holderLines(alert: Alert, view: View): ShortLines | null {
  const who = `your ${cardName(cardOf(alert))}`;
  const { event } = alert;
  switch (alert.kind) {
    case 'transaction':
      return { ...declineLines(alert, view), ...holderDeclineLines(alert, view), who };
    case 'card-status':
      return holderStatusLines(alert);
    case 'card-shipping': {
      const cause = [`${tracked(alert.event)} ${shippingAdvice(alert)}`.trim()];
      return { title: 'Your new card is on its way', who, at: alert.event.callbackAt, cause, small: [] };
    }
    case 'virtual-card': {
      const { title, meaning, isCard } = virtualWords(alert);
      return { title, who: isCard ? who : '', at: event.callbackAt, cause: [meaning], small: [] };
    }
    default:
      return null;
  }
}

function longAlert(alert: Alert, view: View): Message | null {
  switch (alert.kind) {
    case 'transaction':
      return alert.event.kind === 'decline' ? holderDecline(alert, view) : null;
    case 'card-status':
      return holderStatus(alert);
    case 'card-shipping':
      return holderShipping(alert);
    case 'virtual-card':
      return holderVirtualCard(alert);
    case 'card-testing':
    case 'fraud-case':
    case 'activation-reminder':
      return null;
  }
}
