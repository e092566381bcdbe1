import type { Alert, ShippingAlert, StatusAlert, TransactionAlert, VirtualCardAlert } from '../../src/alerts/alert.ts';
import { mayShow } from '../../src/core/channel-visibility.ts';
import type { WebhookKind } from '../../src/core/event.ts';
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

type AlertOf<Kind extends WebhookKind> = Kind extends 'card-status'
  ? StatusAlert
  : Kind extends 'card-shipping'
    ? ShippingAlert
    : Kind extends 'virtual-card'
      ? VirtualCardAlert
      : TransactionAlert;

const templates: { readonly [Kind in WebhookKind]: (alert: AlertOf<Kind>, view: View) => Message } = {
  authorization,
  pin,
  settlement,
  reversal,
  decline,
  'card-status': cardStatus,
  'card-shipping': cardShipping,
  'virtual-card': virtualCard,
};

/** Any alert, for readers of `view`. */
export function renderAlert(alert: Alert, view: View): Message {
  if (!mayShow('details', view.place)) return shared(alert);
  if ('isReminder' in alert && alert.isReminder) return activationReminder(alert);
  if ('tried' in alert) return cardTesting(alert, view);
  // An alert's kind decides its shape: the schemas hold the two together, TypeScript does not see it over a union.
  const template = templates[alert.event.kind] as (alert: Alert, view: View) => Message;
  return template(alert, view);
}
