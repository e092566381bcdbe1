import type { TransactionAlert } from '../../src/alerts/alert.ts';
import type { Message } from '../../src/slack/message.ts';
import type { View } from '../core/view.ts';
import { moneyLine } from './money-line.ts';

/** A purchase with a PIN: the money is gone at once. */
export function pin(alert: TransactionAlert, _view: View): Message {
  return moneyLine(alert, alert.event.direction === 'credit' ? ['was refunded $', 'by'] : ['spent $ with PIN', 'at']);
}
