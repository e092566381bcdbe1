import type { TransactionAlert } from '../../src/alerts/alert.ts';
import { effectOf } from '../../src/alerts/purchase-state.ts';
import { isUndated } from '../../src/core/event.ts';
import { capital } from '../../src/core/first-letter.ts';
import { locationLine, merchantCategory } from '../../src/core/merchant-category.ts';
import { formatCents } from '../../src/core/money.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateToken } from '../../src/slack/mrkdwn.ts';
import { context, escapeUntrusted, sentence } from '../core/blocks.ts';
import { cardOf, shortCard } from '../core/card-words.ts';
import { inferredNote, purchaseState } from '../core/purchase-words.ts';
import { howPaid, requestedAmount } from './decline.ts';

/** One quiet line about money that moved, such as `Spent: $84.10 at Corner Diner · Sam Rivera · card 1234`. */
function moneyLine(alert: TransactionAlert, title: string, before: 'at' | 'by'): Message {
  const { event, late } = alert;
  const merchant = escapeUntrusted(event.merchant.name, 80);
  const where = escapeUntrusted(locationLine(event.merchant), 80);
  const what = `${title}: ${formatCents(event.amountCents)}${merchant && ` ${before} ${merchant}`}`;
  const requested = requestedAmount(event);
  const card = shortCard(cardOf(alert));
  const details = [
    card,
    where,
    howPaid(event).toLowerCase(),
    requested === '' ? '' : `merchant asked for ${requested}`,
    escapeUntrusted(merchantCategory(event.mcc) ?? '', 100),
    isUndated(event) ? 'time of the reversal not known' : dateToken(event.occurredAt),
    purchaseState(alert),
    inferredNote(alert),
    late ? 'arrived late' : '',
    event.id,
  ].filter(Boolean);
  const asked = requested && ` The merchant asked for ${requested}.`;

  return {
    text: sentence(`${late ? 'Late notice: ' : ''}${what}${where && `, ${where}`} · ${card}.${asked}${spoken(alert)}`),
    blocks: [...context([`*${what}*`, ...details].join(' · '))],
  };
}

/** The state of its purchase, as a sentence. */
function spoken(alert: TransactionAlert): string {
  const state = [purchaseState(alert), inferredNote(alert)].filter(Boolean).join('. ').replaceAll('*', '');
  return state === '' ? '' : ` ${capital(state)}.`;
}

/** Merchants ask for $0.00 to see whether a card is valid. */
export function isCardCheck({ kind, amountCents }: TransactionAlert['event']): boolean {
  return kind === 'authorization' && amountCents === 0;
}

/** An approved purchase: the amount is held until the merchant settles it. */
export function authorization(alert: TransactionAlert): Message {
  return moneyLine(alert, isCardCheck(alert.event) ? 'Card checked' : 'Spent', 'at');
}

/** A purchase with a PIN: the money leaves immediately. */
export function pin(alert: TransactionAlert): Message {
  return moneyLine(alert, 'Spent with PIN', 'at');
}

/** A purchase that the merchant has captured, or money that it refunds. */
export function settlement(alert: TransactionAlert): Message {
  return alert.event.direction === 'credit' ? moneyLine(alert, 'Refunded', 'by') : moneyLine(alert, 'Settled', 'at');
}

/** A hold that is released, or money that was already debited and is credited back. */
export function reversal(alert: TransactionAlert): Message {
  const { event, timeline } = alert;
  // The reversal itself does not say what it gives back, but its purchase does.
  const { effect, after } = effectOf(timeline?.steps ?? [], event.id);
  const released = effect.released + effect.restReleased;
  if (released > 0 && effect.credited === 0)
    return moneyLine(alert, after.held === 0 ? 'Hold released' : 'Part of the hold released', 'by');
  return moneyLine(alert, released === 0 && effect.credited > 0 ? 'Credited back' : 'Reversed', 'by');
}
