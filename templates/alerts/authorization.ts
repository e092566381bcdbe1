import type { TransactionAlert } from '../../src/alerts/alert.ts';
import type { Message } from '../../src/slack/message.ts';
import type { View } from '../core/view.ts';
import { moneyLine } from './money-line.ts';

/** An approved purchase: the amount is held until the merchant settles it. */
export function authorization(alert: TransactionAlert, _view: View): Message {
  return moneyLine(alert, alert.event.direction === 'credit' ? ['was refunded $', 'by'] : ['spent $', 'at']);
}
