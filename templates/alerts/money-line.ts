import type { TransactionAlert } from '../../src/alerts/alert.ts';
import { effectOf } from '../../src/alerts/purchase-state.ts';
import { capital } from '../../src/core/first-letter.ts';
import { locationLine, merchantCategory } from '../../src/core/merchant-category.ts';
import { formatCents } from '../../src/core/money.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateToken } from '../../src/slack/mrkdwn.ts';
import { context, escapeUntrusted, sentence } from '../core/blocks.ts';
import { cardInBrackets, cardOf, holderName } from '../core/card-words.ts';
import { inferredNote, purchaseState } from '../core/purchase-words.ts';
import { howPaid, requestedAmount } from './decline.ts';

/** One quiet line about money that moved. `$` in the verb marks the amount: `['spent $', 'at']`. */
function moneyLine(alert: TransactionAlert, words: readonly [verb: string, at: string]): Message {
  const { event, late } = alert;
  const card = cardOf(alert);
  const [verb, at] = words;
  const merchant = escapeUntrusted(event.merchant.name, 80);
  const where = escapeUntrusted(locationLine(event.merchant), 80);
  const amount = formatCents(event.amountCents);
  const what = `${verb.replace('$', () => amount)}${merchant && ` ${at} ${merchant}`}${where && `, ${where}`}`;
  const requested = requestedAmount(event);
  const who = holderName(card);
  const details = [
    howPaid(event).toLowerCase(),
    requested === '' ? '' : `merchant asked for ${requested}`,
    escapeUntrusted(merchantCategory(event.mcc) ?? '', 100),
    dateToken(event.occurredAt),
    purchaseState(alert),
    inferredNote(alert),
    late ? 'arrived late' : '',
  ].filter(Boolean);

  return {
    text: sentence(
      `${late ? 'Late notice: ' : ''}${who}${cardInBrackets(card)} ${what}.${requested && ` The merchant asked for ${requested}.`}${spoken(alert)}`,
    ),
    blocks: [...context([`*${who}*${cardInBrackets(card)} ${what}`, ...details].join(' · '))],
  };
}

/** The state of its purchase, as a sentence. */
function spoken(alert: TransactionAlert): string {
  const state = [purchaseState(alert), inferredNote(alert)].filter(Boolean).join('. ').replaceAll('*', '');
  return state === '' ? '' : ` ${capital(state)}.`;
}

/** An approved purchase: the amount is held until the merchant settles it. */
export function authorization(alert: TransactionAlert): Message {
  return moneyLine(alert, alert.event.direction === 'credit' ? ['was refunded $', 'by'] : ['spent $', 'at']);
}

/** A purchase with a PIN: the money leaves immediately. */
export function pin(alert: TransactionAlert): Message {
  return moneyLine(alert, alert.event.direction === 'credit' ? ['was refunded $', 'by'] : ['spent $ with PIN', 'at']);
}

/** A purchase that the merchant has captured, or money that it refunds. */
export function settlement(alert: TransactionAlert): Message {
  return moneyLine(
    alert,
    alert.event.direction === 'credit' ? ['was credited $', 'by'] : ['spent $, now settled,', 'at'],
  );
}

/** A hold that is released, or money that was already debited and is credited back. */
export function reversal(alert: TransactionAlert): Message {
  const { event, timeline } = alert;
  if (event.direction === 'debit') return moneyLine(alert, ['was charged $ again, refund reversed', 'by']);
  // The reversal itself does not say what it gives back, but its purchase does.
  const { effect, after } = effectOf(timeline?.steps ?? [], event.id);
  const released = effect.released + effect.restReleased;
  if (released > 0 && effect.credited === 0) {
    return moneyLine(alert, [`got $ back, ${after.held === 0 ? '' : 'part of the '}hold released`, 'by']);
  }
  const isCredited = released === 0 && effect.credited > 0;
  return moneyLine(alert, isCredited ? ['got $ credited back', 'by'] : ['got $ back', 'from']);
}
