import { limitsForBoth } from '../../src/approvals/promised-besides.ts';
import {
  type ApprovalInFlight,
  type ApprovalRequest,
  askedTerm,
  type ClosedRequest,
  changesFromNow,
  earlierChange,
  hasMadeChange,
  isAboutRules,
  isChanged,
  type MadeRequest,
  payCentsOf,
} from '../../src/approvals/request.ts';
import { whyNotDecided } from '../../src/approvals/request-expiry.ts';
import { ofRule } from '../../src/card-api/rule.ts';
import { isLooser, type RuleChange, reversed, type Term, withGoals } from '../../src/card-api/rule-change.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import { decisionOf } from '../../src/core/decided-record.ts';
import { capital } from '../../src/core/first-letter.ts';
import { joinWithAnd } from '../../src/core/join-with-and.ts';
import { formatCents } from '../../src/core/money.ts';
import type { LostRaise } from '../../src/limits/lost-raise.ts';
import { ruleMoves, ruleStates } from '../../src/limits/rule-words.ts';
import type { Message } from '../../src/slack/message.ts';
import { mention, timeToken } from '../../src/slack/mrkdwn.ts';
import { requestedRaw } from '../approvals/request-words.ts';
import { escapeUntrusted, headed, RULES_MAX, section, sentence, textMessage } from '../core/blocks.ts';
import { cardName, cardOfHolder } from '../core/card-words.ts';
import { lasting } from '../core/change-words.ts';
import { amountAt } from '../core/purchase-words.ts';
import { alsoToAsk } from '../limits/also-needed-words.ts';
import { mayBeDeclined, mayBeOverruled } from '../limits/ruleset-words.ts';

interface RequestSent {
  readonly card: CardFacts;
  /** What the holder wants to pay, in whole cents. */
  readonly payCents: number;
  readonly changes: readonly RuleChange[];
  readonly term: Term;
  /** What happens now. */
  readonly note: string;
  /** The same was asked for before, so nothing was sent. */
  readonly isTwin: boolean;
}

/** For the holder: what was requested in their name. */
export function requestSent({ card, payCents, changes, term, note, isTwin }: RequestSent): Message {
  const what = capital(movedWords({ changes, term }));
  const head = `${isTwin ? 'Already asked' : 'Sent to the approvers'}: you want to pay ${formatCents(payCents)} with your ${cardName(card)}`;
  return {
    text: sentence(`${head}: ${what}. ${escapeUntrusted(note, 300)}`),
    blocks: [section(`*${head}*`, `${what}. Nothing changed yet.`, escapeUntrusted(note, 300))],
  };
}

/** An operator did what no approver did. */
const OVERRODE = 'used the emergency override';
const UNCONFIRMED = 'the card service has not confirmed it';

/** For the person who asked: someone approved, and nothing shows whether the card service made the change. */
export function requestUnconfirmed(
  request: ApprovalRequest,
  { kind, by, changes, term }: Pick<ApprovalInFlight, 'kind' | 'by' | 'changes' | 'term'>,
): Message {
  const { temporary } = request;
  const did = kind === 'override' ? OVERRODE : 'approved';
  return headed(
    `${mention(by)} ${did}, but ${UNCONFIRMED}.`,
    `${capital(cardOf(request))}: ${movedWords({ changes: changesFromNow({ changes, temporary }), term })}.`,
    'It may or may not work. Your request is still open: an approver can check the card and decide again.',
  );
}

/** `your card 1212`; for an approver: `Jane Doe · card 1212`. */
function cardOf(request: ApprovalRequest): string {
  return payCentsOf(request) === null ? cardOfHolder(request.card) : `your ${cardName(request.card)}`;
}

/** `daily limit $400.00 → $900.00 for 1 hour` */
function movedWords({ changes, term }: Pick<RequestSent, 'changes' | 'term'>): string {
  return `${escapeUntrusted(ruleMoves(changes), RULES_MAX)} ${lasting(term)}`;
}

interface Made {
  /** The card service shows the change. False: it accepted the change but did not show it within two minutes. */
  readonly isConfirmed: boolean;
  /** When the change ends; null: it stays. */
  readonly endsAt: string | null;
}

/**
 * For the person who asked: what the approvers decided.
 *
 * @param made for an approval.
 */
export function requestDecided(request: ClosedRequest, made: Made = { isConfirmed: true, endsAt: null }): Message {
  const { state, note } = request;
  const noteWords =
    note === '' ? null : `${state === 'denied' ? 'Their note' : 'Note'}: “${escapeUntrusted(note, 300)}”`;
  return textMessage(...decidedLines(request, made), noteWords);
}

interface RaiseLost extends LostRaise {
  readonly card: CardFacts;
  /** Slack user. */
  readonly holder: string;
  /** They still hold the card. */
  readonly isHeld: boolean;
  /** Slack users. */
  readonly approvers: readonly string[];
  /** What they want to pay, in whole cents. */
  readonly payCents: number;
}

/** What was approved for a holder was taken back, or changed, before its end: for them, and for whoever approved it. */
export function raiseLost(lost: RaiseLost, reader: 'holder' | 'approver'): Message {
  const { raise, by, goals, term, card, holder, isHeld, approvers, payCents } = lost;
  const approved = `what ${joinWithAnd(approvers.map(mention))} approved`;
  const did = `${mention(by)} ${term === null ? 'took back' : 'changed'} ${approved}`;
  const is = `${escapeUntrusted(ruleStates(goals, 'to'), RULES_MAX)} ${term === null ? 'again' : lasting(term)}`;
  if (reader === 'approver') {
    const told = isHeld
      ? `The cardholder, ${mention(holder)}, has been told.`
      : `${mention(holder)} no longer holds this card.`;
    return headed(`${did}: ${is} · ${cardOfHolder(card)}.`, holder === by ? null : told);
  }
  const isShortened = goals.every(({ rule, to }) => ofRule(raise.changes, rule)?.to === to);
  const yet = `If you have not paid ${formatCents(payCents)} yet`;
  return headed(
    `${did}: ${is} · your ${cardName(card)}.`,
    isShortened
      ? `${yet}, pay before that ends.`
      : `${yet}, it may be declined now. Ask again, or talk to ${mention(by)}.`,
  );
}

/** For somebody who asked for the same while the request was open. */
export function sameRequestEnded(request: ClosedRequest): Message {
  const theirs = 'Somebody else’s request, which you had asked for as well,';
  if (hasMadeChange(request)) {
    const by = mention(request.decision.by);
    const how = request.state === 'overridden' ? `by the emergency override of ${by}` : `and approved by ${by}`;
    const what = movedWords({ changes: changesFromNow(request), term: request.term });
    const head = `${theirs} was changed ${how}: ${what} · ${cardOfHolder(request.card)}.`;
    return headed(head, 'Ask again if you want something else.');
  }
  const ended = {
    denied: (by: string) => `${theirs} was denied by ${mention(by)}`,
    withdrawn: () => `${theirs} was withdrawn`,
    expired: () => `${theirs} ${request.paidAt === undefined ? 'expired' : 'is no longer needed'}`,
  }[request.state](decisionOf(request)?.by ?? '');
  const head = `${ended}: ${requestedWords(request)}.`;
  const why = request.state === 'expired' ? `${whyNotDecided(request)} ` : '';
  const rest = `${why}${capital(earlierChange(request) ?? 'nothing changed')}. Ask again if you still want it.`;
  return headed(head, rest);
}

/** Null: it is. */
function notAsAsked(request: MadeRequest): string | null {
  if (!isChanged(request)) return null;
  const wanted = `${wantedWords(request)} ${lasting(askedTerm(request))}`;
  const check = payCentsOf(request) === null ? wanted : 'check the amount and how long it lasts';
  return `This is not exactly what you asked for: ${check}.`;
}

function decidedLines(request: ClosedRequest, made: Made): (string | null)[] {
  const what = requestedWords(request);
  const isHolder = payCentsOf(request) !== null;
  const changed = `${capital(earlierChange(request) ?? 'nothing changed')}.`;
  const unchanged = isHolder ? `You asked for: ${wantedWords(request)}. ${changed}` : changed;
  switch (request.state) {
    case 'approved':
    case 'overridden':
      return approvedLines(request, made);
    case 'denied': {
      const by = mention(request.decision.by);
      const isOwn = request.decision.by === request.action.actor.userId;
      return [
        `*${isOwn ? 'You denied your own request' : `Your request was denied by ${by}`}: ${what}.*`,
        unchanged,
        isOwn ? null : `If you disagree, talk to ${by}.`,
      ];
    }
    case 'withdrawn':
      return [`*You withdrew your request: ${what}.*`, unchanged, 'Nobody can approve it any more.'];
    case 'expired': {
      const isPaid = request.paidAt !== undefined;
      return [
        `*Your request ${isPaid ? 'is no longer needed' : 'expired'}: ${what}.*`,
        `${whyNotDecided(request)} ${unchanged}`,
        isPaid ? 'If it still has to be paid, ask again.' : 'Ask again, or talk to the approvers.',
      ];
    }
  }
}

/** `$84.10 at Corner Diner · your card 1212`; for an approver: `daily limit $900.00 · Jane Doe · card 1212`. */
function requestedWords(request: ClosedRequest): string {
  const payCents = payCentsOf(request);
  const { purchase } = request.facts;
  if (payCents !== null) return `${amountAt(payCents, purchase?.merchant ?? '')} · ${cardOf(request)}`;
  return isAboutRules(request)
    ? `${wantedWords(request)} · ${cardOf(request)}`
    : escapeUntrusted(requestedRaw(request), RULES_MAX);
}

/** As asked for. By now the limit may be higher, so that a change from it would be one that nobody asked for. */
function wantedWords({ goals }: ClosedRequest): string {
  return escapeUntrusted(ruleStates(goals, 'to'), RULES_MAX);
}

function approvedLines(request: MadeRequest, { isConfirmed, endsAt }: Made): (string | null)[] {
  const { card, term, decision, isBlocked, facts } = request;
  const isHolder = payCentsOf(request) !== null;
  const [did, unconfirmed] =
    request.state === 'overridden'
      ? [`${mention(decision.by)} ${OVERRODE}`, UNCONFIRMED]
      : [`Approved by ${mention(decision.by)}`, 'not confirmed by the card service'];
  const [check, overruled] = isHolder ? ['ask an approver to check', mayBeDeclined] : ['check', mayBeOverruled];
  const but = isBlocked ? `${isHolder ? cardOf(request) : 'the card'} is blocked` : unconfirmed;
  return [
    `*${did}${isConfirmed && !isBlocked ? mayPay(request, endsAt) : `, but ${but}`}.*`,
    isBlocked ? 'It works once an approver unblocks it.' : null,
    `${capital(cardOf(request))}: ${movedWords({ changes: changesFromNow(request), term })}.`,
    enoughWords(request),
    besidesWords(request),
    isHolder ? alsoToAsk(facts.alsoNeeds) : null,
    isConfirmed ? overruled(card) : `It may not work yet. If it does not, ${check} the card.`,
    notAsAsked(request),
  ];
}

/** A limit got less than was asked for: an approver typed less, or an emergency override may not raise it so far. */
function isTooLow({ goals, changes }: MadeRequest): boolean {
  return isLooser(withGoals(reversed(changes), goals));
}

/** Why the new limit may not be enough; null: it is, as far as is known. */
function enoughWords(request: MadeRequest): string | null {
  const { facts, changes } = request;
  const payCents = payCentsOf(request);
  // What the holder wants to pay is not known when an approver asks.
  if (payCents === null) return null;
  const amount = formatCents(payCents);
  const look = 'The Home tab shows what is left.';
  if (isTooLow(request)) return `This is too low for ${amount}. ${look}`;
  if (facts.isTooLittle === true) return `When it was approved, this was no longer enough for ${amount}. ${look}`;
  const isRemoved = changes.every(({ to }) => to === null);
  return facts.isUsedUp === true && !isRemoved
    ? `Nothing was left of the limit, so this may not be enough for ${amount}. ${look}`
    : null;
}

/** What was approved for something else before, and is not covered as well; null: nothing. */
function besidesWords(request: MadeRequest): string | null {
  const { promised = [] } = request.facts;
  if (limitsForBoth(request).length === 0) return null;
  const amounts = joinWithAnd(promised.map(formatCents));
  return `It does not cover the ${amounts} that was approved before as well, unless you have paid that already.`;
}

/** Without a declined purchase there is nothing to try again. What an approver changed may not be enough for the amount. */
function mayPay(request: MadeRequest, endsAt: string | null): string {
  const { facts, decision } = request;
  const payCents = payCentsOf(request);
  if (payCents === null || alsoToAsk(facts.alsoNeeds) !== null) return '';
  if (facts.isTooLittle === true || isTooLow(request)) return '';
  const end = (word: string) => (endsAt === null ? 'now' : `${word} ${timeToken(endsAt, decision.at)}`);
  if (facts.purchase !== null) return `: try again ${end('before')}`;
  return isChanged(request) || enoughWords(request) !== null
    ? ''
    : `: you can pay ${formatCents(payCents)} ${end('until')}`;
}
