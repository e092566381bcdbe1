import type { SectionBlock } from '@slack/types';
import type { Outcome } from '../../src/actions/action-state.ts';
import type { Alert, TransactionAlert } from '../../src/alerts/alert.ts';
import { declinedCard } from '../../src/core/card-facts.ts';
import { formatCents } from '../../src/core/money.ts';
import { ruleName, ruleStates } from '../../src/limits/rule-words.ts';
import { dateToken, mention, timeToken } from '../../src/slack/mrkdwn.ts';
import { currentState, limitBack, mainOutcome, type Resolution, resolutionOf } from '../actions/outcomes.ts';
import { blockOf, isClosed, isFollowed, isTooLow, shownReason } from '../alerts/decline-words.ts';
import { escapeUntrusted, RULES_MAX, section } from '../core/blocks.ts';
import { sentences } from '../core/change-words.ts';
import { stillNeeded } from '../limits/also-needed-words.ts';
import { mayBeDeclined } from '../limits/ruleset-words.ts';

/**
 * What people did about an alert, worded for the cardholder. The last six, oldest first.
 *
 * @param declinedAt for a declined purchase: if a retry succeeded, one line says how.
 */
export function holderOutcomes(alert: Alert, declinedAt: string | null = null): SectionBlock[] {
  const { outcomes } = alert;
  const resolution = declinedAt === null ? null : resolutionOf(outcomes, declinedAt);
  const lines = [
    resolution === null ? '' : `*${paidWords[resolution.title]}.* ${resolution.words}`,
    ...outcomes
      .filter((one) => resolution === null || (one !== resolution.approved && !resolution.covered.includes(one)))
      .slice(-6)
      .map((one) => line(one, alert)),
  ].filter(Boolean);
  return lines.length === 0 ? [] : [section(...lines)];
}

/** An amount that differs may be of another purchase, or a part. */
const paidWords: Readonly<Record<Resolution['title'], string>> = {
  Resolved: 'Your purchase went through',
  'Partly paid': 'A part of your purchase was paid',
  'Probably resolved': 'Your purchase probably went through',
};

/** The main outcome as a plain sentence, for the fallback text. */
export function holderOutcomeSentence(outcomes: readonly Outcome[]): string {
  const last = mainOutcome(outcomes);
  return last === undefined ? '' : ` ${head(last)}.`;
}

function line(outcome: Outcome, alert: Alert): string {
  const when = dateToken(outcome.at, '{time} {date_short_pretty}');
  return [`*${head(outcome)}* at ${when}${newRules(outcome)}.`, next(outcome, alert)].filter(Boolean).join(' ');
}

/** `: daily limit $449.00, until 9:35 AM`; empty if no rule was changed. */
function newRules({ verb, state, goals = [], control, at }: Outcome): string {
  if (state !== 'done' || goals.length === 0 || (verb !== 'limit' && verb !== 'allow')) return '';
  const until = control?.kind === 'revert' ? `, until ${timeToken(control.until, at)}` : '';
  return `: ${escapeUntrusted(ruleStates(goals, 'to'), RULES_MAX)}${until}`;
}

/** `Your daily limit is back to $150.00`; for anything but a single limit that is back, one text: the values follow. */
function backWords(outcome: Outcome): string {
  const back = limitBack(outcome);
  return back === null
    ? 'The temporary change of your card’s rules ended'
    : `Your ${escapeUntrusted(ruleName(back.rule), 100)} is back to ${formatCents(back.toCents)}`;
}

function head(outcome: Outcome): string {
  const { verb, state, by, asHolder, text, confirmation, closed } = outcome;
  const who = by === null ? ' outside Slack' : ` by ${mention(by)}`;
  if (verb === 'repeat-paid')
    return `${state === 'done' ? 'Paid' : 'The payment was reversed'}: ${escapeUntrusted(text, RULES_MAX)}`;
  if (verb === 'paid' && state === 'failed') return 'The payment was reversed';
  if (verb === 'paid') return text === '' ? 'Paid' : `Paid ${escapeUntrusted(text, 40)}`;
  if (verb === 'recognize') return 'You confirmed making this purchase';
  if (verb === 'report-fraud') return 'You reported this purchase as fraud';
  if (verb === 'close-case') return `Fraud case closed${who}`;
  if (verb === 'acknowledge') return `Seen${who}`;
  if (verb === 'supersede') return `Replaced by a later change${who}`;
  if (verb === 'rebase') return 'Goes back to another value';
  if (verb === 'keep') return `Left as it is${by === null ? '' : who}`;
  if (closed !== undefined && state === 'failed') return closedWords(closed, asHolder === true);
  const { done, noun } = words[verb];
  if (state === 'waiting')
    return verb === 'limit' || verb === 'allow' ? 'Sent to approvers' : `${noun} is waiting for an approver`;
  if (state === 'unknown' || confirmation === 'unconfirmed') return `${noun} may or may not have worked`;
  if (state === 'failed') return verb === 'restore' ? 'Not put back' : `${noun} did not work`;
  if (verb === 'restore') return backWords(outcome);
  return asHolder === true ? `You ${done} your card` : `Your card was ${done}${who}`;
}

function closedWords({ how, by }: NonNullable<Outcome['closed']>, isOwn: boolean): string {
  if (how === 'withdrawn' && isOwn) return 'You withdrew your request';
  const what = isOwn ? 'Your request' : 'A request for your card';
  if (how === 'expired') return `${what} expired`;
  if (how === 'paid') return `${what} is no longer needed`;
  return `${what} was ${how}${how === 'denied' && by !== null ? ` by ${mention(by)}` : ''}`;
}

type Change = Exclude<
  Outcome['verb'],
  'recognize' | 'acknowledge' | 'paid' | 'repeat-paid' | 'report-fraud' | 'close-case' | 'supersede' | 'rebase' | 'keep'
>;

const words: Readonly<Record<Change, { readonly done: string; readonly noun: string }>> = {
  block: { done: 'blocked', noun: 'The block' },
  unblock: { done: 'unblocked', noun: 'The unblock' },
  activate: { done: 'activated', noun: 'The activation' },
  limit: { done: 'given a new limit', noun: 'The limit change' },
  allow: { done: 'given a new rule', noun: 'The rule change' },
  restore: { done: 'given its former rules again', noun: 'The end of the temporary change' },
};

/** What to do about a block that did not work; empty once it is no longer needed, or can never work. */
function blockNow(outcome: Outcome, alert: Alert): string {
  const { outcomes } = alert;
  const later = outcomes.slice(outcomes.indexOf(outcome) + 1);
  if (isClosed(alert) || currentState(later).isBlocked || currentState(later).isRecognized) return '';
  return `${mayBlockAgain(alert) ? 'Press *Block my card*, or ask' : 'Ask'} an operator to block it now.`;
}

/** *Block my card* is offered: after the holder's answer, and after a fraud report whose own block did not work. */
export function mayBlockAgain(alert: Alert): boolean {
  if (alert.kind !== 'transaction' || isBlockedAlready(alert)) return false;
  const { isRecognized, isFraud } = currentState(alert.outcomes);
  return isRecognized || (isFraud && alert.outcomes.some(({ verb }) => verb === 'block'));
}

export function isBlockedAlready(alert: TransactionAlert): boolean {
  const { isBlocked } = currentState(alert.outcomes);
  return isBlocked || alert.remedy?.kind === 'unblock' || blockOf(alert) !== null || isClosed(alert);
}

/** What it means for the holder now. */
function next(outcome: Outcome, alert: Alert): string {
  const { verb, state, text, confirmation, closed } = outcome;
  if (verb === 'recognize') {
    const isReported = alert.outcomes.some((one) => one.verb === 'report-fraud');
    return `Thank you. ${isReported ? 'The operators see that in your fraud report' : 'Nothing else changed'}.`;
  }
  if (verb === 'report-fraud') return 'The operators have been notified.';
  if (verb === 'acknowledge' || verb === 'close-case' || verb === 'supersede') return '';
  if (verb === 'paid' || verb === 'repeat-paid') return '';
  if (verb === 'rebase' || verb === 'keep') return escapeUntrusted(text, RULES_MAX);
  if (closed !== undefined && state === 'failed') return closed.how === 'paid' ? '' : 'Nothing changed.';
  if (state === 'failed' || state === 'unknown') {
    const todo = verb === 'block' ? blockNow(outcome, alert) : '';
    return [escapeUntrusted(sentences(text), RULES_MAX), todo].filter(Boolean).join(' ');
  }
  if (state === 'done' && verb === 'restore')
    return text === '' || limitBack(outcome) !== null ? '' : `${escapeUntrusted(text, RULES_MAX)}.`;
  if (state !== 'done') return '';
  if (confirmation === 'sent') return 'Please wait: the card service has not confirmed it yet.';
  if (confirmation === 'unconfirmed')
    return verb === 'block'
      ? `The card service has not confirmed it. ${blockNow(outcome, alert)}`.trim()
      : 'The card service has not confirmed it: it may not work yet.';
  if (confirmation === 'superseded') return '';
  return verb === 'block' ? blocked(alert) : tryAgain(outcome, alert);
}

/** Empty if the card was unblocked since. */
function blocked({ outcomes }: Alert): string {
  const { isUnblocked, isFraud } = currentState(outcomes);
  if (isUnblocked) return '';
  return isFraud
    ? 'It declines everything. You’ll need a new card.'
    : 'It declines everything until an approver unblocks it.';
}

/** Empty if the change is over, another one followed it, or it alone does not let the card pay for this. */
function tryAgain(outcome: Outcome, alert: Alert): string {
  const { verb, control } = outcome;
  const { outcomes, card } = alert;
  const later = outcomes.slice(outcomes.indexOf(outcome) + 1).filter(({ state }) => state === 'done');
  const isRule = verb === 'limit' || verb === 'allow';
  if (later.some((one) => one.verb === 'block' || (control != null && one.ends === control.id))) return '';
  // The last change of a rule says whether it is enough.
  if (isRule && later.some((one) => one.verb === verb)) return '';
  // As it was when the rule was changed; the alert does not learn of an unblock elsewhere.
  if (isRule && outcome.isBlocked === true && !currentState(outcomes).isUnblocked)
    return 'Your card is blocked: it works once an approver unblocks it.';
  if (verb === 'limit' && alert.kind === 'transaction' && isTooLow(alert.remedy, outcomes))
    return 'It is still too low for this purchase.';
  const needs = isRule ? (outcome.alsoNeeds ?? []) : alert.kind === 'transaction' ? stillNeeded(alert) : [];
  if (needs.length > 0 || (!isRule && !isEnoughToWork(alert))) return '';
  return ['You can try again now.', isRule ? mayBeDeclined(card) : null].filter(Boolean).join(' ');
}

/** A card that works again is all that this takes: its status was what stopped the purchase, or the rest was changed, too. */
function isEnoughToWork(alert: Alert): boolean {
  if (alert.kind !== 'transaction') return true;
  const reason = shownReason(
    { decline: alert.event.decline, remedy: alert.remedy, ...declinedCard(alert.card) },
    'direct',
  );
  const needed = alert.remedy?.kind ?? reason.remedy;
  return needed === 'unblock' || needed === 'activate' || needed === 'retry' || isFollowed(alert, reason);
}
