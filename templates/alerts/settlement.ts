import type { TransactionAlert } from '../../src/alerts/alert.ts';
import type { Message } from '../../src/slack/message.ts';
import type { View } from '../core/view.ts';
import { moneyLine } from './money-line.ts';

/** A purchase that the merchant has captured, or money that it gives back. */
export function settlement(alert: TransactionAlert, _view: View): Message {
  return moneyLine(
    alert,
    alert.event.direction === 'credit' ? ['was credited $', 'by'] : ['spent $, now settled,', 'at'],
  );
}
