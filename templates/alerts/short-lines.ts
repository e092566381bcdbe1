import type {
  ActivationReminder,
  CardTestingAlert,
  ShippingAlert,
  StatusAlert,
  TransactionAlert,
  VirtualCardAlert,
} from '../../src/alerts/alert.ts';
import { merchantCategory } from '../../src/core/merchant-category.ts';
import { formatCents } from '../../src/core/money.ts';
import { dateAfter, dateToken, mention } from '../../src/slack/mrkdwn.ts';
import { countOf, escapeUntrusted } from '../core/blocks.ts';
import { cardOf, shortCard } from '../core/card-words.ts';
import { trackingText } from '../core/tracking-link.ts';
import type { View } from '../core/view.ts';
import { isStillWaiting, reminderTodo } from './activation-reminder.ts';
import { shippingTodo } from './card-shipping.ts';
import { statusWords } from './card-status.ts';
import { placesOf, triedBetween } from './card-testing.ts';
import { declineCause, howAndWhere } from './decline.ts';
import { reasonOf } from './decline-words.ts';
import { progressLine } from './order-progress.ts';
import { triedWords } from './repeats.ts';
import type { ShortLines } from './short-alert.ts';
import { orderOutcomes, whatHappened } from './virtual-card.ts';

/** The three lines of a declined purchase. */
export function declineLines(alert: TransactionAlert, view: View): ShortLines {
  const { event } = alert;
  const card = cardOf(alert);
  const { repeats, isOfSeveral, times, amount, atRaw } = triedWords(alert, view);
  const reason = reasonOf(alert, view.place);
  return {
    title: `Declined${times}: ${amount}${atRaw}`,
    who: shortCard(card),
    at: repeats?.lastAt ?? event.occurredAt,
    cause: declineCause(alert, view),
    small: [
      isOfSeveral ? '' : escapeUntrusted(merchantCategory(event.mcc) ?? reason.category ?? '', 100),
      ...(isOfSeveral ? [] : howAndWhere(event)),
      card.isVirtual === true ? 'virtual card' : '',
      repeats === null ? '' : dateAfter('first try', repeats.firstAt),
      reason.isWithheld ? '' : escapeUntrusted(reason.code, 80),
    ],
  };
}

const CARDS_SHOWN = 3;

/** The three lines of a card-testing warning. */
export function testingLines(alert: CardTestingAlert): ShortLines {
  const { event, tried } = alert;
  const merchant = event.merchant.name.trim();
  const shown = tried.slice(0, CARDS_SHOWN).map(shortCard);
  const more = tried.length - shown.length;
  const amounts = tried.flatMap(({ minCents, maxCents }) => [minCents, maxCents]);
  const [least, most] = [Math.min(...amounts), Math.max(...amounts)].map(formatCents);
  const amount = amounts.length === 0 ? '' : least === most ? `, ${least} each` : `, ${least} to ${most}`;
  const count = tried.reduce((sum, one) => sum + one.count, 0);
  return {
    title: `Possible card testing: ${countOf(tried.length, 'card')}${merchant && ` at ${merchant}`}`,
    who: '',
    at: triedBetween(alert)[1],
    cause: [
      `${countOf(count, 'decline')}${amount}: ${shown.join('; ')}${more > 0 ? ` and ${more} more` : ''}.`,
      'Ask the cardholders if it was them, and block the cards of those who say no.',
    ],
    small: [escapeUntrusted(placesOf(tried).join('; '), 120), 'Further declines at this merchant are in this thread'],
  };
}

/** The three lines of a status change. */
export function statusLines(alert: StatusAlert): ShortLines {
  const { event, progress } = alert;
  const { title, way, card, at } = statusWords(alert);
  return {
    title,
    who: shortCard(card),
    at,
    // For several cards, one line each.
    cause: [way.filter(Boolean).join('\n')],
    small: [progressLine(progress), escapeUntrusted(event.customId ?? '', 60)],
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

/** The three lines of a virtual card order. */
export function virtualLines(alert: VirtualCardAlert): ShortLines {
  const { event, asked } = alert;
  return {
    title: `Virtual card ${orderOutcomes[event.outcome]}`,
    who: shortCard(cardOf(alert)),
    at: event.callbackAt,
    cause: [whatHappened(alert)],
    small: [
      asked === null ? '' : `${event.outcome === 'resend' ? 'asked for' : 'ordered'} by ${mention(asked.by)}`,
      event.virtualCardOrderId === null ? '' : `virtual card order ${event.virtualCardOrderId}`,
    ],
  };
}
