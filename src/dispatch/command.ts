import type { LimitPeriod } from '../card-api/rule.ts';
import { maskCardNumbers } from '../core/card-number.ts';
import { parseAmount } from '../core/money.ts';
import { readSince, type Since } from '../core/since.ts';
import { readDigest } from '../digests/digest-command.ts';
import type { ChangeRequest } from '../limits/change-request.ts';
import { readTerm } from '../limits/parse-term.ts';
import { parseRaiseCommand, type RaiseCommand } from './ask-command.ts';
import {
  channelVerbs,
  notificationVerbs,
  parseRoutingCommand,
  parseWhy,
  type RoutingCommand,
} from './routing-command.ts';

/** What a slash command asks for, before anybody looked whether the card exists. */
export type Command =
  | { readonly verb: 'help' }
  /** Nothing was typed: which card is meant is looked for in a form. */
  | { readonly verb: 'pick' }
  | { readonly verb: 'show' | 'activate' | 'block' | 'unblock'; readonly words: readonly string[] }
  | { readonly verb: 'link'; readonly words: readonly string[]; readonly subject: string }
  | { readonly verb: 'claim' | 'unlink'; readonly words: readonly string[] }
  | { readonly verb: 'recover'; readonly since: Since }
  /** `text`: as `readDigest` takes it. */
  | { readonly verb: 'digest'; readonly text: string }
  | RoutingCommand
  | { readonly verb: 'order-virtual' | 'resend-virtual'; readonly words: readonly string[] }
  | RaiseCommand
  | {
      readonly verb: 'limit';
      readonly words: readonly string[];
      readonly changeRequest: ChangeRequest;
      readonly reason: string;
    }
  /** It could not be read: what is wrong, and how it is written. */
  | { readonly verb: 'unclear'; readonly why: string; readonly usage: string };

/** Words for each window of a limit. */
const periods: Readonly<Record<string, LimitPeriod>> = {
  daily: 'daily',
  day: 'daily',
  weekly: 'weekly',
  week: 'weekly',
  monthly: 'monthly',
  month: 'monthly',
  yearly: 'yearly',
  year: 'yearly',
  annual: 'yearly',
  lifetime: 'lifetime',
};

const usages = {
  show: '/card show CARD',
  activate: '/card activate CARD',
  block: '/card block CARD [reason]',
  unblock: '/card unblock CARD [reason]',
  link: '/card link CARD [@user]',
  unlink: '/card unlink CARD',
  virtual: '/card virtual order [NAME], or /card virtual resend CARD',
  recover: '/card recover [2h | 2026-11-20T09:00]',
  digest: '/card digest daily 09:00 [zone] | weekly monday 09:00 [zone] | now | off',
  limit:
    '/card limit CARD daily|weekly|monthly|yearly|lifetime AMOUNT [for DURATION | until midnight | until 2026-12-24] [reason]',
} as const;

/** A person, as `readSlashText` leaves it. */
const userToken = /^<@([UW][A-Z0-9]{1,30})>$/;

const noLimitWords = new Set(['none', 'off', 'unlimited']);
const WORDS_MAX = 200;
const DAY_MS = 24 * 3_600_000;

/** Verbs of `/card` that exist. `templates/dispatch/help.ts` lists the same; a test compares them. */
export const commandVerbs = [
  'help',
  'show',
  'activate',
  'block',
  'unblock',
  'limit',
  'ask',
  'link',
  'unlink',
  'recover',
  'digest',
  'virtual',
  ...channelVerbs,
  ...notificationVerbs,
] as const;

/**
 * Reads the text after `/card`. Pure: which card is meant, and whether the person may, is decided later.
 *
 * Of a card number that somebody typed only the last four digits are read; they find the card as well.
 */
export function parseCommand(text: string): Command {
  // Written in one way first, so that no spacing or full-width digit hides a number.
  const plain = text.normalize('NFKC').replaceAll(/\s+/g, ' ');
  const why = parseWhy(plain);
  if (why !== null) return why;
  const masked = maskCardNumbers(plain).replaceAll(/\[card (••\d{4})\]/g, '$1');
  const words = masked
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, WORDS_MAX);
  const [verb, ...rest] = words;
  if (verb === undefined) return { verb: 'pick' };
  switch (verb.toLowerCase()) {
    case 'help':
      return { verb: 'help' };
    case 'show':
    case 'activate':
    case 'block':
    case 'unblock': {
      const known = verb.toLowerCase() as 'show' | 'activate' | 'block' | 'unblock';
      if (rest.length === 0) return { verb: 'unclear', why: `Which card should I ${known}?`, usage: usages[known] };
      return { verb: known, words: rest };
    }
    case 'limit':
      return parseLimit(rest);
    case 'ask':
      return parseRaiseCommand(rest);
    case 'link':
      return parseLink(rest);
    case 'unlink':
      if (rest.length === 0) return { verb: 'unclear', why: 'Which card should I unlink?', usage: usages.unlink };
      return { verb: 'unlink', words: rest };
    case 'digest': {
      const changeRequest = readDigest(rest);
      if (typeof changeRequest === 'string') return { verb: 'unclear', why: changeRequest, usage: usages.digest };
      return { verb: 'digest', text: rest.join(' ') };
    }
    case 'virtual':
      return parseVirtual(rest);
    case 'recover': {
      const since = rest.length === 0 ? { agoMs: DAY_MS } : readSince(rest);
      if (since !== null) return { verb: 'recover', since };
      return { verb: 'unclear', why: 'Since when? Write how long ago, or a date and time.', usage: usages.recover };
    }
    default:
      return (
        parseRoutingCommand(verb.toLowerCase(), rest) ?? {
          verb: 'unclear',
          why: `I do not know “${verb.slice(0, 40)}”.`,
          usage: '/card help',
        }
      );
  }
}

function parseVirtual([verb = '', ...words]: readonly string[]): Command {
  if (verb.toLowerCase() === 'order') return { verb: 'order-virtual', words };
  if (verb.toLowerCase() !== 'resend')
    return { verb: 'unclear', why: 'Should I order a virtual card, or have one sent again?', usage: usages.virtual };
  if (words.length > 0) return { verb: 'resend-virtual', words };
  return { verb: 'unclear', why: 'Which card’s details should be sent again?', usage: usages.virtual };
}

/** With a person it is an approver's word; without, the one who types says to hold the card. */
function parseLink(words: readonly string[]): Command {
  const unclear = (why: string): Command => ({ verb: 'unclear', why, usage: usages.link });
  const card = words.filter((word) => !word.startsWith('@') && !userToken.test(word));
  if (card.length === 0) return unclear('Which card should I link?');
  if (card.length === words.length) return { verb: 'claim', words: card };
  const last = words.at(-1) ?? '';
  const subject = userToken.exec(last)?.[1];
  if (subject === undefined) return unclear('I do not know this person. Pick the name from the list that Slack shows.');
  if (card.length !== words.length - 1) return unclear('Name the card first, then one person.');
  return { verb: 'link', words: card, subject };
}

function parseLimit(words: readonly string[]): Command {
  const unclear = (why: string): Command => ({ verb: 'unclear', why, usage: usages.limit });
  if (words.length === 0) return unclear('Which card, which limit, and how much?');

  // The first word names the card at least, so a holder called "Day" is found all the same.
  const at = words.findIndex((word, index) => index > 0 && periods[word.toLowerCase()] !== undefined);
  const period = periods[words[at]?.toLowerCase() ?? ''];
  if (at === -1 || period === undefined) {
    return unclear('I need to know which limit: daily, weekly, monthly, yearly or lifetime.');
  }
  const amount = words[at + 1];
  if (amount === undefined) return unclear(`How much may the ${period} limit be?`);
  const limitCents = noLimitWords.has(amount.toLowerCase()) ? null : parseAmount(amount);
  if (limitCents === null && !noLimitWords.has(amount.toLowerCase())) {
    return unclear(
      `“${amount.slice(0, 40)}” is no amount. Write dollars such as 450 or $1,250.50, or “none” for no limit.`,
    );
  }

  const read = readTerm(words.slice(at + 2));
  if (typeof read === 'string') return unclear(read);
  return {
    verb: 'limit',
    words: words.slice(0, at),
    changeRequest: { goals: [{ rule: { kind: 'limit', period, category: null }, to: limitCents }], term: read.term },
    reason: read.rest.join(' '),
  };
}
