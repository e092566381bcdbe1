import type { CardFacts } from '../../src/core/card-facts.ts';
import type { TransactionEvent } from '../../src/core/event.ts';
import type { Message } from '../../src/slack/message.ts';
import { mention, mentions } from '../../src/slack/mrkdwn.ts';
import { textMessage } from '../core/blocks.ts';
import { cardName } from '../core/card-words.ts';
import { amountAt } from '../core/purchase-words.ts';

interface Reported {
  readonly card: CardFacts;
  readonly operators: readonly string[];
  /** Another purchase added to the open case; null: the case was opened. */
  readonly added: Pick<TransactionEvent, 'amountCents' | 'merchant'> | null;
}

/** For a cardholder who pressed *It wasn't me*: what happens next. */
export function fraudNotice({ card, operators, added }: Reported): Message {
  const own = `your ${cardName(card)}`;
  const whom = mentions(operators, 'and') || 'the people who run your card program';
  // Sent while the block is still on its way.
  const todo = 'You don’t have to do anything, unless I tell you that the card could not be blocked.';
  const opened = [
    `*Fraud case opened · ${own}.* I’ve asked the card service to block the card, and notified ${whom}.`,
    `*What happens next:* they check your latest purchases, may ask you about them, and order your new card. ${todo}`,
  ];
  const lines =
    added === null
      ? opened
      : [
          `*Added to your open fraud case: ${amountAt(added.amountCents, added.merchant.name)} · ${own}.* I’ve notified ${whom}. ${todo}`,
        ];
  return textMessage(...lines);
}

/** For the cardholder: an operator has closed the fraud case. */
export function fraudCaseClosed({ card, by }: { readonly card: CardFacts; readonly by: string }): Message {
  const stays = card.status === 'BLOCKED' ? 'The card stays blocked.' : 'The card stays as it is.';
  return textMessage(`${mention(by)} closed the fraud case of your ${cardName(card)}. ${stays}`);
}
