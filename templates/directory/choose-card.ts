import type { CardFacts } from '../../src/core/card-facts.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { button, context, outside, section, sentence } from '../core/blocks.ts';
import { capital, cardName, cardOfHolderRaw, holderName, statusWord } from '../core/card-words.ts';

export interface CardChoice {
  /** Opaque id of this choice: what the button carries. */
  readonly value: string;
  readonly card: CardFacts;
  /** As the card service writes it; null when not known. */
  readonly status: string | null;
}

export interface ChooseCard {
  /** What will be done with the chosen card: `block`, `show`, … */
  readonly verb: string;
  /** What was typed. */
  readonly query: string;
  readonly choices: readonly CardChoice[];
}

const SHOWN_MAX = 20;

/** Which of these cards? */
export function chooseCard({ verb, query, choices }: ChooseCard): Message {
  const found = choices.length === 1 ? 'One card matches' : `${choices.length} cards match`;
  const question = choices.length === 1 ? 'Is it the one you want to' : 'Which one do you want to';
  const asked = `${found} “${outside(query, 80)}”. ${question} ${outside(verb, 40)}?`;
  const more = choices.length - SHOWN_MAX;

  return {
    text: sentence(asked),
    blocks: [
      section(`*${asked}*`),
      ...choices.slice(0, SHOWN_MAX).map(({ value, card, status }) => ({
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
      ...context(
        more > 0
          ? `${more} more match. Be more precise: use the card id, the account id or the full name.`
          : 'Nothing changed so far.',
      ),
    ],
  };
}
