import type { Message } from '../../src/slack/message.ts';
import { context, header, section, sentence } from '../core/blocks.ts';

/** A row of the list. */
export interface HelpEntry {
  /** Behind `/card`. */
  readonly usage: string;
  readonly example: string;
  readonly effect: string;
  readonly who: 'all' | 'operators' | 'approvers';
}

const groups: readonly (readonly [HelpEntry['who'], string])[] = [
  ['all', 'For everyone'],
  ['operators', 'For operators'],
  ['approvers', 'For approvers'],
];

/** @param entries every command, in the order in which they are shown: everybody may know what there is. */
export function help(entries: readonly HelpEntry[]): Message {
  const words = new Set(entries.map(({ usage }) => `/card ${usage.split(' ', 1).join('')}`));

  return {
    text: sentence(`What you can ask Cardbell: ${[...words].join(', ')}.`),
    blocks: [
      header('What you can ask Cardbell'),
      ...groups.map(([who, title]) =>
        section(
          `*${title}*`,
          ...entries
            .filter((entry) => entry.who === who)
            .map(({ usage, effect, example }) => `\`/card ${usage}\` – ${effect}\n        \`${example}\``),
        ),
      ),
      ...context(
        '`/card` alone opens a form: find a card by typing, then choose what to do.',
        'CARD is the last four digits, a card id, an account id, a custom id, or the holder’s name.',
      ),
    ],
  };
}
