import type { TransactionAlert } from '../../src/alerts/alert.ts';
import type { Message } from '../../src/slack/message.ts';
import type { View } from '../core/view.ts';
import { moneyLine } from './money-line.ts';

/** A hold that is released, or a PIN purchase that is credited back. */
export function reversal(alert: TransactionAlert, _view: View): Message {
  return moneyLine(
    alert,
    alert.event.direction === 'credit'
      ? ['got $ back, hold released', 'by']
      : ['was charged $ again, refund reversed', 'by'],
  );
}
