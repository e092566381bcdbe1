import { limitsForBoth } from '../../src/approvals/promised-besides.ts';
import {
  type ApprovalRequest,
  answersBeforeOverride,
  blocksIn,
  cardsWhere,
  changesFromNow,
  isAboutRules,
  isNoLongerNeeded,
  isOverdue,
  isUnconfirmed,
  mayBeApproved,
  orderIn,
  requestValue,
  type VoidApproval,
} from '../../src/approvals/request.ts';
import { expiryOf } from '../../src/approvals/request-expiry.ts';
import { without } from '../../src/card-api/rule.ts';
import { isAboutLimits } from '../../src/card-api/rule-change.ts';
import { decisionOf } from '../../src/core/decided-record.ts';
import { capital } from '../../src/core/first-letter.ts';
import { groupBy } from '../../src/core/group-by.ts';
import { ruleNames, ruleStates } from '../../src/limits/rule-words.ts';
import type { TemporaryChange } from '../../src/limits/temporary-change-store.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter, mention, mentions, plain, truncate } from '../../src/slack/mrkdwn.ts';
import {
  actions,
  button,
  context,
  countOf,
  escapeUntrusted,
  fields,
  header,
  RULES_MAX,
  section,
  sentence,
} from '../core/blocks.ts';
import { cardOfHolderRaw } from '../core/card-words.ts';
import { mayLeaveRuleset } from '../limits/ruleset-words.ts';
import { ending, revertButton } from '../limits/temporary-change.ts';
import {
  blockedCards,
  cautions,
  changedWords,
  earlierApprovalWords,
  headline,
  reasonLine,
  requestedRaw,
  requestFields,
  requestHeadline,
  requestInWords,
  someOf,
  temporaryWords,
} from './request-words.ts';
import { needsWords, whyApprovals } from './why-approvals.ts';

const titles: Readonly<Record<ApprovalRequest['state'], string>> = {
  open: 'Approval needed',
  approved: 'Approved',
  denied: 'Denied',
  withdrawn: 'Withdrawn',
  expired: 'Expired',
  overridden: 'Emergency override',
};

const NOT_CONFIRMED = '*Not confirmed* by the card service within 2 minutes. Check the card.';
const NOT_ANSWERED = '*Not certain*: the card service gave no clear answer, so the card may or may not be ordered.';

/**
 * A change that others have to approve, open or decided.
 *
 * @param temporaryChange made by its approval, if it has an end.
 * @param mayOverride false: no emergency override of it can work.
 */
export function approvalRequest(
  request: ApprovalRequest,
  temporaryChange: TemporaryChange | null = null,
  mayOverride = true,
): Message {
  const { action, card, state } = request;
  const asker = mention(action.actor.userId);
  const isOpen = state === 'open';
  const isPaid = state === 'expired' && request.paidAt !== undefined;
  const isEnough = isNoLongerNeeded(request) && limitsForBoth(request).length === 0;
  const title = isEnough || isPaid ? 'No longer needed' : titles[state];
  const notSeen = orderIn(request) === null ? NOT_CONFIRMED : NOT_ANSWERED;
  const stands = [progress(request), isUnconfirmed(request) ? notSeen : notBlocked(request)].filter(
    (line) => line !== null,
  );

  return {
    text: sentence(`${title}: ${requestInWords(request, { stands: stands.join(' ') })}`),
    blocks: [
      header(`${title}: ${titleOf(request)}`),
      section(
        `*${asker}${action.verb === 'ask' ? ', the cardholder,' : ''} ${requestHeadline(request, '')}*`,
        reasonLine(request, 500),
        changedWords(request),
        isOpen ? temporaryWords(request) : null,
      ),
      ...blockedCards(request),
      ...fields(requestFields(request)),
      section(
        ...stands,
        whyApprovals(request, 'approver'),
        ...(isOpen ? voidWords(request) : []),
        cautions(request, 'approver'),
        temporaryChange === null ? null : endingOf(temporaryChange, request),
      ),
      ...context(isOpen && isAboutRules(request) ? mayLeaveRuleset(card) : null),
      ...(isOpen ? decisionButtons(request, mayOverride) : []),
      ...(!isOpen && temporaryChange?.state === 'open' ? actions(revertButton(temporaryChange.id, card)) : []),
      ...context(dateAfter('Asked', action.askedAt)),
    ],
  };
}

/** Raw. */
function titleOf(request: ApprovalRequest): string {
  const { card, orderCents } = request;
  const blocks = blocksIn(request).length;
  if (blocks > 0) return `block ${countOf(blocks, 'card')}`;
  if (orderCents !== null) return `virtual card for ${card.holder ?? ''}`;
  const what = isNoLongerNeeded(request) ? ruleStates(request.changes, 'to') : headline(changesFromNow(request));
  return `${what} for ${cardOfHolderRaw(card)}`;
}

function decisionButtons(request: ApprovalRequest, mayOverride: boolean) {
  const { changes } = request;
  const name = truncate(plain(requestedRaw(request)), 45);
  const control = (text: string, action: string, style?: 'primary' | 'danger') =>
    button({
      text,
      action,
      value: requestValue(request),
      ...(style && { style }),
      label: `${text.replace('…', '')}: the request for ${name}`,
    });
  const change = isAboutLimits(changes) ? 'Change and approve…' : 'Approve for…';
  return actions(
    mayBeApproved(request) ? control('Approve', actionId.decideRequestApprove, 'primary') : null,
    isAboutRules(request) ? control(change, actionId.changeRequest) : null,
    control('Deny', actionId.decideRequestDeny, 'danger'),
    control('Deny with note…', actionId.denyWithNote),
    isOverdue(request) && isAboutRules(request) && mayOverride && !isNoLongerNeeded(request)
      ? control('Break glass…', actionId.overrideRequest)
      : null,
  );
}

/** Of the cards that the request was to block, those that may not be blocked, and those that are closed; null: none. */
function notBlocked(request: ApprovalRequest): string | null {
  if (request.state !== 'approved') return null;
  const unsure = cardsWhere(request, (card) => card?.isCertain === false);
  const closed = cardsWhere(request, (card) => card?.isSo === 'closed');
  const lines = [
    unsure.length === 0 ? '' : `*Not confirmed* by the card service: ${someOf(unsure)}. Check these cards.`,
    closed.length === 0 ? '' : `Closed for good: ${someOf(closed)}.`,
  ];
  return lines.filter(Boolean).join(' ') || null;
}

/** How the change ends that the approval made. Later changes may have replaced some of its rules. */
function endingOf(temporaryChange: TemporaryChange, { changes }: ApprovalRequest): string {
  const replaced = without(changes, temporaryChange.changes);
  if (replaced.length === 0) return ending(temporaryChange);
  const left = capital(escapeUntrusted(ruleNames(temporaryChange.changes), RULES_MAX));
  return `${left}: ${ending(temporaryChange)}\nReplaced by a later change: ${escapeUntrusted(ruleNames(replaced), RULES_MAX)}.`;
}

function progress(request: ApprovalRequest): string {
  const { needed, approvals, state, note, paidAt } = request;
  const decision = decisionOf(request);
  const earlier = earlierApprovalWords(request, 'approver');
  const until = decision?.at ?? expiryOf(request).at;
  const when = dateAfter(',', until);
  const people = approvals.slice(0, 10).map((approval) => approval.by);
  const by = people.map(mention);
  const names = by.length === 0 ? '' : ` by ${mentions(people, 'and')}`;
  const who = decision === null ? '' : ` by ${mention(decision.by)}`;
  const noteWords = note === '' ? '' : ` Note: “${escapeUntrusted(note, 300)}”`;
  if (state === 'approved') return `Approved${names}${when}.${noteWords}`;
  const changed = earlier ?? 'Nothing changed.';
  const before = by.length === 0 ? '' : ` Approved${names} before that.`;
  if (state === 'denied') return `Denied${who}${when}.${before} ${changed}${noteWords}`;
  if (state === 'withdrawn') return `Withdrawn${who}${when}.${before} ${changed}`;
  const ended = paidAt === undefined ? dateAfter('Expired', until) : dateAfter('Its purchase was paid', paidAt);
  if (state === 'expired') return `${ended}.${before} ${changed}`;
  if (state === 'overridden') {
    const soFar = `${capital(answersBeforeOverride(request))} in time${by.length === 0 ? '' : ` (${by.join(', ')})`}`;
    return `${soFar}. Done by emergency override${who}${when}. Reason: “${escapeUntrusted(note, 300)}”`;
  }
  const far =
    by.length === 0 ? needsWords(needed) : `${by.length} of ${countOf(needed, 'approval')} (${by.join(', ')})`;
  const counted = `${far}, ${dateAfter('expires', until)}.`;
  return [earlier, `${counted}${noteWords}`].filter(Boolean).join('\n');
}

/** Which approvals are void and why, a line for each reason. Whoever has approved again is not named. */
function voidWords({ voided, approvals }: ApprovalRequest): string[] {
  const latest = new Map(voided.map((one) => [one.by, one]));
  const named = [...latest.values()].filter(({ by }) => !approvals.some((approval) => approval.by === by)).slice(0, 10);
  const groups = groupBy(named, ({ why, standsInFor }) => `${why} ${standsInFor ?? ''}`);
  return [...groups.values()].flatMap((alike) => {
    const [first] = alike;
    return first === undefined
      ? []
      : voidLine(
          first,
          alike.map(({ by }) => by),
        );
  });
}

const voidReasonWords: Readonly<Record<Exclude<VoidApproval['why'], 'same'>, readonly [one: string, several: string]>> =
  {
    moved: ['the card was changed after it', 'the card was changed after them'],
    values: ['it was for other values', 'they were for other values'],
    rights: ['they may not approve this any more', 'they may not approve this any more'],
  };

/** @param people whose approvals are void for the same reason. */
function voidLine({ why, standsInFor }: VoidApproval, people: readonly string[]): string {
  const isOne = people.length === 1;
  const head = `The ${isOne ? 'approval' : 'approvals'} of ${mentions(people, 'and')}`;
  if (why !== 'same') return `${head} no longer ${isOne ? 'counts' : 'count'}: ${voidReasonWords[why][isOne ? 0 : 1]}.`;
  const person = mention(standsInFor ?? '');
  return `${head} ${isOne ? 'is' : 'are'} not counted twice: they stand in for ${person}, for whom another approval counts.`;
}
