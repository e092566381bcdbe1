import type { TransactionAlert } from '../../src/alerts/alert.ts';
import { locationLine, merchantCategory } from '../../src/core/merchant-category.ts';
import { formatCents } from '../../src/core/money.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateToken } from '../../src/slack/mrkdwn.ts';
import { context, escapeUntrusted, sentence } from '../core/blocks.ts';
import { capital, cardName, cardOf, holderName } from '../core/card-words.ts';
import { inferredNote, purchaseState } from '../core/purchase-words.ts';
import { howPaid, requestedAmount } from './decline.ts';

/** One quiet line about money that moved. `$` in the verb stands for the amount: `['spent $', 'at']`. */
export function moneyLine(alert: TransactionAlert, words: readonly [verb: string, at: string]): Message {
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
      `${late ? 'Late notice: ' : ''}${who} (${cardName(card)}) ${what}.${requested && ` The merchant asked for ${requested}.`}${spoken(alert)}`,
    ),
    blocks: [...context([`*${who}* (${cardName(card)}) ${what}`, ...details].join(' · '))],
  };
}

/** The state of its purchase as a sentence. */
function spoken(alert: TransactionAlert): string {
  const state = [purchaseState(alert), inferredNote(alert)].filter(Boolean).join('. ').replaceAll('*', '');
  return state === '' ? '' : ` ${capital(state)}.`;
}
