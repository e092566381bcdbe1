import type { CardFacts } from '../../src/core/card-facts.ts';
import type { Message } from '../../src/slack/message.ts';
import { mention } from '../../src/slack/mrkdwn.ts';
import { textMessage } from '../core/blocks.ts';
import { cardOfHolder } from '../core/card-words.ts';

const done = { acknowledge: 'Marked as seen: the alert about', 'close-case': 'Closed: the fraud case of' } as const;

/** For a person who responded to an alert where it does not show that. @param isShown its messages in the channel do. */
export function responded(mark: keyof typeof done, card: CardFacts, isShown: boolean): Message {
  const text = `${done[mark]} ${cardOfHolder(card)}.`;
  return textMessage(isShown ? `${text} Its message now says so to everybody.` : text);
}

const marks = {
  acknowledge: 'marked this alert as seen',
  recognize: 'confirmed this purchase',
  'close-case': 'closed this fraud case',
} as const;

/** For a person who responded to an alert after somebody else. */
export function respondedBefore(mark: keyof typeof marks, by: string | null): Message {
  return textMessage(`${by === null ? 'Somebody' : mention(by)} ${marks[mark]} before you. Nothing changed.`);
}
