import { z } from 'zod';
import { actionOf, target } from '../actions/action.ts';
import type { ReadCommand, UnclearCommand, VerbEntry } from '../actions/verb.ts';
import { isAboutLimits, type RuleGoal } from '../card-api/rule-change.ts';
import type { Clock } from '../core/end-time.ts';
import { parseAmountWord } from '../core/money.ts';
import { ChangeRequest } from './change-request.ts';
import { namesSecondLimit, oneAtATime, readTypedLimit, textOf } from './read-limit.ts';
import { readTerm } from './read-term.ts';
import type { RemedyChange } from './remedy-change.ts';
import { permanent } from './term.ts';

/** Changes what a card may spend. */
export const LimitAction = actionOf('limit', target.card, { changeRequest: ChangeRequest });
export type LimitAction = z.infer<typeof LimitAction>;
/** Changes what a card may be used for: a category, abroad, online. */
export const AllowAction = actionOf('allow', target.card, { changeRequest: ChangeRequest });
export type AllowAction = z.infer<typeof AllowAction>;
/** A change of a card's spend rules. */
export type RuleAction = LimitAction | AllowAction;

export function ruleVerbOf(changes: readonly Pick<RuleGoal, 'rule'>[]): RuleAction['verb'] {
  return isAboutLimits(changes) ? 'limit' : 'allow';
}

/** The form on a decline was opened and waits for the card's current data. */
export const RemedyAction = actionOf('remedy', target.alert, {
  form: z.strictObject({ viewId: z.string(), hash: z.string(), pendingId: z.string() }),
});
export type RemedyAction = z.infer<typeof RemedyAction>;

const RevertAction = actionOf('revert', target.temporaryChange, {});
/** Someone changed the rule meanwhile: restore the earlier rules, or keep the current ones. */
const ResolveTemporaryChangeAction = actionOf('complete-temporary-change', target.temporaryChange, {
  restore: z.boolean(),
});
export type TemporaryChangeAction = z.infer<typeof RevertAction> | z.infer<typeof ResolveTemporaryChangeAction>;

/** Completes "was not allowed to …": what the form on a decline would have done. */
export const remedyRefusedTo: Readonly<Record<RemedyChange['kind'], string>> = {
  raise_limit: 'raise a limit of',
  allow_category: 'allow a merchant category for',
  allow_international: 'allow purchases abroad for',
  allow_card_not_present: 'allow online purchases for',
  activate: 'activate',
  unblock: 'unblock',
};

const usage = 'limit CARD daily|weekly|monthly|yearly|lifetime AMOUNT [for 4h | until friday | until May 9] [reason]';

export const limitVerbs = {
  limit: {
    action: LimitAction,
    permission: { role: 'approver', doing: 'change limits', needsOthers: 'much', restricts: 'card' },
    refusedTo: 'change a limit of',
    holdersType: 'ask 300',
    alsoCalled: [
      'raise',
      'increase',
      'lower',
      'decrease',
      'reduce',
      'bump',
      'set',
      'change',
      'cap',
      'budget',
      'limits',
    ],
    isOfCard: true,
    isOfAccount: true,
    command: {
      usage: 'limit CARD PERIOD AMOUNT [for DURATION | until DATE] [reason]',
      example: 'limit 4242 daily 450 for 4h team lunch',
      effect:
        'sets a daily, weekly, monthly, yearly or lifetime limit; permanent unless you say how long. “none” as the amount removes it: that needs two or more approvers',
      read: readLimit,
    },
  },
  allow: {
    action: AllowAction,
    permission: {
      role: 'approver',
      doing: 'change what a card may be used for',
      needsOthers: 'much',
      restricts: 'card',
    },
    refusedTo: 'change the spending rules of',
    isOfCard: true,
  },
  remedy: {
    action: RemedyAction,
    permission: { role: 'approver', doing: 'change limits and spending rules' },
    refusedTo: remedyRefusedTo.raise_limit,
    holdersType: 'ask 300',
    // Only people of the card's group may see its rules.
    isOfCard: true,
    // The form shows the card's rules.
    isLook: true,
  },
  revert: {
    action: RevertAction,
    permission: { role: 'operator', doing: 'take back temporary changes', restricts: 'card' },
    refusedTo: 'take back a temporary change of',
    alsoCalled: ['revert', 'restore', 'rollback'],
  },
  'complete-temporary-change': {
    action: ResolveTemporaryChangeAction,
    permission: {
      role: 'approver',
      doing: 'decide about temporary changes',
      whyRole: 'Only approvers may decide that.',
      notOwnCard: { why: 'You can’t decide about your own card: it needs another approver.' },
      needsOthers: 'much',
    },
    refusedTo: 'decide about a temporary change of',
  },
} as const satisfies Record<string, VerbEntry>;

/** Directly before a number, makes it an amount. */
const leadsToAmount =
  /^(by|to|at|of|or|most|than|max|maximum|cap|limit|above|over|below|under|exceed(s|ing)?|=|\$|usd)[:=]?$/i;
/** Directly before a number, makes it none: `invoice 1042`. */
const leadsToNumber =
  /^(invoice|inv|order|po|ticket|case|ref|reference|claim|project|job|room|gate|suite|unit|no|nr)\.?:?$/i;

/** An amount behind `none` or `off`: `off by $50`, `none but at most $500`, `none 450`. */
function amountIn(rest: readonly string[]): string | undefined {
  const words = rest.map((word) => word.replace(/^\((?=\p{Sc})|^\((?=.*\)$)|\)$/gu, ''));
  return words.find((word, at) => {
    const [before = '', behind = ''] = [words[at - 1], words[at + 1]];
    const isNear = at < 3 && !leadsToNumber.test(before);
    const isLed = isNear || leadsToAmount.test(before) || /^(usd|dollars?|bucks)$/i.test(behind);
    return /\p{Sc}\d/u.test(word) || (isLed && parseAmountWord(word) !== null);
  });
}

/** Parses `4242 daily 450 for 4h team lunch`. */
function readLimit(words: readonly string[], clock: Clock): ReadCommand | UnclearCommand {
  const { example } = limitVerbs.limit.command;
  const unclear = (why: string): UnclearCommand => ({ kind: 'unclear', why, usage, example });
  if (words.length === 0) return unclear('Which card, which limit, and how much?');

  const typed = readTypedLimit(words);
  if (typeof typed === 'string') return unclear(typed);
  const { card, period, cents } = typed;
  if (namesSecondLimit(typed.rest.join(' '))) return unclear(oneAtATime);
  const read = readTerm(typed.rest, clock);
  if (typeof read === 'string') return unclear(read);
  if (read.term?.kind === 'purchase')
    return unclear('A typed limit belongs to no purchase. Write for how long, such as “for 15 min”, or “permanently”.');
  // The numbers of a time are out of the rest.
  const amount = cents === null ? amountIn(read.rest) : undefined;
  if (amount !== undefined)
    return unclear(`Is the ${period} limit none or “${textOf([amount])}”? Write only one of them, behind the period.`);
  const changeRequest: ChangeRequest = {
    goals: [{ rule: { kind: 'limit', period, category: null }, to: cents }],
    term: read.term ?? permanent,
  };
  const on: ReadCommand['target'] = { kind: 'words', words: [...card] };
  return { kind: 'read', verb: 'limit', target: on, reason: read.rest.join(' '), input: { changeRequest } };
}
