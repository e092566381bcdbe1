import type { TransactionAlert } from '../../src/alerts/alert.ts';
import type { Message } from '../../src/slack/message.ts';
import type { View } from '../core/view.ts';
import { moneyLine } from './money-line.ts';

/** A hold that is released, or money that is credited back because it was gone already. */
export function reversal(alert: TransactionAlert, _view: View): Message {
  if (alert.event.direction === 'debit') return moneyLine(alert, ['was charged $ again, refund reversed', 'by']);
  switch (reversedPart(alert)) {
    case 'hold':
      return moneyLine(alert, ['got $ back, hold released', 'by']);
    case 'debit':
      return moneyLine(alert, ['got $ credited back', 'by']);
    case 'unknown':
      return moneyLine(alert, ['got $ back', 'from']);
  }
}

/** Whether the money was held or debited, from what is known of the purchase: the reversal itself does not say. */
function reversedPart({ event, timeline }: TransactionAlert): 'hold' | 'debit' | 'unknown' {
  const steps = timeline?.steps.filter(({ at, eventId }) => eventId !== event.id && at <= event.occurredAt) ?? [];
  if (steps.some(({ kind }) => kind === 'pin' || kind === 'settlement')) return 'debit';
  return steps.some(({ kind }) => kind === 'authorization') ? 'hold' : 'unknown';
}
