import { z } from 'zod';
import { actionOf, target } from '../actions/action.ts';
import { aboutCard, type ReadCommand, readCard, type UnclearCommand, type VerbEntry } from '../actions/verb.ts';
import { isNumberWord, readDuration, soundsLikeDuration } from '../core/duration.ts';
import { isOwnCard } from '../directory/card-phrases.ts';
import { digitsIn } from '../directory/card-query.ts';
import { mentioned } from '../slack/mrkdwn.ts';

export const AcknowledgeAction = actionOf('acknowledge', target.alert, {});
export type AcknowledgeAction = z.infer<typeof AcknowledgeAction>;
/** *It was me*, pressed by the card's holder. */
export const RecognizeAction = actionOf('recognize', target.alert, {});
export type RecognizeAction = z.infer<typeof RecognizeAction>;
export const CloseFraudCaseAction = actionOf('close-fraud-case', target.alert, {});
export type CloseFraudCaseAction = z.infer<typeof CloseFraudCaseAction>;
const DeclinesAction = actionOf('declines', target.card, {
  /** Start of the period as typed; empty: a week. */
  details: z.string(),
  /** From 1. */
  page: z.int().positive().default(1),
});

export const alertVerbs = {
  acknowledge: {
    action: AcknowledgeAction,
    permission: { role: 'operator', doing: 'acknowledge alerts', restricts: true },
    refusedTo: 'acknowledge an alert about',
    alsoCalled: ['acknowledge', 'ack'],
  },
  recognize: {
    action: RecognizeAction,
    permission: { role: 'holder', doing: 'confirm a purchase' },
    refusedTo: 'confirm a purchase with',
    isOfCard: true,
  },
  'close-fraud-case': {
    action: CloseFraudCaseAction,
    permission: {
      role: 'operator',
      doing: 'close fraud cases',
      notOwnCard: { why: 'You can’t close the fraud case of your own card: it needs another operator.' },
    },
    refusedTo: 'close the fraud case of',
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
  track: {
    action: actionOf('track', target.card, {}),
    permission: { role: 'operator', doing: 'see shipments', holderMay: true },
    refusedTo: 'see the shipments of',
    alsoCalled: ['shipping', 'shipment', 'delivery', 'where'],
    isLook: true,
    isOfCard: true,
    command: {
      usage: 'track CARD',
      example: 'track Jane Doe',
      effect: 'shows where a card is: ordered, shipped, activated or still waiting',
      read: readCard('track', 'track CARD', 'Which card do you mean?'),
    },
  },
} as const satisfies Record<string, VerbEntry>;

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
