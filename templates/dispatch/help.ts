import { commandCode, slashCommand } from '../../src/core/installation.ts';
import type { Message } from '../../src/slack/message.ts';
import { context, header, inSections, section, sentence } from '../core/blocks.ts';
import { unsureOfRoles } from '../policy/not-permitted.ts';

/** A row of the list. */
export interface HelpEntry {
  /** The syntax after `/card`. */
  readonly usage: string;
  readonly example: string;
  readonly effect: string;
}

/** How many commands are shown in full, with examples. */
const FIRST = 5;

/** Lines per block: few enough that no block is truncated. */
const MORE_LINES = 12;

export interface Help {
  /** What this person may do, most used first. */
  readonly own: readonly HelpEntry[];
  /** What only other people may do. */
  readonly others: readonly HelpEntry[];
  /** Whose cards this person may see. */
  readonly cards: 'all' | 'own' | 'none';
  /** They may have more roles: Slack does not list a user group. */
  readonly isUnsure?: boolean;
}

export function help({ own, others, cards, isUnsure = false }: Help): Message {
  const more = own.slice(FIRST);
  const mine = commands(own);
  const theirs = commands(others).filter((command) => !mine.includes(command));

  return {
    text: sentence(`What you can ask Cardbell: ${mine.join(', ')}.`),
    blocks: [
      header('What you can ask Cardbell'),
      ...(isUnsure ? [section(unsureOfRoles)] : []),
      section(
        ...own
          .slice(0, FIRST)
          .map(({ usage, effect, example }) => `${commandCode(usage)} – ${effect}\n        ${commandCode(example)}`),
      ),
      ...(more.length === 0
        ? []
        : inSections(['*More*', ...more.map(({ usage, effect }) => `${commandCode(usage)} – ${effect}`)], MORE_LINES)),
      ...context(theirs.length === 0 ? null : `Other roles can also use: ${theirs.join(', ')}.`, ...aboutCards(cards)),
    ],
  };
}

function aboutCards(cards: Help['cards']): readonly string[] {
  return {
    all: [
      `${commandCode()} by itself opens a form: find a card by typing, then choose what to do.`,
      'CARD is the last four digits, a card id, an account id, a custom id, or the holder’s name.',
    ],
    own: [
      `${commandCode()} by itself opens a form: choose one of your cards, then what to do.`,
      'CARD is the last four digits of a card that is linked to you.',
    ],
    none: ['CARD is the last four digits of your card.'],
  }[cards];
}

/** Each command once. */
function commands(entries: readonly HelpEntry[]): string[] {
  return [...new Set(entries.map(({ usage }) => slashCommand(usage.split(' ', 1).join(''))))];
}
