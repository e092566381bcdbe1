import type { CardFacts } from '../../src/core/card-facts.ts';
import type { Message } from '../../src/slack/message.ts';
import { section, sentence } from '../core/blocks.ts';
import { cardOfHolder } from '../core/card-words.ts';

/** For a person who acknowledged an alert that only they had open. */
export function seen(card: CardFacts): Message {
  const text = `Marked as seen: the alert about ${cardOfHolder(card)}. Its message now says so to everybody.`;
  return { text: sentence(text), blocks: [section(text)] };
}
