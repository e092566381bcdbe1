import type { Button } from '@slack/types';
import { fraudValue } from '../../src/alerts/alert.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import { actionId } from '../../src/slack/action-id.ts';
import { plain, truncate } from '../../src/slack/mrkdwn.ts';
import { button } from '../core/blocks.ts';
import { cardRaw } from '../core/card-words.ts';

interface OwnCard {
  readonly value: string;
  readonly card: CardFacts;
}

/** The holder's own block. */
export function holderBlockButton({ value, card }: OwnCard, action: string = actionId.blockCard): Button {
  const name = truncate(plain(cardRaw(card)), 60);
  return button({
    text: 'Block my card',
    action,
    value,
    style: 'danger',
    label: `Block your ${name}`,
    confirm: {
      title: 'Block your card?',
      text: `Your ${name} will decline every purchase, including yours, until an approver unblocks it.`,
      confirmText: 'Block my card',
    },
  });
}

/** *It wasn’t me*: blocks the card and opens a fraud case. */
export function fraudButton(alertId: string, card: CardFacts): Button {
  const name = truncate(plain(cardRaw(card)), 60);
  return button({
    text: 'It wasn’t me: block',
    action: actionId.blockCard,
    value: fraudValue(alertId),
    style: 'danger',
    label: `It wasn’t me: block your ${name}`,
    confirm: {
      title: 'Report this purchase as fraud?',
      text: `Your ${name} is blocked immediately, for your own purchases as well, and the operators are notified. You’ll need a new card.`,
      confirmText: 'It wasn’t me',
    },
  });
}

export function recognizeButton(value: string, card: CardFacts): Button {
  const label = `It was me who used my ${cardRaw(card)}`;
  return button({ text: 'It was me', action: actionId.recognize, value, label });
}

/** Opens the form in which the holder asks the approvers. */
export function askButton(value: string, card: CardFacts, action: string): Button {
  const label = `Ask for more for my ${cardRaw(card)}`;
  return button({ text: 'Ask for more…', action, value, style: 'primary', label });
}
