import type { Message } from '../../src/slack/message.ts';
import { outside, section, sentence } from '../core/blocks.ts';

/** A command that could not be read: what is wrong, and how it is written. */
export function unclear({ why, usage }: { why: string; usage: string }): Message {
  const example = `\`${usage}\``;
  return {
    text: sentence(`${outside(why, 300)} Write ${usage}. Nothing changed.`),
    blocks: [
      section(`*${outside(why, 300)}*`, `Write ${example}`, 'Nothing changed. `/card help` shows all commands.'),
    ],
  };
}
