import type { VirtualCardAlert } from '../../src/alerts/alert.ts';
import type { VirtualCardEvent } from '../../src/core/event.ts';
import { capital } from '../../src/core/first-letter.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateToken } from '../../src/slack/mrkdwn.ts';
import { isUsable } from '../alerts/virtual-card.ts';
import { context, fields, header, section, sentence } from '../core/blocks.ts';
import { balanceWord, cardName, cardOf, statusWord } from '../core/card-words.ts';

const titles: Readonly<Record<VirtualCardEvent['outcome'], string>> = {
  created: 'Your virtual card is ready',
  partial: 'Your virtual card was created, but is incomplete',
  resend: 'The details of your virtual card were sent again',
  not_created: 'Your virtual card was not created',
};

const NUMBER = 'Its number comes from the card program and is never sent over Slack.';

const meanings: Readonly<Record<VirtualCardEvent['outcome'], string>> = {
  created: NUMBER,
  partial: `${NUMBER} Part of the order failed; an operator has been told.`,
  resend: 'They went to the configured receiver. The card itself did not change.',
  not_created: 'An operator has been told why.',
};

/** The outcome, for the holder. */
export function virtualWords({ event }: VirtualCardAlert) {
  const isCard = event.outcome !== 'not_created';
  if (event.outcome === 'created' && !isUsable(event)) {
    const title = 'Your virtual card was created, but cannot be used';
    return {
      title,
      meaning: `It is ${statusWord(event.status ?? '')}. Whoever manages your cards has been told.`,
      isCard,
    };
  }
  return { title: titles[event.outcome], meaning: meanings[event.outcome], isCard };
}

/** Your virtual card: ready or not. Never its number. */
export function holderVirtualCard(alert: VirtualCardAlert): Message {
  const { event, late } = alert;
  const card = cardOf(alert);
  const { title, meaning, isCard } = virtualWords(alert);

  return {
    text: sentence(`${late ? 'Late notice: ' : ''}${title}${isCard ? ` (${cardName(card)})` : ''}. ${meaning}`),
    blocks: [
      header(title),
      section(meaning),
      ...fields([
        ['Your card', isCard ? capital(cardName(card)) : ''],
        ['Status', isCard && event.status !== null ? capital(statusWord(event.status)) : ''],
        ['Balance', isCard && event.balanceCents !== null ? balanceWord(event.balanceCents) : ''],
        ['When', dateToken(event.callbackAt)],
      ]),
      ...context(late ? 'Arrived late' : null, event.id),
    ],
  };
}
