import { z } from 'zod';
import { copyable } from '../../templates/core/blocks.ts';
import { actionOf, Target, target } from '../actions/action.ts';
import type { ReadCommand, UnclearCommand, VerbEntry } from '../actions/verb.ts';
import { limitPeriods } from '../card-api/rule.ts';
import { Term } from '../card-api/rule-change.ts';
import { formatDuration, mayMeanTime, soundsLikeDuration } from '../core/duration.ts';
import type { Clock } from '../core/end-time.ts';
import { commandCode } from '../core/installation.ts';
import { formatCents, leadingDollar, parseAmount, parseAmountWord, readAmount } from '../core/money.ts';
import { countQuoted } from '../directory/card-query.ts';
import { ChangeRequest } from '../limits/change-request.ts';
import { readPeriod, splitPer, textOf, timeForAmount } from '../limits/read-limit.ts';
import { readTerm } from '../limits/read-term.ts';
import { REQUEST_OVERDUE_MS } from '../policy/decide-action.ts';

/** An amount a holder wants to pay, and until when. The rule to change is determined later. */
export const AskAction = actionOf('ask', target.card, {
  ask: z.strictObject({ amountCents: z.int().positive(), term: Term }),
});
export type AskAction = z.infer<typeof AskAction>;

export const DecideAction = actionOf('decide', target.request, {
  approve: z.boolean(),
  /** An approver's own amount or duration; null: as requested. */
  changeRequest: ChangeRequest.nullable(),
});
export type DecideAction = z.infer<typeof DecideAction>;

export const WithdrawAction = actionOf('withdraw', target.request, {});
export type WithdrawAction = z.infer<typeof WithdrawAction>;

export const OverrideAction = actionOf('emergency-override', target.request, {});
export type OverrideAction = z.infer<typeof OverrideAction>;

/** The part of any verb's input that a question to others shows. */
export const AskedInput = z
  .object({ changeRequest: ChangeRequest.nullable(), details: z.string(), subject: z.string() })
  .partial();

/** Asks the people who may do what was refused. */
export const AskPermissionAction = actionOf('ask-permission', Target, {
  /** The refused verb. */
  asked: z.string(),
  /** What it was given, as far as people need it to decide. */
  input: AskedInput.optional(),
});
export type AskPermissionAction = z.infer<typeof AskPermissionAction>;

const askUsage = 'ask [CARD] AMOUNT [this purchase | for 4h | until friday | until May 9] [reason]';

export const approvalVerbs = {
  ask: {
    action: AskAction,
    permission: {
      role: 'holder',
      doing: 'ask for more',
      whyRole: 'Only the card’s holder can ask for more.',
      needsOthers: 'always',
    },
    refusedTo: 'ask for a higher limit for',
    alsoCalled: ['request', 'need', 'pay'],
    isOfCard: true,
    isOfAccount: true,
    command: {
      usage: 'ask [CARD] AMOUNT [for DURATION] [reason]',
      example: 'ask 300 for 2 days hotel in Denver',
      effect: 'asks the approvers to let you pay this with your own card; for one purchase unless you say how long',
      read: readAsk,
    },
  },
  'ask-permission': {
    action: AskPermissionAction,
    permission: { role: null, doing: 'ask for help' },
    refusedTo: 'ask others about',
  },
  decide: {
    action: DecideAction,
    // Denying changes nothing, so the rules for one's own card and own request apply only to approvals.
    permission: {
      role: 'approver',
      doing: 'decide requests',
      notOwnCard: { why: 'It is your own card, or has your name or email address: it needs another approver.' },
      notOwnAction: { why: 'You have approved it already: it needs another approver.' },
    },
    refusedTo: 'decide a request for',
    alsoCalled: ['approve', 'deny', 'reject', 'decide'],
  },
  withdraw: {
    action: WithdrawAction,
    permission: {
      role: null,
      doing: 'withdraw requests',
      onlyOwnAction: { why: 'Only the person who asked can withdraw a request.' },
    },
    refusedTo: 'withdraw a request for',
  },
  'emergency-override': {
    action: OverrideAction,
    permission: {
      role: 'operator',
      doing: 'use the emergency override',
      loosens: true,
      notOwnCard: { why: 'You can’t use the emergency override for your own request.' },
      notOwnAction: { why: 'You can’t use the emergency override for your own request.' },
      after: {
        ms: REQUEST_OVERDUE_MS,
        why: `Approvers have ${formatDuration(REQUEST_OVERDUE_MS)} to answer before the emergency override is available.`,
      },
    },
    refusedTo: 'use the emergency override for',
    alsoCalled: ['override', 'emergency'],
  },
} as const satisfies Record<string, VerbEntry>;

/**
 * Parses `4242 300 for 2 days hotel`. Of two amounts in a row the first is the card, because last four digits and ids
 * look like amounts. Without a duration it is for this purchase only. Without a reason a form asks for one.
 */
function readAsk(typed: readonly string[], clock: Clock): ReadCommand | UnclearCommand {
  const words = typed.flatMap(splitPer);
  const unclear = (why: string, example: string = approvalVerbs.ask.command.example): UnclearCommand => ({
    kind: 'unclear',
    why,
    usage: askUsage,
    example,
  });
  const quoted = countQuoted(words);
  // `4242: hotel 300`: a colon behind last four digits or an id names a card.
  const isAmount = (word: string): boolean => !/^\d{4,}:$/.test(word) && parseAmountWord(word) !== null;
  const first = words.findIndex((word, index) => index >= quoted && (leadingDollar.test(word) || isAmount(word)));
  const at = isCardAt(words, first) ? first + 1 : first;
  const amount = first === -1 || soundsLikeDuration(words.slice(at, at + 2)) ? null : readAmount(words.slice(at));
  const before = words.slice(0, Math.max(0, at));
  const starts = [at - 1, first + 1, at + (amount?.words ?? 1)];
  if (before.some((word) => ofLimit.test(word)) || starts.some((start) => namesPeriod(words.slice(Math.max(0, start)))))
    return unclear('Write what you want to pay: approvers see which limit that takes.');
  if (amount === null) return unclear(timeForAmount(words.slice(at)) ?? howMuch(words));
  if (amount.cents === 0) return unclear('How much do you want to pay? Enter an amount above $0.');
  const behind = words.slice(at + amount.words);
  const named = cardOf(before, behind);
  const isAlone = named.card.length === 0 && amount.words === 1;
  const number = isAlone ? /^(\d{4,})[.,;]?$/.exec(words[at] ?? '')?.[1] : undefined;
  if (number?.startsWith('0')) return howMuchWith(number);
  const read = readTerm(named.behind, clock);
  if (typeof read === 'string') {
    const once = [...words.slice(0, at + amount.words), 'this purchase', ...behind];
    return unclear(`${read} Or write “this purchase” behind the amount.`, `ask ${copyable(once.join(' '))}`);
  }
  const dearest = dearestIn(words[at] ?? '', read.rest);
  if (dearest > amount.cents && !inDollars.test(words.slice(at, at + amount.words).join(' ')))
    return unclear(
      `Do you want to pay ${formatCents(amount.cents)} or ${formatCents(dearest)}? Write only this amount.`,
    );
  const ask = { amountCents: amount.cents, term: read.term ?? ({ kind: 'purchase' } as const) };
  return {
    kind: 'read',
    verb: 'ask',
    target: named.card.length === 0 ? { kind: 'own' } : { kind: 'words', words: named.card },
    reason: read.rest.join(' '),
    input: { ask },
    ...(number !== undefined && { ifCard: { number, question: howMuchWith(number, amount.cents) } }),
  };
}

/** In an amount: `$300`, `300$`, `300usd`. */
const inDollars = /\$|usd|dollars?|bucks/i;

/**
 * The largest amount behind a number that may count something: `4 tires at $150`, `2 tickets 300`. Without a dollar sign or word,
 * a number counts as one only behind what is plainly a count.
 *
 * @returns whole cents; 0 when there is none.
 */
function dearestIn(number: string, behind: readonly string[]): number {
  const isCount = /^\d{1,2}$/.test(number) && /^\p{L}{2,}s$/u.test(behind[0] ?? '');
  const prices = behind.map((typed, index) => {
    const word = typed.replaceAll(/^[(@]+|[).,;:!?]+$/g, '');
    const isPrice = isCount || inDollars.test(word) || /^(?:usd|dollars?|bucks)\b/i.test(behind[index + 1] ?? '');
    return isPrice ? (parseAmountWord(word) ?? 0) : 0;
  });
  return Math.max(0, ...prices);
}

/** A number followed by an amount. */
function isCardAt(words: readonly string[], at: number): boolean {
  const behind = words.slice(at + 1);
  const goesOn = /^\$|\d/.test(behind[0] ?? '') || readAmount(behind) !== null;
  return /^\d{4,}$/.test(words[at] ?? '') && goesOn && !soundsLikeDuration(behind);
}

/** Words around the card and the amount that name neither: `ask for 300`, `ask please up to 300`. */
const filler = /^(for|about|around|please|pls|up|to|pay|spend|another|on|with|from|using)$/i;
/** `300 on card 4242 for hotel`, `300 hotel with my card ending in 4242`. */
const onCard =
  /(?:^| )(?:on|with|from|using|for) (?:(?:my|the) )?card (?:ending (?:in )?)?#?(\d{4,15})(?=[.,;]? |[.,;]?$)/i;
/** `raise my limit to 300` */
const ofLimit = /^(raise|increase|limit)$/i;
/** When it is paid, not how long it lasts. */
const atOnce = /^(right )?now(?=$| (for|to|because) )/i;

/** The card named before the amount or behind it (empty: none), and the duration and reason. */
function cardOf(before: readonly string[], typed: readonly string[]) {
  const start = before.findIndex((word) => !filler.test(word));
  // `Minh To` is a name.
  const end = before.findLastIndex((word) => !filler.test(word) || word !== word.toLowerCase());
  const card = start === -1 ? [] : before.slice(start, end + 1);
  const text = typed.join(' ').replace(atOnce, '').trim();
  const [said = '', digits] = card.length === 0 ? (onCard.exec(text) ?? []) : [];
  const words = text.replace(said, '').split(' ').filter(Boolean);
  const behind = countsThings(words) ? words.slice(1) : words;
  return { card: digits === undefined ? card : [digits], behind };
}

/** `for 2 tickets`, `for 12 people`: how many, not how long. */
function countsThings(words: readonly string[]): boolean {
  const counted = /^for (?:1 \p{L}{3,}|\d{1,4} (?:\p{L}{2,}s|people))(?= |$)/iu.exec(words.join(' '))?.[0];
  // `For 2 business days`: a time may be one word longer.
  const isTime = mayMeanTime(words.slice(0, 4)) || soundsLikeDuration(words.slice(1));
  return (
    counted !== undefined &&
    !isTime &&
    !/(hour|day|night|week|month|year|time|semester|trimester|term|season)s?$/i.test(counted)
  );
}

/** `daily 450`, `per day`: the syntax of a limit. */
function namesPeriod([first = '', second = '']: readonly string[]): boolean {
  if (/^(per|each|every)$/i.test(first)) return readPeriod(second) !== undefined;
  return limitPeriods.some((period) => period === first.toLowerCase()) && parseAmount(second) !== null;
}

/** There is no amount that can be read. */
function howMuch(words: readonly string[]): string {
  const at = words.findIndex((word) => /\d/.test(word));
  const unread = at === -1 ? '' : `“${textOf(words.slice(at))}” is not an amount I can read. `;
  return `${unread}How much do you want to pay? Write dollars such as 84.10 or $1,250.`;
}

/** The card is named but not the price. `cents`: the amount if the number is the price after all. */
function howMuchWith(number: string, cents: number | null = null): UnclearCommand {
  const instead = cents === null ? '' : ` For ${formatCents(cents)} write ${commandCode(`ask $${number}`)}.`;
  return {
    kind: 'unclear',
    why: `How much do you want to pay with card ${number}?${instead}`,
    usage: askUsage.replace('[CARD]', number),
    example: `ask ${number} 84.10`,
  };
}
