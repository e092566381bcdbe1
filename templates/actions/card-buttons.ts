import type { Button } from '@slack/types';
import type { CardFacts } from '../../src/core/card-facts.ts';
import { actionId } from '../../src/slack/action-id.ts';
import { plain, truncate } from '../../src/slack/mrkdwn.ts';
import { button } from '../core/blocks.ts';
import { cardOfHolderRaw } from '../core/card-words.ts';

interface About {
  /** An opaque id: the alert. */
  readonly value: string;
  readonly card: CardFacts;
}

/** In a dialog the name is truncated, because the dialog's own text must stay complete. */
export function named(card: CardFacts, max: number): string {
  return truncate(plain(cardOfHolderRaw(card)), max);
}

export function blockButton({ value, card }: About, action: string = actionId.blockCard): Button {
  return button({
    text: 'Block card',
    action,
    value,
    style: 'danger',
    label: `Block ${named(card, 65)}`,
    confirm: {
      title: 'Block this card?',
      text: `${named(card, 110)} will decline every purchase until somebody unblocks it.`,
    },
  });
}

/** For an alert: marks it as seen. */
export function acknowledgeButton({ value, card }: About): Button {
  const label = `Acknowledge the alert about ${named(card, 45)}`;
  return button({ text: 'Acknowledge', action: actionId.acknowledgeAlert, value, label });
}

export function activateButton({ value, card }: About, action: string = actionId.activateCard): Button {
  return button({
    text: 'Activate card',
    action,
    value,
    style: 'primary',
    label: `Activate ${named(card, 60)}`,
    confirm: {
      title: 'Activate this card?',
      text: `${named(card, 110)} will work from then on. If the account has other open cards, you are asked again before they are closed for good.`,
    },
  });
}
