import type { ReadCommand, UnclearCommand, VerbEntry } from '../actions/verb.ts';
import { isCardNumber, maskCardNumbers, plainText } from '../core/card-number.ts';
import { closest, isMisspelt } from '../core/closest.ts';
import type { Clock } from '../core/end-time.ts';
import { goneWords, whyOwnCardGone, withCardAsSaid } from '../directory/card-phrases.ts';
import { readTermAlone } from '../limits/read-term.ts';
import { readWhy } from '../routing/verbs.ts';
import { visible } from '../slack/mrkdwn.ts';
import { entryOf, isOfCard, verbNames } from './verbs.ts';

/** What a slash command asks for. Whether the card exists is checked later. */
export type Command =
  | { readonly kind: 'help' }
  /** Nothing was typed: a form lets the person pick a card. */
  | { readonly kind: 'pick' }
  | ReadCommand
  | UnclearCommand;

/** Reading times in more words than this takes too long. */
const WORDS_MAX = 200;

/** The parser for the text after the first word. */
const readers = new Map(
  verbNames.flatMap((verb) => {
    const { command } = entryOf(verb);
    if (command?.read === undefined) return [];
    const { read, usage, alias } = command;
    return [firstWord(usage), ...(alias === undefined ? [] : [alias])].map((word) => [word, read] as const);
  }),
);

/** The words each verb starts with: `block`, `virtual order`, `travel-mute` and `travel`. */
function leadsOf(command: VerbEntry['command']): readonly string[] {
  if (command === undefined) return [];
  const [first = '', second = ''] = command.usage.split(' ');
  // Two verbs share this first word.
  const lead = first === 'virtual' ? `${first} ${second}` : first;
  return [lead, ...(command.alias === undefined ? [] : [command.alias])];
}

/** Other words for a verb, with its first words; null: it is only a button. */
const synonyms = new Map(
  verbNames.flatMap((verb) => {
    const { alsoCalled = [], command } = entryOf(verb);
    return alsoCalled.map((word) => [word, { lead: leadsOf(command)[0] ?? null }] as const);
  }),
);

/**
 * Parses the text after `/card`. Pure: which card is meant, and whether the person may act, is decided later.
 *
 * Only the last four digits of a typed card number are used; they are enough to find the card.
 */
export function parseCommand(text: string, clock: Clock): Command {
  // First, so that no spacing or full-width digit hides a number.
  const plain = plainTyped(text);
  const why = readWhy(plain);
  if (why !== null) return why;
  const { masked, unsure } = maskTyped(plain);
  const words = masked
    .trim()
    .replace(polite, '')
    .split(/\s+/)
    .filter((word) => word !== '');
  const [verb, ...rest] = words;
  if (verb === undefined) return { kind: 'pick' };
  const first = verb.toLowerCase();
  // `block help` and `help block` explain the verb.
  const about = isHelp(first) ? rest : isHelp(rest.at(-1)) ? words.slice(0, -1) : [];
  const explained = explain(about.join(' ').toLowerCase());
  if (explained !== null) return explained;
  if (isHelp(first)) return { kind: 'help' };
  const read = readers.get(first);
  if (read === undefined) return unknownVerb(verb, rest, clock);
  // The end may hold a time or the half of a filter. After a card to block there is only a reason, and a stolen card
  // must not wait for a shorter one.
  if (rest.length > WORDS_MAX && first !== 'block')
    return unclear(first, `That is more than ${WORDS_MAX} words, too many for me to read. Write fewer.`);
  if (unsure !== null && [...beforeCard].some((lead) => asRead(plain).startsWith(lead)))
    return unclear(first, `Is “${unsure}” the card? Write only its last four digits.`);
  const command = read(rest.slice(0, WORDS_MAX), clock);
  // `link` reads its card itself: nobody’s only card is known before one is linked to them.
  const isAsSaid = command.kind === 'read' && isOfCard(command.verb) && command.verb !== 'link';
  return isAsSaid ? withCardAsSaid(command) : command;
}

/** Parses the duration that a form asks for, as after `/card limit`. */
export function parseTerm(text: string, clock: Clock): ReturnType<typeof readTermAlone> {
  return readTermAlone(maskTyped(plainTyped(text)).masked.trim().split(' ').slice(0, WORDS_MAX), clock);
}

function plainTyped(text: string): string {
  return visible(plainText(text.replaceAll(besideDigit, '^'))).replaceAll(/\s+/g, ' ');
}

/** Where a footnote, an exponent or a fraction begins or ends: `450¹` is not 4501, and `1½` is not 11/2. */
const besideDigit = /(?<=\p{Nd})(?=\p{No})|(?<=\p{No})(?=\p{Nd})/gu;

/** In front of a verb. */
const polite = /^(?:(?:please|pls|(?:can|could|would) you)\s+)+/i;

const gap = '[\\s,;./–—-]+';
/** Words that nobody writes as a group of a card number. */
const plainNumbers = [
  // A day with its year.
  '20\\d\\d-\\d\\d-\\d\\d',
  '\\d{1,2}/\\d{1,2}/20\\d\\d',
  // An amount, which may follow an account id. Behind other digits it may be the end of a card number.
  `(?<!(?<!\\S)\\d{1,6}${gap})(?<!\\d${gap}\\d{7,9}${gap})\\d{1,3}(?:,\\d{3}){0,2}\\.\\d\\d`,
  `(?<!\\d${gap})\\d{4,6}\\.\\d\\d`,
  `(?<!\\d${gap})\\d{1,3}(?:,\\d{3}){1,2}(?!${gap}\\d)`,
];
/** Merchant category codes, of which a filter lists several. Nobody calls a card number a category. */
const categoryCodes = '(?<=\\bcategory[\\s:]+)\\d{4}(?: ?, ?\\d{4})+(?![^\\s),;])';
const plainNumber = new RegExp(`((?<!\\S)(?:${plainNumbers.join('|')})(?=[,;]?(?!\\S))|${categoryCodes})`, 'i');

/** What people write between the groups of a card number. A list of cards has other signs. */
const cardGroups = /^\d+(?:[\s./\p{Dash}]{1,3}\d+)*/u;
/** How many digits the groups of a card number have: `4-4-4-4`, `4-4-8`, `6-10`, `4-6-5`. */
const groupSizes = /^(?:1[3-9]|6-10|4-6-[45]|(?:4|8|12|16)(?:-(?:4|8|12))*(?:-3)?)$/;
const phone = '(?:1[-. ]?)?(?:\\d{3}[-. ]\\d{3}[-. ]|\\d{6}|\\d{3}[-.])\\d{4}';
const germanDate = '\\d{1,2}\\.\\d{1,2}\\.(?:\\d\\d|20\\d\\d)?';
/** A card, and behind it digits that plainly do not belong to it: `4242, 4343`, `4242 & 4343`, `4242 - 512-555-0128`. */
const cardAlone = new RegExp(
  `^(\\d{3,8}[,;]?)(?=\\s)(?:(?<=[,;])|\\s+[^\\s\\d./\\p{Dash}]|\\s+(?:\\p{Dash}\\s*)?(?:${phone}|${germanDate})(?!\\d))`,
  'u',
);

/**
 * Masks card numbers. Two days have as many digits as a card number, and one in ten pairs has its check digit.
 *
 * So do a card’s last four and a phone number: `4242 512-555-0128`. These are masked, but the first ones still name the card.
 * `unsure`: `••4242` of digits that may be one card number, or a card and something else.
 */
function maskTyped(text: string): { masked: string; unsure: string | null } {
  const parts = text.split(plainNumber).map((part, index) => (index % 2 === 1 ? part : maskCardNumbers(part)));
  const masked = parts.join('').replaceAll(/\[card (••\d{4})\]/g, '$1');
  const lead = /^\D*/.exec(text)?.[0] ?? '';
  // Behind `ask`, they may be an amount.
  if (!masked.startsWith(`${lead}••`) || /\bask /i.test(lead)) return { masked, unsure: null };
  const typed = text.slice(lead.length);
  const behind = masked.slice(lead.length);
  const card = numberAtStart(typed) ?? cardAlone.exec(typed)?.[1];
  // A CustomId is one word.
  if (card === undefined) return { masked, unsure: /^\d{3,8}\s/.test(typed) ? behind.slice(0, 6) : null };
  return { masked: behind.startsWith(card) ? masked : `${lead}${card} ${behind}`, unsure: null };
}

/** `••4242` of a complete card number, in groups as people write one. */
function numberAtStart(text: string): string | undefined {
  const groups = cardGroups.exec(text)?.[0].match(/\d+/g) ?? [];
  for (let count = 1; count <= groups.length; count += 1) {
    const number = groups.slice(0, count);
    const sizes = number.map((group) => group.length).join('-');
    if (groupSizes.test(sizes) && isCardNumber(number.join(''))) return `••${number.join('').slice(-4)}`;
  }
  return undefined;
}

const helpWords: readonly string[] = ['help', '?', '-h', '--help'];
const isHelp = (word = ''): boolean => helpWords.includes(word.toLowerCase());

function unclear(first: string, why: string): UnclearCommand {
  return { kind: 'unclear', why, usage: formsOf(first)[0]?.usage ?? 'help' };
}

/** What each form of a verb does; null: there is no such verb. */
function explain(lead: string): UnclearCommand | null {
  const forms = formsOf(lead);
  const [form] = forms;
  if (form === undefined) return null;
  const effects = forms.map(({ usage, effect }) => `“${forms.length === 1 ? lead : usage}” ${effect}.`);
  const usage = forms.map((each) => each.usage).join(' | ');
  return { kind: 'unclear', why: effects.join(' '), usage, example: form.example };
}

/** The forms of `virtual order`, of `link` with and without a person, or of both verbs that start with `virtual`. */
function formsOf(lead: string) {
  const forms = verbNames.flatMap((verb) => entryOf(verb).command ?? []);
  const named = forms.filter((form) => leadsOf(form).includes(lead));
  return named.length > 0 ? named : forms.filter(({ usage }) => firstWord(usage) === lead);
}

/** A longer command would be cut where it is shown. */
const AGAIN_MAX = 300;

/** First words of questions, which are no typos of `show` and `why`. */
const questionWords: readonly string[] = ['how', 'who'];
/** `a new card`, `the card of Jane Doe`: neither digits nor a name in front of it. */
const unnamedCard = new RegExp(
  `^(?:(?:an?|the|this|that|my|own|his|her|their|new|${goneWords})[,.;:]? )*cards?[,.;:!?]*(?: \\D*)?$`,
  'i',
);
/** `another virtual card for Sam`: any words could be the name of a virtual card to order. */
const unnamedOrder = /^\D*(?:^| )cards?[,.!?]*(?: \D*)?$/i;

/** The probable meaning of an unknown first word: a typo, or a synonym. */
function unknownVerb(typed: string, rest: readonly string[], clock: Clock): UnclearCommand {
  // `where’s`
  const word = typed.toLowerCase().replace(/['’]s$/, '');
  const meant = synonyms.has(word) || questionWords.includes(word) ? null : closest(word, ['help', ...readers.keys()]);
  const withNext = synonyms.get(`${word} ${rest[0]?.toLowerCase()}`);
  const synonym = meant === null ? (withNext ?? synonymOf(word)) : undefined;
  const quoted = `“${typed.slice(0, 40)}”`;
  if (synonym?.lead === null) {
    const why = `${quoted} is a button, not a command: press it on the message that it is about, or in my Home tab.`;
    return { kind: 'unclear', why, usage: 'help' };
  }
  const gone = whyOwnCardGone([typed, ...rest].join(' '));
  const lead = gone === null ? (meant ?? synonym?.lead) : 'block';
  if (lead === undefined) return { kind: 'unclear', why: `I don’t know ${quoted}.`, usage: 'help' };
  const why = `I don’t know ${quoted}. Did you mean “${lead}”?`;
  // `Report stolen 4242` and `raise limit 4242` name the verb twice; `where is 4242` goes on.
  const isVerbAgain = (other: string): boolean => other === lead || synonyms.get(other)?.lead === lead;
  // “Are” is a first name.
  const goesOn = (other: string): boolean => lead === 'track' && /^(?:[Ii][Ss]|are)$/.test(other);
  const at = rest.findIndex((other) => !isVerbAgain(other.toLowerCase()) && !goesOn(other));
  // The corrected command, for copying. If it cannot be parsed either, the syntax. A part of it may mean something else.
  const words = gone === null ? copyable(at === -1 ? [] : rest.slice(at)) : ['my', 'card', gone];
  const again = [lead, ...(words ?? [])].join(' ');
  const isShort = again.length <= AGAIN_MAX;
  if (words !== null && isShort && isComplete(words, parseCommand(again, clock)))
    return { kind: 'unclear', why, usage: again };
  const forms = formsOf(lead);
  const usage = forms.length === 0 ? 'help' : forms.map((form) => form.usage).join(' | ');
  const example = forms.at(-1)?.example;
  return { kind: 'unclear', why, usage, ...(example !== undefined && { example }) };
}

/** Exactly, or with a typo: `please` is no `release`. */
function synonymOf(word: string) {
  return synonyms.get(word) ?? synonyms.get([...synonyms.keys()].find((known) => isMisspelt(word, [known])) ?? '');
}

/** Whether these words make a command that says which card it is about. */
function isComplete(words: readonly string[], command: Command): boolean {
  if (command.kind !== 'read' || command.target.kind === 'own') return command.kind !== 'unclear';
  return !(command.verb === 'order-virtual' ? unnamedOrder : unnamedCard).test(words.join(' '));
}

/** The words as they can be shown as code and copied from there; null if one of them cannot. */
function copyable(words: readonly string[]): readonly string[] | null {
  const plain = words.map((word) => word.replaceAll(/[‘’]/g, "'").replaceAll(/[“”„]/g, '"'));
  return plain.every((word) => /^[\p{L}\p{M}\p{N}$.,:;/'"()+#%=!?-]+$/u.test(word)) ? plain : null;
}

function firstWord(usage: string): string {
  return usage.split(' ', 1)[0] ?? '';
}

/** A person, channel, user group or link, as Slack writes them into a command with `should_escape`. */
const token = /<([@#!]|https?:|mailto:)([^<>|]*)(?:\|([^<>]*))?>/g;

const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };

/** What is typed before a card: `block`, `virtual resend`; `why` takes one, too. */
const beforeCard = new Set(
  [...verbNames.filter((verb) => entryOf(verb).isOfCard === true), 'why' as const]
    .flatMap((verb) => leadsOf(entryOf(verb).command))
    .map((lead) => `${lead} `),
);

/** The command up to there, as it is read: without what is polite, as in `please show me`. */
function asRead(start: string): string {
  return start.trimStart().replace(polite, '').replace(/\s+/g, ' ').toLowerCase();
}

/**
 * Restores a command's text as typed, if Slack escaped it. In place of a card, and in `link` and `delegate`, people stay
 * tokens (`<@U0123>`), because a name does not identify a person, and in `digest` a channel is its id. Everything else
 * becomes plain text again.
 *
 * https://docs.slack.dev/interactivity/implementing-slash-commands#creating-your-command
 */
export function readSlashText(text: string): string {
  const isAboutPeople = /^(link|delegate) /.test(asRead(text));
  const isAboutChannels = asRead(text).startsWith('digest ');
  const isBeforeCard = (start: string): boolean =>
    beforeCard.has(asRead(start).replace(/^(show|travel) (?:me|mute) /, '$1 '));
  return text
    .replaceAll(token, (_whole, kind: string, value: string, label: string | undefined, at: number) => {
      if (kind === '@') return isAboutPeople || isBeforeCard(text.slice(0, at)) ? `<@${value}>` : `@${label ?? value}`;
      // The name of a channel is not enough to find it.
      if (kind === '#') return isAboutChannels ? value : `#${label ?? value}`;
      return label ?? (kind === '!' ? `@${value}` : `${kind}${value}`);
    })
    .replaceAll(/&(?:lt|gt|amp);/g, (entity) => entities[entity] ?? entity);
}
