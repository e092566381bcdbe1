import type { TransactionAlert } from '../../src/alerts/alert.ts';
import { effectOf } from '../../src/alerts/purchase-state.ts';
import { isUndated, type TransactionKind } from '../../src/core/event.ts';
import { capital } from '../../src/core/first-letter.ts';
import { locationLine, merchantCategory } from '../../src/core/merchant-category.ts';
import { formatCents } from '../../src/core/money.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateToken } from '../../src/slack/mrkdwn.ts';
import { context, escapeUntrusted, sentence } from '../core/blocks.ts';
import { cardOf, shortCard } from '../core/card-words.ts';
import { inferredNote, purchaseState } from '../core/purchase-words.ts';
import { howPaid, requestedAmount } from './decline.ts';

type MoneyKind = Exclude<TransactionKind, 'decline'>;

/** One quiet line about money that moved, such as `Spent: $84.10 at Corner Diner · Sam Rivera · card 1234`. */
export function moneyLine(alert: TransactionAlert, kind: MoneyKind): Message {
  const { event, late } = alert;
  const [title, before] = titleOf(alert, kind);
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

/** What happened, and the word before the merchant. */
function titleOf(alert: TransactionAlert, kind: MoneyKind): [title: string, before: 'at' | 'by'] {
  switch (kind) {
    // The amount is held until the merchant settles it.
    case 'authorization':
      return [isCardCheck(alert.event) ? 'Card checked' : 'Spent', 'at'];
    // The money leaves immediately.
    case 'pin':
      return ['Spent with PIN', 'at'];
    // The merchant captures a purchase, or refunds money.
    case 'settlement':
      return alert.event.direction === 'credit' ? ['Refunded', 'by'] : ['Settled', 'at'];
    // A hold is released, or money that was already debited is credited back.
    case 'reversal':
      return [reversalTitle(alert), 'by'];
  }
}

/** The reversal itself does not say what it gives back, but its purchase does. */
function reversalTitle({ event, timeline }: TransactionAlert): string {
  const { effect, after } = effectOf(timeline?.steps ?? [], event.id);
  const released = effect.released + effect.restReleased;
  if (released > 0 && effect.credited === 0) return after.held === 0 ? 'Hold released' : 'Part of the hold released';
  return released === 0 && effect.credited > 0 ? 'Credited back' : 'Reversed';
}
