import type { ReadCommand, UnclearCommand } from '../actions/verb.ts';
import { maskCardNumbers } from '../core/card-number.ts';
import { closest } from '../core/closest.ts';
import type { Clock } from '../core/end-time.ts';
import { readWhy } from '../routing/verbs.ts';
import { entryOf, verbNames } from './verbs.ts';

/** What a slash command asks for, before anybody looked whether the card exists. */
export type Command =
  | { readonly kind: 'help' }
  /** Nothing was typed: which card is meant is looked for in a form. */
  | { readonly kind: 'pick' }
  | ReadCommand
  | UnclearCommand;

const WORDS_MAX = 200;

/** Who reads what follows the first word after `/card`. */
const readers = new Map(
  verbNames.flatMap((verb) => {
    const { command } = entryOf(verb);
    if (command?.read === undefined) return [];
    const { read, usage, alias } = command;
    return [firstWord(usage), ...(alias === undefined ? [] : [alias])].map((word) => [word, read] as const);
  }),
);

/** The first words after `/card` that exist. */
export const commandWords: readonly string[] = [
  'help',
  ...new Set(verbNames.flatMap((verb) => entryOf(verb).command?.usage ?? []).map(firstWord)),
];

/**
 * Reads the text after `/card`. Pure: which card is meant, and whether the person may, is decided later.
 *
 * Of a card number that somebody typed only the last four digits are read; they find the card as well.
 */
export function parseCommand(text: string, clock: Clock): Command {
  // Written in one way first, so that no spacing or full-width digit hides a number.
  const plain = text.normalize('NFKC').replaceAll(/\s+/g, ' ');
  const why = readWhy(plain);
  if (why !== null) return why;
  const masked = maskCardNumbers(plain).replaceAll(/\[card (••\d{4})\]/g, '$1');
  const words = masked
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, WORDS_MAX);
  const [verb, ...rest] = words;
  if (verb === undefined) return { kind: 'pick' };
  if (verb.toLowerCase() === 'help') return { kind: 'help' };
  const read = readers.get(verb.toLowerCase());
  if (read !== undefined) return read(rest, clock);
  const meant = closest(verb, ['help', ...readers.keys()]);
  const suggestion = meant === null ? '' : ` Did you mean “${meant}”?`;
  return {
    kind: 'unclear',
    why: `I don’t know “${verb.slice(0, 40)}”.${suggestion}`,
    // The same again, rightly spelled, to be copied.
    usage: meant === null ? 'help' : [meant, ...rest.filter((word) => /^[\p{L}\p{N}$.,:-]+$/u.test(word))].join(' '),
  };
}

function firstWord(usage: string): string {
  return usage.split(' ', 1)[0] ?? '';
}

/** A person, a channel, a user group or an address, as Slack writes them into a command with `should_escape`. */
const token = /<([@#!]|https?:|mailto:)([^<>|]*)(?:\|([^<>]*))?>/g;

const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };

/**
 * The text of a command as the person typed it, where Slack escaped it. In `link` people stay tokens (`<@U0123>`),
 * because a name says nothing about who somebody is; everything else is plain text again.
 *
 * https://docs.slack.dev/interactivity/implementing-slash-commands#creating-your-command
 */
export function readSlashText(text: string): string {
  const isAboutPeople = /^\s*link\s/i.test(text);
  return text
    .replaceAll(token, (_whole, kind: string, value: string, label: string | undefined) => {
      if (kind === '@') return isAboutPeople ? `<@${value}>` : `@${label ?? value}`;
      if (kind === '#') return `#${label ?? value}`;
      return label ?? (kind === '!' ? `@${value}` : `${kind}${value}`);
    })
    .replaceAll(/&(?:lt|gt|amp);/g, (entity) => entities[entity] ?? entity);
}
