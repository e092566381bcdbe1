import type { CardFacts } from '../../src/core/card-facts.ts';
import type { Message } from '../../src/slack/message.ts';
import { mentions } from '../../src/slack/mrkdwn.ts';
import { section, sentence } from '../core/blocks.ts';
import { cardName } from '../core/card-words.ts';

/** To a cardholder who said *It wasn't me*: what happens next, and how to get a new card. */
export function fraudNotice({ card, operators }: { card: CardFacts; operators: readonly string[] }): Message {
  const own = `your ${cardName(card)}`;
  const whom = mentions(operators) || 'the people who run your card program';
  const lines = [
    `*Fraud case opened · ${own}.* The card is being blocked, and I’ve notified ${whom}.`,
    '*What happens next:* they check your latest purchases and may ask you about them. You don’t have to do anything.',
    `*Your new card:* ask ${whom} to order one. You’ll get a message here when it ships; it works once it is activated.`,
  ];
  return { text: sentence(lines.join(' ').replaceAll('*', '')), blocks: [section(...lines)] };
}
