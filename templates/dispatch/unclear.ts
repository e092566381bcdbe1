import { commandCode, slashCommand } from '../../src/core/installation.ts';
import type { Message } from '../../src/slack/message.ts';
import { section, sentence, sentenceWithCommands } from '../core/blocks.ts';

/** A command that could not be parsed: the problem and the correct syntax. */
export function unclear({ why, usage, example }: { why: string; usage: string; example?: string }): Message {
  const what = sentenceWithCommands(why);
  const instance = example === undefined ? '' : `, for instance ${commandCode(example)}`;
  return {
    text: sentence(`${what} Write ${slashCommand(usage)}. Nothing changed.`),
    blocks: [
      section(
        `*${what}*`,
        // The last line says it.
        usage === 'help' ? null : `Write ${commandCode(usage)}${instance}`,
        `Nothing changed. ${commandCode('help')} shows all commands.`,
      ),
    ],
  };
}
