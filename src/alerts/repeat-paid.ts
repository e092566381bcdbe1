import type { Outcome } from '../actions/action-state.ts';
import type { TransactionEvent } from '../core/event.ts';
import { formatCents } from '../core/money.ts';

/** A payment as it is shown where a message counts declines of several purchases: it names the one that was paid. */
export function repeatPaid(paid: Outcome, { amountCents, merchant }: TransactionEvent): Outcome {
  const name = merchant.name.trim();
  const amount = paid.text === '' ? formatCents(amountCents) : paid.text;
  return { ...paid, verb: 'repeat-paid', text: name === '' ? amount : `${amount} at ${name}` };
}
