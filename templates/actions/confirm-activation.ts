import type { CardFacts } from '../../src/core/card-facts.ts';
import { capital } from '../../src/core/first-letter.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { actions, button, context, countOf, section, sentence } from '../core/blocks.ts';
import { cardName, cardOfHolder, cardOfHolderRaw, statusWord } from '../core/card-words.ts';

export interface ConfirmActivation {
  /** Opaque id: the button's value. */
  readonly value: string;
  readonly card: CardFacts;
  /** The account's other open cards. Activating this one closes them for good. */
  readonly ending: readonly { readonly card: CardFacts; readonly status: string }[];
}

const SHOWN_MAX = 10;

/** The only confirmation that Cardbell asks for, because this cannot be undone. */
export function confirmActivation({ value, card, ending }: ConfirmActivation): Message {
  const count = countOf(ending.length, 'other open card');
  const asked = `Activating ${cardOfHolder(card)} closes ${count} of the account for good.`;
  const shown = ending.slice(0, SHOWN_MAX);
  const more = ending.length - shown.length;
  const names = shown.map((other) => `${capital(cardName(other.card))} (${statusWord(other.status)})`);

  return {
    text: sentence(`${asked} Closing: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`),
    blocks: [
      section(`*${asked}*`, 'This cannot be undone. These will be closed:'),
      section(...names.map((name) => `• ${name}`), more > 0 ? `• and ${more} more` : null),
      ...actions(
        button({
          text: 'Activate and close others',
          action: actionId.activateCard,
          value,
          style: 'danger',
          label: `Activate ${cardOfHolderRaw(card)}`,
          confirm: {
            title: 'Close the other cards for good?',
            text: `Once this card is activated, ${count} of the account can never be used again.`,
            confirmText: 'Activate',
          },
        }),
      ),
      ...context('To leave everything as it is, do nothing.'),
    ],
  };
}
