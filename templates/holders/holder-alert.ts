import type { Alert } from '../../src/alerts/alert.ts';
import type { Message } from '../../src/slack/message.ts';
import type { View } from '../core/view.ts';
import { holderDecline } from './holder-decline.ts';
import { holderShipping } from './holder-shipping.ts';
import { holderStatus } from './holder-status.ts';
import { holderVirtualCard } from './holder-virtual-card.ts';

/**
 * An alert for the holder of its card, in a direct message: what happened to *your* card, and what you can do now.
 *
 * @returns null for what holders are not told of: money that moved as it should.
 */
export function renderHolderAlert(alert: Alert, view: View): Message | null {
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
    case 'activation-reminder':
      return null;
  }
}
