import type { Message } from '../../src/slack/message.ts';
import { section, sentence, sentenceWithCommands } from '../core/blocks.ts';

/** A command that could not be read: what is wrong, and how it is written. */
export function unclear({ why, usage }: { why: string; usage: string }): Message {
  const example = `\`${usage}\``;
  const what = sentenceWithCommands(why);
  return {
    text: sentence(`${what} Write ${usage}. Nothing changed.`),
    blocks: [section(`*${what}*`, `Write ${example}`, 'Nothing changed. `/card help` shows all commands.')],
  };
}
