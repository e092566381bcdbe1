import { type ApprovalInFlight, type AskedFor, changesFromNow } from '../../src/approvals/request.ts';
import { isAboutLimits, type RuleGoal, type Term, without } from '../../src/card-api/rule-change.ts';
import { capital } from '../../src/core/first-letter.ts';
import { ruleNames } from '../../src/limits/rule-words.ts';
import type { TemporaryChange } from '../../src/limits/temporary-change-store.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter, mention } from '../../src/slack/mrkdwn.ts';
import { named } from '../actions/card-buttons.ts';
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
import { cardOfHolder, cardOfHolderRaw } from '../core/card-words.ts';
import { mayLeaveRuleset } from '../limits/ruleset-words.ts';
import { ending, revertButton } from '../limits/temporary-change.ts';
import {
  cautions,
  changedWords,
  headline,
  needsWords,
  requestFields,
  requestSummary,
  temporaryWords,
  whyApprovals,
} from './request-words.ts';

export interface ApprovalRequest extends AskedFor {
  /** The cardholder asks, not an approver. */
  readonly isHolders: boolean;
  /** Who has approved so far, oldest first. */
  readonly approvals: readonly { readonly by: string; readonly at: string }[];
  /** Slack user ids whose approval is void. Absent: none. */
  readonly voided?: readonly string[];
  /** The original request: an approver may have changed it. */
  readonly asked: { readonly goals: readonly RuleGoal[]; readonly term: Term };
  /** An approval whose change may or may not be in effect. */
  readonly unconfirmed: Pick<ApprovalInFlight, 'kind' | 'state' | 'by' | 'at'> | null;
  /** The approver's note to the person who asked. */
  readonly note: string;
  /** Who decided last, or used the emergency override; null otherwise. */
  readonly decidedBy: string | null;
  /** When it was decided or expired, or will expire. */
  readonly until: string | null;
  /** Nobody answered for 15 minutes, so operators may use the emergency override. */
  readonly isOverdue: boolean;
  /** The temporary change its approval made, in its current state. */
  readonly temporaryChange: TemporaryChange | null;
}

const titles: Readonly<Record<ApprovalRequest['state'], string>> = {
  open: 'Approval needed',
  approved: 'Approved',
  denied: 'Denied',
  withdrawn: 'Withdrawn',
  expired: 'Expired',
  overridden: 'Done without an approver',
};

/** A change that others have to approve, open or decided. */
export function approvalRequest(request: ApprovalRequest): Message {
  const { askedBy, askedAt, card, state, orderCents, blocks, temporaryChange } = request;
  const isAboutRules = orderCents === null && blocks.length === 0;

  return {
    text: sentence(
      `${titles[state]}: ${mention(askedBy)} ${requestSummary(request, ` ${cardOfHolder(card)}`)}. ${progress(request)}`,
    ),
    blocks: [
      header(`${titles[state]}: ${titleOf(request)}`),
      section(
        `*${mention(askedBy)}${request.isHolders ? ', the cardholder,' : ''} ${requestSummary(request, '')}*`,
        `Reason: ${escapeUntrusted(request.reason, 500) || 'none given'}`,
        changedWords(request),
        state === 'open' ? temporaryWords(request) : null,
      ),
      ...fields(requestFields(request)),
      section(
        progress(request),
        whyApprovals(request),
        state === 'open' ? voidWords(request.voided) : null,
        cautions(request),
        temporaryChange === null ? null : endingOf(temporaryChange, request),
      ),
      ...context(state === 'open' && isAboutRules ? mayLeaveRuleset(card) : null),
      ...controls(request),
      ...context(dateAfter('Asked', askedAt)),
    ],
  };
}

/** Raw. */
function titleOf(request: ApprovalRequest): string {
  const { card, orderCents, blocks } = request;
  if (blocks.length > 0) return `block ${countOf(blocks.length, 'card')}`;
  return orderCents === null
    ? `${headline(changesFromNow(request))} for ${cardOfHolderRaw(card)}`
    : `virtual card for ${card.holder ?? ''}`;
}

function controls({ value, state, orderCents, blocks, changes, card, isOverdue, temporaryChange }: ApprovalRequest) {
  const isOrder = orderCents !== null || blocks.length > 0;
  if (state === 'open') {
    const name = named(card, 45);
    const control = (text: string, action: string, style?: 'primary' | 'danger') =>
      button({
        text,
        action,
        value,
        ...(style && { style }),
        label: `${text.replace('…', '')}: the request for ${name}`,
      });
    return actions(
      control('Approve', actionId.decideRequestApprove, 'primary'),
      isOrder ? null : control(isAboutLimits(changes) ? 'Change and approve…' : 'Approve for…', actionId.changeRequest),
      control('Deny', actionId.decideRequestDeny, 'danger'),
      control('Deny with note…', actionId.denyWithNote),
      isOverdue && !isOrder ? control('Break glass…', actionId.overrideRequest) : null,
    );
  }
  return temporaryChange?.state === 'open' ? actions(revertButton(temporaryChange.id, card)) : [];
}

/** How the change ends that the approval made. Later changes may have replaced some of its rules. */
function endingOf(temporaryChange: TemporaryChange, { changes }: ApprovalRequest): string {
  const replaced = without(changes, temporaryChange.changes);
  if (replaced.length === 0) return ending(temporaryChange);
  const left = capital(escapeUntrusted(ruleNames(temporaryChange.changes), RULES_MAX));
  return `${left}: ${ending(temporaryChange)}\nReplaced by a later change: ${escapeUntrusted(ruleNames(replaced), RULES_MAX)}.`;
}

function progress(request: ApprovalRequest): string {
  const { needed, approvals, state, decidedBy, until, note, unconfirmed } = request;
  const when = until === null ? '' : dateAfter(',', until);
  const by = approvals.slice(0, 10).map((approval) => mention(approval.by));
  const names = by.length === 0 ? '' : ` by ${by.join(' and ')}`;
  const who = decidedBy === null ? '' : ` by ${mention(decidedBy)}`;
  const noteWords = note === '' ? '' : ` Note: “${escapeUntrusted(note, 300)}”`;
  if (state === 'approved') return `Approved${names}${when}.${noteWords}`;
  const changed = unconfirmed === null ? 'Nothing changed.' : unconfirmedWords(unconfirmed);
  if (state === 'denied') return `Denied${who}${when}. ${changed}${noteWords}`;
  if (state === 'withdrawn') return `Withdrawn${who}${when}. ${changed}`;
  if (state === 'expired') return `It expired${when}. ${changed}`;
  if (state === 'overridden')
    return `No approver answered in time. Done by emergency override${who}${when}. Reason: “${escapeUntrusted(note, 300)}”`;
  const far =
    by.length === 0 ? needsWords(needed) : `${by.length} of ${countOf(needed, 'approval')} (${by.join(', ')})`;
  const counted = `${far}${until === null ? '' : `, ${dateAfter('expires', until)}`}.`;
  return [unconfirmed === null ? null : unconfirmedWords(unconfirmed), `${counted}${noteWords}`]
    .filter(Boolean)
    .join('\n');
}

function voidWords(voided: readonly string[] = []): string | null {
  const who = [...new Set(voided)].slice(0, 10).map(mention).join(', ');
  return who === ''
    ? null
    : `The approval of ${who} no longer counts: it was for other values, or they may not approve any more.`;
}

/** Someone approved, and the outcome is unknown. */
function unconfirmedWords({ kind, by, at, state }: NonNullable<ApprovalRequest['unconfirmed']>): string {
  const did = `${mention(by)} ${dateAfter(kind === 'override' ? 'used the emergency override' : 'approved', at)}`;
  return state === 'unconfirmed'
    ? `${did}, but the card service did not confirm the change. It may still have been made: check the card.`
    : `${did}, but the card service did not answer. I’m checking whether the change was made.`;
}
