import type { TransactionAlert } from '../src/alert/alert.ts';
import type { Message } from '../src/slack/message.ts';
import { moneyLine } from './money-line.ts';
import type { View } from './view.ts';

/** A purchase with a PIN: the money is gone at once. */
export function pin(alert: TransactionAlert, _view: View): Message {
  return moneyLine(alert, alert.event.direction === 'credit' ? ['was refunded $', 'by'] : ['spent $ with PIN', 'at']);
}
