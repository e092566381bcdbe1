import type { SectionBlock } from '@slack/types';
import {
  type ApprovalRequest,
  askedTerm,
  blockedBefore,
  blocksIn,
  cardsWhere,
  changesFromNow,
  isAboutRules,
  isChanged,
  isNoLongerNeeded,
  mayBeApproved,
  payCentsOf,
  unconfirmedApproval,
} from '../../src/approvals/request.ts';
import type { RequestFacts } from '../../src/approvals/request-facts.ts';
import { without } from '../../src/card-api/rule.ts';
import { isAboutLimits, isLooser, isMade, type RuleChange, type Term } from '../../src/card-api/rule-change.ts';
import { decisionOf } from '../../src/core/decided-record.ts';
import { capital } from '../../src/core/first-letter.ts';
import { formatCents } from '../../src/core/money.ts';
import type { TemporaryValue } from '../../src/limits/rule-future.ts';
import { moveWords, ruleMoves, ruleNames, ruleStates, stateWords } from '../../src/limits/rule-words.ts';
import { dateAfter, link, mention } from '../../src/slack/mrkdwn.ts';
import { asManyAsFit, countOf, escapeUntrusted, type Field, inSections, RULES_MAX } from '../core/blocks.ts';
import { BLOCKED, cardOfHolder, cardOfHolderRaw, holderName, holderRaw } from '../core/card-words.ts';
import { lasting } from '../core/change-words.ts';
import { alsoNeeded } from '../limits/also-needed-words.ts';
import { fundedWords } from '../virtual-cards/order.ts';
import { alsoApproved, earlierWords, leftWords, thereWords } from './facts-words.ts';
import type { Reader } from './why-approvals.ts';

const BLOCKS_SHOWN = 5;
/** A list of the most cards that one request may block has three sections of so many. */
const NAMES_OF_SECTION = 40;

/** The summary above the names of all cards that the request blocks: it repeats none of them. */
export function requestHeadline(request: ApprovalRequest, of: string): string {
  return blocksIn(request).length > 0 ? blocksSummary(request) : requestSummary(request, of);
}

/** Decided requests are told in the past. */
function verbsOf({ state }: ApprovalRequest): { readonly asks: string; readonly wants: string } {
  return state === 'open' ? { asks: 'asks', wants: 'wants' } : { asks: 'asked', wants: 'wanted' };
}

/** `asks to block 8 cards declined at Corner Diner` */
function blocksSummary(request: ApprovalRequest): string {
  const merchant = request.facts.warning?.merchant ?? '';
  const at = merchant === '' ? '' : ` declined at ${escapeUntrusted(merchant, 80)}`;
  return `${verbsOf(request).asks} to block ${countOf(blocksIn(request).length, 'card')}${at}`;
}

/** `Jane Doe · card 1212; Sam Rivera · card 3434 and 3 more` */
export function someOf(cards: readonly string[]): string {
  const more = cards.length - BLOCKS_SHOWN;
  const names = cards.slice(0, BLOCKS_SHOWN).map((name) => escapeUntrusted(name, 100));
  return `${names.join('; ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** All cards that the request blocks, each by its name. No block if it is about something else. */
export function blockedCards(request: ApprovalRequest, sectionsMax = Number.POSITIVE_INFINITY): SectionBlock[] {
  const lines = blocksIn(request).map((name) => `• ${escapeUntrusted(name, 60)}`);
  const { shown } = asManyAsFit(inSections(lines, NAMES_OF_SECTION).slice(0, sectionsMax));
  const named = lines.slice(0, shown.length * NAMES_OF_SECTION);
  const left = lines.length - named.length;
  if (left === 0) return shown;
  return inSections(named.with(-1, `${named.at(-1)}\n… and ${left} more.`), NAMES_OF_SECTION);
}

/** What the person wrote. *Block all* has no place to write a reason. */
export function reasonLine({ action }: ApprovalRequest, max: number): string | null {
  if (action.reason === '' && action.verb === 'block-all') return null;
  return `Reason: ${escapeUntrusted(action.reason, max) || 'none given'}`;
}

/**
 * `wants to pay $84.10 at Corner Diner (Restaurants): daily limit $150.00 → $180.50`. @param of whose card, with a
 * leading space.
 */
export function requestSummary(request: ApprovalRequest, of: string): string {
  const { facts, orderCents, card } = request;
  const { asks, wants } = verbsOf(request);
  const [blocks, payCents] = [blocksIn(request), payCentsOf(request)];
  if (blocks.length > 0) {
    return `${blocksSummary(request)}: ${someOf(blocks)}`;
  }
  if (orderCents !== null) return `${asks} to order a virtual card for ${holderName(card)}, ${fundedWords(orderCents)}`;
  const at = merchantWords(facts);
  const { purchase } = facts;
  const pass = purchase === null ? '' : ` so that ${formatCents(purchase.amountCents)}${at} goes through`;
  const changed = isChanged(request)
    ? `, changed by ${request.state === 'overridden' ? 'the emergency override' : 'an approver'}`
    : '';
  const isEnough = isNoLongerNeeded(request);
  const changes = changesFromNow(request);
  // What a raise from another value adds is told with that value.
  const added = fromOther(request).length > 0 ? '' : difference(changes, ' (', ')');
  // Not as a change from the current value if that is enough: approving it would not lower anything.
  const states = escapeUntrusted(ruleStates(request.changes, 'to'), RULES_MAX);
  if (payCents !== null) {
    const moves = isEnough ? states : `${escapeUntrusted(ruleMoves(changes), RULES_MAX)}${added}`;
    return `${wants} to pay ${formatCents(payCents)}${at}${of && ` with${of}`}${changed}: ${moves}`;
  }
  const why = `${of && ` of${of}`}${pass}${changed}`;
  if (isEnough) return `${asks} for ${states}${why}`;
  const what = changes.length > 1 ? headline(changes) : wantedRule(changes);
  return `${asks} to ${what}${why}: ${escapeUntrusted(moveWords(changes), RULES_MAX)}${added}`;
}

/**
 * The same in sentences, for a notification: for how long, how it stands, what an approver must know first, and why.
 *
 * @param when continues the first sentence: `, asked today at 9:14 AM`.
 */
export function requestInWords(
  request: ApprovalRequest,
  { when = '', stands = '' }: { readonly when?: string; readonly stands?: string },
): string {
  const { action, card, term } = request;
  const lasts = isAboutRules(request) ? `, ${lasting(term)}` : '';
  const head = `${mention(action.actor.userId)} ${requestSummary(request, ` ${cardOfHolder(card)}`)}${lasts}${when}.`;
  const reason = action.reason === '' ? null : `Reason: “${escapeUntrusted(action.reason, 200)}”`;
  const temporary = request.state === 'open' ? temporaryWords(request) : null;
  return [head, temporary, stands, cautions(request, 'approver'), reason].filter(Boolean).join(' ');
}

/** ` at Corner Diner (Restaurants)`. The kind of a merchant is known also if its name is not. */
export function merchantWords({ purchase }: RequestFacts): string {
  if (purchase === null || (purchase.merchant === '' && purchase.kind === null)) return '';
  const name = purchase.merchant === '' ? 'a merchant without a name' : escapeUntrusted(purchase.merchant, 80);
  const kind = purchase.kind === null ? '' : ` (${escapeUntrusted(purchase.kind, 60)})`;
  return ` at ${name}${kind}`;
}

/** What the request is for, after `the request for`. Raw. */
export function requestedRaw(request: ApprovalRequest): string {
  const { card, orderCents } = request;
  const blocks = blocksIn(request).length;
  if (blocks > 0) return `blocking ${countOf(blocks, 'card')}`;
  return orderCents === null ? cardOfHolderRaw(card) : `a virtual card for ${holderRaw(card)}`;
}

/** @param changes from the current values. What is temporary now may be kept. */
export function headline(changes: readonly RuleChange[]): string {
  const isKept = isMade(changes);
  const move = isLooser(changes) ? 'raise' : 'change';
  if (changes.length > 1) return `${isKept ? 'keep' : move} ${countOf(changes.length, 'limit')}`;
  if (!isAboutLimits(changes)) return `${isKept ? 'keep allowing' : 'allow'} ${ruleNames(changes)}`;
  if (isRemoval(changes)) return `remove the ${ruleNames(changes)}`;
  return `${isKept ? 'keep' : `${move} to`} ${stateWords(changes, 'to')}`;
}

/** A single limit that is to be no limit any more. */
function isRemoval(changes: readonly RuleChange[]): boolean {
  const [only, ...others] = changes;
  return others.length === 0 && only?.to === null && !isMade(changes);
}

function wantedRule(changes: readonly RuleChange[]): string {
  const move = isLooser(changes) ? 'raise' : 'change';
  const verb = isMade(changes)
    ? ['keep the', 'keep allowing']
    : [isRemoval(changes) ? 'remove the' : `${move} the`, 'allow'];
  return `${verb[isAboutLimits(changes) ? 0 : 1]} ${escapeUntrusted(ruleNames(changes), RULES_MAX)}`;
}

/** `Temporary now: daily limit $800.00, back to $150.00, today at 5:00 PM.`; null: nothing is temporary. */
export function temporaryWords(request: Pick<ApprovalRequest, 'changes' | 'temporary'>): string | null {
  const { temporary } = request;
  if (temporary.length === 0) return null;
  const raises = fromOther(request);
  const from = escapeUntrusted(stateWords(raises, 'from'), RULES_MAX);
  const counted = raises.length === 0 ? '' : ` The raise is counted from ${from}${difference(raises, ': ')}.`;
  return `Temporary now: ${temporary.map(temporaryValue).join('; ')}.${counted}`;
}

/** What is counted from another value than the current one, relative to that value. */
function fromOther(request: Pick<ApprovalRequest, 'changes' | 'temporary'>): RuleChange[] {
  const now = changesFromNow(request);
  return request.changes.filter(({ from }, index) => from !== now[index]?.from);
}

function temporaryValue({ rule, now, back, until }: TemporaryValue): string {
  const is = escapeUntrusted(ruleStates([{ rule, to: now }], 'to'), RULES_MAX);
  return `${is}, ${backWords({ back, until }, rule)}`;
}

/** `back to $150.00, today at 5:00 PM`. */
export function backWords(
  { back, until }: Pick<TemporaryValue, 'back' | 'until'>,
  rule: TemporaryValue['rule'],
): string {
  const to = stateWords([{ rule, to: back }], 'to');
  return until === null ? `an approver decides whether it goes back to ${to}` : `back to ${to}${dateAfter(',', until)}`;
}

/** What earlier approvals changed or may have; null: nothing. */
export function earlierApprovalWords(request: ApprovalRequest, reader: Reader): string | null {
  const approval = unconfirmedApproval(request);
  const blocked = blockedBefore(request);
  if (approval === null && blocked !== null) {
    const left = request.state === 'open' ? cardsWhere(request, (card) => card?.isCertain !== true) : [];
    return `${capital(blocked)}.${left.length === 0 ? '' : ` Left: ${someOf(left)}.`}`;
  }
  if (approval === null) return null;
  const { kind, by, at, state } = approval;
  const did = `${mention(by)} ${dateAfter(kind === 'override' ? 'used the emergency override' : 'approved', at)}`;
  if (state !== 'unconfirmed')
    return `${did}, but the card service gave no clear answer. I’m checking whether the change was made.`;
  // A holder cannot tell from the card whether a rule has changed.
  const check =
    reader === 'asker' && request.action.verb === 'ask' ? 'an approver can check the card' : 'check the card';
  return `${did}, but the card service did not confirm the change. It may still have been made: ${check}.`;
}

/** What an approver must know before approving; once it is decided, what was so then. */
export function cautions(request: ApprovalRequest, reader: Reader): string | null {
  const { isBlocked, facts, state, changes } = request;
  if (state !== 'open') return isBlocked ? 'The card was blocked then.' : null;
  const isAllRemoved = changes.every(({ to }) => to === null);
  const isEnough = isNoLongerNeeded(request);
  const also = alsoNeeded(facts.alsoNeeds);
  const lines = [
    isEnough ? enoughWords(request, reader) : alsoApproved(request),
    facts.paidAt === undefined ? null : `${dateAfter('This purchase was paid', facts.paidAt)}.`,
    isBlocked ? BLOCKED : null,
    facts.isUsedUp === true && !isEnough && !isAllRemoved ? USED_UP : null,
    facts.isTooLittle === true ? `This is not enough for ${formatCents(payCentsOf(request) ?? 0)} by now.` : null,
    also && `${also} Until that is changed, it may be declined${facts.purchase === null ? '' : ' again'}.`,
  ];
  return lines.filter(Boolean).join('\n') || null;
}

/** That nothing is left to raise, unless it is to cover what was approved besides as well. */
function enoughWords(request: ApprovalRequest, reader: Reader): string {
  const now = escapeUntrusted(ruleStates(changesFromNow(request), 'from'), RULES_MAX);
  const besides = alsoApproved(request);
  if (besides !== null) {
    const sets = '*Change and approve…* sets that. Otherwise deny it, or let it expire.';
    return `Already enough for this alone: ${now}. ${besides} ${reader === 'asker' ? 'If it is paid, withdraw this.' : sets}`;
  }
  const close = mayBeApproved(request) ? 'Approve or deny' : 'Deny';
  return `Already enough: ${now}. ${reader === 'asker' ? 'Withdraw' : close} it, or let it expire.`;
}

const USED_UP =
  'Nothing was left of the limit, and the card may have spent more than its limit, so this may not be enough.';

/** Who asked for what, if an approver decided something else. */
export function changedWords(request: ApprovalRequest): string | null {
  const { action, goals, changes, term, approvals } = request;
  const askedBy = action.actor.userId;
  const wanted = `${escapeUntrusted(ruleStates(goals, 'to'), RULES_MAX)}, ${durationWords(askedTerm(request))}`;
  // Nobody decided otherwise: approving lowers nothing, so limits that have become higher were left out.
  const enough = without(goals, changes);
  if (!isChanged(request) && enough.length === 0) return null;
  if (!isChanged(request))
    return `${mention(askedBy)} asked for: ${wanted}. At least that already, so not changed: ${escapeUntrusted(ruleNames(enough), RULES_MAX)}.`;
  const given = `${escapeUntrusted(ruleStates(changes, 'to'), RULES_MAX)}, ${durationWords(term)}`;
  const approver = approvals.find((one) => one.by !== askedBy)?.by;
  const by = (request.state === 'overridden' ? null : approver) ?? decisionOf(request)?.by;
  const who = by === undefined ? 'It was changed' : `${mention(by)} changed it`;
  return `${mention(askedBy)} asked for: ${wanted}. ${who} to: ${given}.`;
}

function durationWords(term: Term): string {
  return term.kind === 'permanent' ? 'permanent' : lasting(term);
}

/** The duration, and facts that help to decide. The change itself is shown above. */
export function requestFields(request: ApprovalRequest): Field[] {
  const { orderCents, term, facts } = request;
  if (blocksIn(request).length > 0) return warningFields(facts);
  if (orderCents !== null) return orderFields(request);
  const { purchase, there, earlier } = facts;
  const address = purchase?.link ?? null;
  const cents = payCentsOf(request) ?? purchase?.amountCents ?? 0;
  return [
    ['Duration', term.kind === 'until' ? dateAfter('Until', term.at) : capital(durationWords(term))],
    ['Other limits', leftWords(request, cents)],
    ['Earlier purchases there', purchase === null ? '' : thereWords(there)],
    ['Earlier requests, 30 days', earlierWords(earlier)],
    ['Decline', address === null ? '' : link(address, 'Open the alert')],
  ];
}

function warningFields({ warning }: RequestFacts): Field[] {
  const address = warning?.link ?? null;
  return address === null ? [] : [['Warning', link(address, 'Open the warning')]];
}

/** What decides how the ordered card may be used. That none was named is a fact, too. */
function orderFields({ orderTerms }: ApprovalRequest): Field[] {
  if (orderTerms == null) return [];
  const { ruleset, groupId } = orderTerms;
  const name = ruleset?.name?.trim() ?? '';
  const which = name === '' ? String(ruleset?.id ?? 'none') : `“${escapeUntrusted(name, 80)}”`;
  return [
    ['Ruleset', which],
    ['Group', String(groupId ?? 'none')],
  ];
}

/** `+$30.50`, for a single limit. */
function difference(changes: readonly RuleChange[], before: string, after = ''): string {
  const [{ from, to } = { from: null, to: null }, ...others] = changes;
  if (others.length > 0) return '';
  const isRaise = typeof from === 'number' && typeof to === 'number' && to > from;
  return isRaise ? `${before}+${formatCents(to - from)}${after}` : '';
}
