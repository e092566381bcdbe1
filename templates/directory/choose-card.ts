import type { CardFacts } from '../../src/core/card-facts.ts';
import { capital } from '../../src/core/first-letter.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { withMentions } from '../../src/slack/mrkdwn.ts';
import { button, context, countOf, escapeUntrusted, section, sentence } from '../core/blocks.ts';
import { cardName, cardOfHolderRaw, holderName, statusWord } from '../core/card-words.ts';
import { sentences } from '../core/change-words.ts';

interface CardChoice {
  /** Opaque id of this choice, used as the button's value. */
  readonly value: string;
  readonly card: CardFacts;
  /** As the card service writes it; null when unknown. */
  readonly status: string | null;
}

export interface ChooseCard {
  /** What will be done with the card: follows "do you want to" and precedes the card, `change a limit of`. */
  readonly doing: string;
  /** What was typed. */
  readonly query: string;
  /** The first choices: as many as a person can look through. */
  readonly choices: readonly CardChoice[];
  /** How many there are in total. */
  readonly matches: number;
  /** Accounts that may have more of them, because their cards are not read yet. */
  readonly unread: number;
}

/** Which of these cards? */
export function chooseCard({ doing, query, choices, matches, unread }: ChooseCard): Message {
  const isOne = matches === 1;
  const found = isOne ? 'One card matches' : `${countOf(matches, 'card')} match`;
  const question = isOne ? 'Is it the one you want to' : 'Which one do you want to';
  const asked = `${found} “${withMentions(escapeUntrusted(query, 80))}”. ${question} ${escapeUntrusted(doing, 60)}?`;
  const more = matches - choices.length;
  const notRead = unread === 0 ? '' : `The cards of ${countOf(unread, 'account')} are not read yet.`;

  return {
    text: sentence(asked),
    blocks: [
      section(`*${asked}*`),
      ...choices.map(({ value, card, status }) => ({
        ...section(
          `*${holderName(card)}*`,
          [
            capital(cardName(card)),
            status === null ? '' : statusWord(status),
            card.acctId === null ? '' : `account ${card.acctId}`,
            card.isVirtual === true ? 'virtual' : '',
          ]
            .filter(Boolean)
            .join(' · '),
        ),
        accessory: button({
          text: 'This one',
          action: actionId.chooseCard,
          value,
          label: `Choose ${cardOfHolderRaw(card)}`,
        }),
      })),
      ...context(sentences(more > 0 ? narrowDown(more) : 'Nothing has changed yet.', notRead)),
    ],
  };
}

function narrowDown(more: number): string {
  return `${more} more ${more === 1 ? 'matches' : 'match'}. Use the card id, the account id or the full name to narrow it down.`;
}
