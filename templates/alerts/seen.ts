import type { CardFacts } from '../../src/core/card-facts.ts';
import type { Message } from '../../src/slack/message.ts';
import { mention } from '../../src/slack/mrkdwn.ts';
import { textMessage } from '../core/blocks.ts';
import { cardOfHolder } from '../core/card-words.ts';

/** For a person who acknowledged an alert that only they had open. */
export function seen(card: CardFacts): Message {
  return textMessage(`Marked as seen: the alert about ${cardOfHolder(card)}. Its message now says so to everybody.`);
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
