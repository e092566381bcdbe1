import type { Alert, TransactionAlert } from '../../src/alerts/alert.ts';
import { mayShow } from '../../src/core/channel-visibility.ts';
import type { TransactionKind } from '../../src/core/event.ts';
import type { Message } from '../../src/slack/message.ts';
import type { View } from '../core/view.ts';
import { shared } from '../routing/shared-channel.ts';
import { activationReminder } from './activation-reminder.ts';
import { authorization } from './authorization.ts';
import { cardShipping } from './card-shipping.ts';
import { cardStatus } from './card-status.ts';
import { cardTesting } from './card-testing.ts';
import { decline } from './decline.ts';
import { pin } from './pin.ts';
import { reversal } from './reversal.ts';
import { settlement } from './settlement.ts';
import { virtualCard } from './virtual-card.ts';

const transactions: { readonly [Kind in TransactionKind]: (alert: TransactionAlert, view: View) => Message } = {
  authorization,
  pin,
  settlement,
  reversal,
  decline,
};

/** Any alert, for readers of `view`. */
export function renderAlert(alert: Alert, view: View): Message {
  if (!mayShow('details', view.place)) return shared(alert);
  switch (alert.kind) {
    case 'transaction':
      return transactions[alert.event.kind](alert, view);
    case 'card-testing':
      return cardTesting(alert, view);
    case 'card-status':
      return cardStatus(alert, view);
    case 'card-shipping':
      return cardShipping(alert, view);
    case 'activation-reminder':
      return activationReminder(alert);
    case 'virtual-card':
      return virtualCard(alert, view);
  }
}
