import { z } from 'zod';
import { actionOf, target } from '../actions/action.ts';
import { aboutCard, type ReadCommand, type UnclearCommand, type VerbEntry } from '../actions/verb.ts';
import { isNumberWord, readDuration, soundsLikeDuration } from '../core/duration.ts';
import { mentioned } from '../slack/mrkdwn.ts';
import { isOwnCard } from './card-phrases.ts';
import { digitsIn } from './card-query.ts';

const DeclinesAction = actionOf('declines', target.card, {
  /** Start of the period as typed; empty: a week. */
  details: z.string(),
  /** From 1. */
  page: z.int().positive().default(1),
});

export const directoryVerbs = {
  show: {
    action: actionOf('show', target.card, {}),
    permission: { role: 'operator', doing: 'see cards', holderMay: true },
    refusedTo: 'show',
    alsoCalled: [
      'view',
      'see',
      'display',
      'info',
      'details',
      'status',
      'balance',
      'check',
      'find',
      'lookup',
      'search',
      'get',
    ],
    isLook: true,
    isOfCard: true,
    command: {
      usage: 'show CARD',
      example: 'show 4242',
      effect: 'shows holder, status, limits with what is left, and recent declines',
      read: readShow,
    },
  },
  declines: {
    action: DeclinesAction,
    permission: { role: 'operator', doing: 'see declines', holderMay: true },
    refusedTo: 'see the declines of',
    alsoCalled: ['declined', 'rejections'],
    isLook: true,
    isOfCard: true,
    command: {
      usage: 'declines CARD [7d]',
      example: 'declines 4242 30d',
      effect: 'lists the declines in that time, counted by reason',
      read: readDeclines,
    },
  },
} as const satisfies Record<string, VerbEntry>;

/** `show 4242`, `show me 4242`. */
function readShow(words: readonly string[]): ReadCommand | UnclearCommand {
  const card = words.length > 1 && /^me$/i.test(words[0] ?? '') ? words.slice(1) : words;
  if (card.length === 0) return { kind: 'unclear', why: 'Which card should I show?', usage: 'show CARD' };
  return aboutCard('show', card);
}

const timeWord = /^(for|since|from|last|past|this|today|yesterday|\d+[a-z]+)$/i;

/** True for words that begin a time, even one we cannot parse: `1 month`. A name may end in words such as `Little Day`. */
function startsTime(words: readonly string[]): boolean {
  const [first = ''] = words;
  const isLength = (/^\d/.test(first) || isNumberWord(first)) && soundsLikeDuration(words.slice(0, 2));
  return isLength || timeWord.test(first) || readDuration(words) !== null;
}

/** True for a day, and for a number without a unit behind `4242`, a person or `my card`. `EMP 7` may be a CustomId. */
function lacksUnit(word: string, card: string): boolean {
  const isCard = digitsIn(card) !== null || mentioned(card) !== null || isOwnCard(card);
  return (isCard && /^\d{1,3}$/.test(word)) || /^\d{4}-\d\d-\d\d$/.test(word);
}

/** Parses `4242 30d page 2`. The name comes first, so that a person called "2 Days" is not cut in two. */
function readDeclines(typed: readonly string[]): ReadCommand | UnclearCommand {
  const page = /^page (\d{1,3})$/i.exec(typed.slice(-2).join(' '))?.[1];
  const words = page === undefined ? typed : typed.slice(0, -2);
  if (words.length === 0) return { kind: 'unclear', why: 'Which card do you mean?', usage: 'declines CARD [7d]' };
  const isTime = (word: string, at: number): boolean =>
    startsTime(words.slice(at)) || (at === words.length - 1 && lacksUnit(word, words.slice(0, at).join(' ')));
  const since = words.findIndex((word, at) => at > 0 && isTime(word, at));
  const at = since === -1 ? words.length : since;
  const input = { details: words.slice(at).join(' '), page: Math.max(1, Number(page ?? 1)) };
  return aboutCard('declines', words.slice(0, at), input);
}
