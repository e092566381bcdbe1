import type { ReadCommand, UnclearCommand, VerbEntry } from '../actions/verb.ts';
import { maskCardNumbers } from '../core/card-number.ts';
import { closest } from '../core/closest.ts';
import type { Clock } from '../core/end-time.ts';
import { readWhy } from '../routing/verbs.ts';
import { visible } from '../slack/mrkdwn.ts';
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

/** How each verb is begun: `block`, `virtual order`, `travel-mute` and `travel`. */
function leadsOf(command: VerbEntry['command']): readonly string[] {
  if (command === undefined) return [];
  const [first = '', second = ''] = command.usage.split(' ');
  // Two verbs share the first word.
  const lead = first === 'virtual' ? `${first} ${second}` : first;
  return [lead, ...(command.alias === undefined ? [] : [command.alias])];
}

/** Other words for a verb, with how it is begun; null: it is only a button. */
const synonyms = new Map(
  verbNames.flatMap((verb) => {
    const { alsoCalled = [], command } = entryOf(verb);
    return alsoCalled.map((word) => [word, { lead: leadsOf(command)[0] ?? null }] as const);
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
  const plain = visible(text.normalize('NFKC')).replaceAll(/\s+/g, ' ');
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
  return unknownVerb(verb, rest, clock);
}

/** What was probably meant by a first word that does not exist: a typo, or another word for the same. */
function unknownVerb(typed: string, rest: readonly string[], clock: Clock): UnclearCommand {
  const word = typed.toLowerCase();
  const meant = synonyms.has(word) ? null : closest(word, ['help', ...readers.keys()]);
  const synonym = meant === null ? synonyms.get(closest(word, [...synonyms.keys()]) ?? '') : undefined;
  const said = `“${typed.slice(0, 40)}”`;
  if (synonym?.lead === null) {
    const why = `${said} is a button, not a command: press it on the message that it is about, or in my Home tab.`;
    return { kind: 'unclear', why, usage: 'help' };
  }
  const lead = meant ?? synonym?.lead;
  if (lead === undefined) return { kind: 'unclear', why: `I don’t know ${said}.`, usage: 'help' };
  const why = `I don’t know ${said}. Did you mean “${lead}”?`;
  // The same again, rightly spelled, to be copied; where that cannot be read either, how it is written.
  const again = [lead, ...copyable(rest)].join(' ');
  if (parseCommand(again, clock).kind !== 'unclear') return { kind: 'unclear', why, usage: again };
  const form = verbNames
    .map((verb) => entryOf(verb).command)
    .find((command) => [firstWord(command?.usage ?? ''), ...leadsOf(command)].includes(lead));
  return { kind: 'unclear', why, usage: form?.usage ?? 'help', ...(form && { example: form.example }) };
}

/** The first words, up to one that cannot stand inside code and be copied from there. */
function copyable(words: readonly string[]): readonly string[] {
  const plain = words.map((word) => word.replaceAll(/[‘’]/g, "'").replaceAll(/[“”„]/g, '"'));
  const end = plain.findIndex((word) => !/^[\p{L}\p{M}\p{N}$.,:;/'"()+#%=!?-]+$/u.test(word));
  return end === -1 ? plain : plain.slice(0, end);
}

function firstWord(usage: string): string {
  return usage.split(' ', 1)[0] ?? '';
}

/** A person, a channel, a user group or an address, as Slack writes them into a command with `should_escape`. */
const token = /<([@#!]|https?:|mailto:)([^<>|]*)(?:\|([^<>]*))?>/g;

const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };

/**
 * The text of a command as the person typed it, where Slack escaped it. In `link` and `delegate` people stay tokens (`<@U0123>`),
 * because a name says nothing about who somebody is; everything else is plain text again.
 *
 * https://docs.slack.dev/interactivity/implementing-slash-commands#creating-your-command
 */
export function readSlashText(text: string): string {
  const isAboutPeople = /^\s*(link|delegate)\s/i.test(text);
  return text
    .replaceAll(token, (_whole, kind: string, value: string, label: string | undefined) => {
      if (kind === '@') return isAboutPeople ? `<@${value}>` : `@${label ?? value}`;
      if (kind === '#') return `#${label ?? value}`;
      return label ?? (kind === '!' ? `@${value}` : `${kind}${value}`);
    })
    .replaceAll(/&(?:lt|gt|amp);/g, (entity) => entities[entity] ?? entity);
}
