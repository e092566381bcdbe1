import type { TransactionAlert } from '../../src/alerts/alert.ts';
import type { TransactionEvent } from '../../src/core/event.ts';
import { capital } from '../../src/core/first-letter.ts';
import { formatCents } from '../../src/core/money.ts';
import type { Message } from '../../src/slack/message.ts';
import { resolutionOf } from '../actions/outcomes.ts';
import { context, escapeUntrusted, section, sentence } from '../core/blocks.ts';
import { cardOf, shortCard } from '../core/card-words.ts';

/** For a person who approved a change for a declined purchase: the purchase went through. */
export function declinePaid(alert: TransactionAlert, { amountCents, merchant }: TransactionEvent): Message {
  const name = merchant.name.trim();
  const what = `Paid: ${formatCents(amountCents)}${name === '' ? '' : ` at ${escapeUntrusted(name, 80)}`}`;
  const who = shortCard(cardOf(alert));
  const words = resolutionOf(alert.outcomes, alert.event.occurredAt)?.words ?? '';
  // A retry may be paid before its alert shows the approval, and the title says that it was paid.
  const how = capital(words.replace(/^Paid /, ''));
  return {
    text: sentence(`${what}, ${who}. ${how}`),
    blocks: [section(`*${what}* · ${who}`, how), ...context(alert.event.id)],
  };
}
