import type { ApprovalInFlight, LimitRequest } from '../../src/approvals/request.ts';
import type { Term } from '../../src/card-api/rule-change.ts';
import { isAboutLimits, type RuleChange } from '../../src/card-api/rule-change.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import { formatCents } from '../../src/core/money.ts';
import { termWords } from '../../src/limits/change-request.ts';
import { moveWords, ruleName, ruleNames, stateWords } from '../../src/limits/rule-words.ts';
import type { TemporaryChange } from '../../src/limits/temporary-change-store.ts';
import type { CountedRaise } from '../../src/policy/counted-raise.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter, dateToken, mention } from '../../src/slack/mrkdwn.ts';
import {
  actions,
  button,
  context,
  type Field,
  fields,
  header,
  outside,
  RULES_MAX,
  section,
  sentence,
} from '../core/blocks.ts';
import { capital, cardOfHolder, cardOfHolderRaw } from '../core/card-words.ts';
import { countedWords, whyOthers } from '../limits/counted-words.ts';
import { mayLeaveRuleset } from '../limits/ruleset-words.ts';
import { ending, revertButton } from '../limits/temporary-change.ts';

export interface ApprovalRequest {
  /** Opaque id: what the buttons carry. */
  readonly value: string;
  /** Slack user id. */
  readonly askedBy: string;
  readonly askedAt: string;
  /** The holder of the card asks, not an approver. */
  readonly isHolders: boolean;
  readonly card: CardFacts;
  readonly changes: readonly RuleChange[];
  readonly term: Term;
  /** What the holder wants to pay, whole cents; null where an approver asks. */
  readonly payCents: number | null;
  readonly reason: string;
  readonly needed: number;
  /** Who has approved so far, oldest first. */
  readonly approvals: readonly { readonly by: string; readonly at: string }[];
  /** Whose approval counts no more: Slack user ids. Left out: nobody's. */
  readonly voided?: readonly string[];
  /** The card was blocked when somebody last looked. */
  readonly isBlocked?: boolean;
  /** Why it takes two, where it is because of how much it is. */
  readonly counted: CountedRaise | null;
  readonly state: LimitRequest['state'];
  /** An approval of which nobody knows whether its change is there. */
  readonly unconfirmed: Pick<ApprovalInFlight, 'kind' | 'state' | 'by' | 'at'> | null;
  /** An approver's word to the one who asked. */
  readonly note: string;
  /** Who decided last, or broke the glass; null otherwise. */
  readonly decidedBy: string | null;
  /** When it was decided or expired, or will expire. */
  readonly until: string | null;
  /** Nobody answered for a quarter of an hour: operators may break the glass. */
  readonly isOverdue: boolean;
  /** The temporary change that its approval made, as it is now. */
  readonly temporaryChange: TemporaryChange | null;
}

const titles: Readonly<Record<ApprovalRequest['state'], string>> = {
  open: 'Approval needed',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
  overridden: 'Done without an approver',
};

/** A change that others have to approve, open or decided. */
export function approvalRequest(request: ApprovalRequest): Message {
  const { askedBy, askedAt, card, changes, state, temporaryChange } = request;
  const rule = outside(ruleNames(changes), RULES_MAX);
  const moved = outside(moveWords(changes), RULES_MAX);
  const verb = isAboutLimits(changes) ? 'raise the' : 'allow';

  return {
    text: sentence(
      `${titles[state]}: ${mention(askedBy)} asks to ${changes.length > 1 ? `${headline(changes)} of ${cardOfHolder(card)}:` : `${verb} ${rule} of ${cardOfHolder(card)},`} ${moved}. ${progress(request)}`,
    ),
    blocks: [
      header(`${titles[state]}: ${headline(changes)} for ${cardOfHolderRaw(card)}`),
      section(
        `*${mention(askedBy)}${request.isHolders ? ', who holds the card,' : ''} asks to ${verb} ${rule}*`,
        request.payCents === null ? null : `To pay ${formatCents(request.payCents)}.`,
        `Reason: ${outside(request.reason, 500) || 'none given'}`,
      ),
      ...fields([
        ...ruleFields(changes),
        ['Duration', request.term.kind === 'permanent' ? 'Permanent' : capital(outside(termWords(request.term), 80))],
      ]),
      section(
        progress(request),
        whyTwo(request.counted, request.needed),
        state === 'open' ? voidWords(request.voided) : null,
        request.isBlocked === true ? BLOCKED : null,
        temporaryChange === null ? null : ending(temporaryChange),
      ),
      ...context(state === 'open' ? mayLeaveRuleset(card) : null),
      ...controls(request),
      ...context(
        dateAfter('Asked', askedAt),
        state === 'open' && request.approvals.length > 0 ? `${needsWords(request.needed)}.` : null,
      ),
    ],
  };
}

function controls({ value, state, changes, card, isOverdue, temporaryChange }: ApprovalRequest) {
  if (state === 'open') {
    return actions(
      button({ text: 'Approve', action: actionId.decideRequestApprove, value, style: 'primary' }),
      button({
        text: isAboutLimits(changes) ? 'Change and approve…' : 'Approve for…',
        action: actionId.changeRequest,
        value,
      }),
      button({ text: 'Deny', action: actionId.decideRequestDeny, value, style: 'danger' }),
      button({ text: 'Deny with note…', action: actionId.denyWithNote, value }),
      isOverdue ? button({ text: 'Break glass…', action: actionId.overrideRequest, value }) : null,
    );
  }
  return temporaryChange?.state === 'open' ? actions(revertButton(temporaryChange.id, card)) : [];
}

function headline(changes: readonly RuleChange[]): string {
  if (changes.length > 1) return `raise ${changes.length} limits`;
  return isAboutLimits(changes) ? `raise to ${stateWords(changes, 'to')}` : `allow ${ruleNames(changes)}`;
}

/** Slack shows ten facts in one section: what does not fit is in the sentence above. */
const RULE_FIELDS_MAX = 6;

function ruleFields(changes: readonly RuleChange[]): Field[] {
  return changes
    .slice(0, RULE_FIELDS_MAX)
    .map((change) => [capital(outside(ruleName(change.rule), 100)), `${moveWords([change])}${difference(change)}`]);
}

function difference({ from, to }: RuleChange): string {
  const isRaise = typeof from === 'number' && typeof to === 'number' && to > from;
  return isRaise ? ` (+${formatCents(to - from)})` : '';
}

function progress(request: ApprovalRequest): string {
  const { needed, approvals, state, decidedBy, until, note, unconfirmed } = request;
  const when = until === null ? '' : ` ${dateToken(until)}`;
  const by = approvals.slice(0, 10).map((approval) => mention(approval.by));
  const names = by.length === 0 ? '' : ` by ${by.join(' and ')}`;
  const who = decidedBy === null ? '' : ` by ${mention(decidedBy)}`;
  const noteWords = note === '' ? '' : ` Note: “${outside(note, 300)}”`;
  if (state === 'approved') return `Approved${names}${when}.${noteWords}`;
  const changed = unconfirmed === null ? 'Nothing changed.' : unconfirmedWords(unconfirmed);
  if (state === 'denied') return `Denied${who}${when}. ${changed}${noteWords}`;
  if (state === 'expired') return `Nobody decided in time: it expired${when}. ${changed}`;
  if (state === 'overridden')
    return `No approver answered: done${who} by breaking the glass${when}. Reason: “${outside(note, 300)}”`;
  const far = by.length === 0 ? needsWords(needed) : `${by.length} of ${needed}${names}`;
  const counted = `${far}${until === null ? '' : `, ${dateAfter('expires', until)}`}.`;
  return [unconfirmed === null ? null : unconfirmedWords(unconfirmed), `${counted}${noteWords}`]
    .filter(Boolean)
    .join('\n');
}

/** `…: $1,250.00 in 24 hours. Above $1,000.00 two people decide.` */
function whyTwo(counted: CountedRaise | null, needed: number): string | null {
  if (counted === null) return null;
  const isByAmount = counted.cap === null && needed === 2;
  const why = isByAmount ? `Above ${formatCents(counted.aboveCents)} two people decide.` : whyOthers(counted, needed);
  return `${countedWords(counted)} ${why}`;
}

/** A raise does not unblock. */
export const BLOCKED = 'The card is blocked: it pays nothing until an approver unblocks it.';

function voidWords(voided: readonly string[] = []): string | null {
  const who = [...new Set(voided)].slice(0, 10).map(mention).join(', ');
  return who === ''
    ? null
    : `The approval of ${who} counts no more: it was for other values, or they may not approve now.`;
}

function needsWords(needed: number): string {
  return needed === 1 ? 'Needs one approver' : `Needs ${needed} different approvers`;
}

/** Somebody approved, and nobody knows what became of it. */
function unconfirmedWords({ kind, by, at, state }: NonNullable<ApprovalRequest['unconfirmed']>): string {
  const did = `${mention(by)} ${kind === 'override' ? 'broke the glass' : 'said yes'} ${dateToken(at)}`;
  return state === 'unconfirmed'
    ? `${did}, but the card service did not confirm the change. It may be there all the same: look at the card.`
    : `${did}, but the card service did not answer. I am looking whether the change is there.`;
}
