import { z } from 'zod';
import { countOf } from '../../templates/core/blocks.ts';
import { BlockAllAction } from '../actions/verbs.ts';
import { ofRule, without } from '../card-api/rule.ts';
import { isLooser, isMade, isSameGoals, RuleChange, RuleGoal, Term, withGoals } from '../card-api/rule-change.ts';
import { CardFacts } from '../core/card-facts.ts';
import { DecidedBy } from '../core/decided-record.ts';
import { TemporaryValue } from '../limits/rule-future.ts';
import { AllowAction, LimitAction } from '../limits/verbs.ts';
import { CountedRaise } from '../policy/approval-policy.ts';
import { REQUEST_MS, REQUEST_OVERDUE_MS } from '../policy/decide-action.ts';
import { OrderReason, OrderTerms } from '../virtual-cards/order.ts';
import { OrderVirtualAction } from '../virtual-cards/verbs.ts';
import { noFacts, RequestFacts } from './request-facts.ts';
import { AskAction, type DecideAction, type OverrideAction } from './verbs.ts';

const RuleChanges = z.array(RuleChange).readonly();

const Approval = z.strictObject({
  /** Slack user id. `at`: UTC ISO 8601. */
  by: z.string(),
  at: z.string(),
  /** The click. Null: an approver's own request counts as their approval. */
  actionId: z.string().nullable(),
});
export type Approval = z.infer<typeof Approval>;

/** An approval that no longer counts: whose, and why. */
const VoidApproval = z.strictObject({
  by: z.string(),
  /**
   * `moved`: the card was changed since. `values`: an approver decided something else. `rights`: they may not approve it
   * any more. `same`: they stand in for a person for whom another approval counts.
   */
  why: z.enum(['moved', 'values', 'rights', 'same']),
  /** For `same`: that person. */
  standsInFor: z.string().nullable(),
});
export type VoidApproval = z.infer<typeof VoidApproval>;

/**
 * The last approval of a request, or an emergency override, while its change is being made: what the request becomes if
 * the change takes effect.
 *
 * begun → sent → unconfirmed. If the outcome becomes known in between, it decides the request, or the approval is
 * dropped because the change failed.
 */
export const ApprovalInFlight = z.strictObject({
  kind: z.enum(['approval', 'override']),
  /**
   * `begun`: its job is running, and the progress of its action shows whether the card service may have received it.
   * `sent`: the card service may have received it, no answer came, and the card is being verified. `unconfirmed`:
   * nothing showed the change in time, and verification has ended.
   */
  state: z.enum(['begun', 'sent', 'unconfirmed']),
  /** The click. */
  actionId: z.string(),
  by: z.string(),
  at: z.string(),
  changes: RuleChanges,
  term: Term,
  note: z.string(),
  approvals: z.array(Approval),
  /** Like the request's `counted`, for what is approved. */
  counted: CountedRaise.nullable().default(null),
  /** The same for its facts. Absent: those of the request. */
  facts: RequestFacts.optional(),
});
export type ApprovalInFlight = z.infer<typeof ApprovalInFlight>;

const BlockedCard = z.strictObject({
  acctId: z.int(),
  /** False: no answer came, or nothing has shown it in time, so it may be blocked. */
  isCertain: z.boolean(),
  /** The click that blocked it, or may have. Absent: an older version has not stored it. */
  actionId: z.string().optional(),
  /** It needed no block: it was blocked, or closed for good already. */
  isSo: z.enum(['blocked', 'closed']).optional(),
});
export type BlockedCard = z.infer<typeof BlockedCard>;

const requested = {
  id: z.string(),
  /** What was asked, by whom, and where. */
  action: z.discriminatedUnion('verb', [LimitAction, AllowAction, AskAction, OrderVirtualAction, BlockAllAction]),
  /** 0: the card is still being ordered, or the request is about several cards. */
  acctId: z.int(),
  card: CardFacts,
  /** Slack user who held the card at the time of the request, if linked. May not decide it. */
  holder: z.string().nullable(),
  /** The amount on a virtual card to order, in whole cents; null: the request is about a card's rules. */
  orderCents: z.int().nonnegative().nullable(),
  /** Why an order needs more than one approver. */
  orderWhy: OrderReason.nullish(),
  /** The ruleset and the group of the ordered card. Its form is sealed, and approvers have to see these. */
  orderTerms: OrderTerms.nullish(),
  /** An approver asked about their own card, or ordered one for themselves, so that their request is no approval. */
  isOwnCard: z.boolean().default(false),
  /** The requested rules. Empty for an order, as are the changes. */
  goals: z.array(RuleGoal).readonly(),
  /**
   * What an approval does: as requested, or as an approver changed it. `from` is what the raise counts from: the rule at the
   * time of the request, or what it goes back to before the change ends.
   */
  changes: RuleChanges,
  /** What an approver changed the requested values to. Absent: no approver did. */
  amended: z.array(RuleGoal).readonly().optional(),
  /** The rules that had another value for the moment at that time. */
  temporary: z.array(TemporaryValue).readonly().default([]),
  term: Term,
  /** How many different approvers are needed. */
  needed: z.int().min(1),
  approvals: z.array(Approval),
  /** The approvals that no longer count. The newest last. */
  voided: z.array(VoidApproval).readonly(),
  /** Incremented when the requested change is edited, so that nobody approves what they have not seen. */
  revision: z.int().nonnegative().default(0),
  /** Slack users who asked for the same while it was open. They are told if it ends without this change. Absent: nobody. */
  askedToo: z.array(z.string()).readonly().optional(),
  /** The card was blocked when it was last read. */
  isBlocked: z.boolean(),
  facts: RequestFacts.default(noFacts),
  /** If its size is why two approvals are needed: the raise and the earlier raises that count with it. */
  counted: CountedRaise.nullable(),
  /** Oldest first. Nobody may decide against the request while one of these may be in effect. */
  inFlight: z.array(ApprovalInFlight),
  /** Of several cards, those that earlier approvals blocked, or may have, without blocking all. Absent: none. */
  blocked: z.array(BlockedCard).readonly().optional(),
  /** The approver's note to the person who asked. */
  note: z.string(),
  expiresAt: z.string(),
  /**
   * When the only purchase that it is for was paid without it: nobody can decide it any more. Of an open request it is read
   * anew each time, because a payment may be reversed.
   */
  paidAt: z.string().optional(),
  /** When a reminder listed it, or when it became overdue after that. */
  remindedAt: z.string().nullable(),
};

const made = {
  decision: DecidedBy,
  /** The temporary change it made; null: the change is permanent. */
  temporaryChangeId: z.string().nullable(),
  /**
   * The card service accepted the change, but nothing showed it in time, and verification has ended. Or it did not answer
   * an order.
   */
  isUnconfirmed: z.literal(true).optional(),
};

/**
 * What others have to approve: a change of a card's rules that needs several people, a holder's request, the order of a
 * virtual card, or blocking many cards.
 *
 * open → approved, overridden, denied, withdrawn or expired, all final. Overridden: an operator used the emergency
 * override because no approver answered. Withdrawn: the person who asked withdrew it.
 */
export const ApprovalRequest = z.discriminatedUnion('state', [
  z.strictObject({ ...requested, state: z.literal('open') }),
  z.strictObject({ ...requested, state: z.literal('approved'), ...made }),
  z.strictObject({ ...requested, state: z.literal('overridden'), ...made }),
  z.strictObject({ ...requested, state: z.literal('denied'), decision: DecidedBy }),
  z.strictObject({ ...requested, state: z.literal('withdrawn'), decision: DecidedBy }),
  z.strictObject({ ...requested, state: z.literal('expired') }),
]);
export type ApprovalRequest = z.infer<typeof ApprovalRequest>;
export type OpenRequest = Extract<ApprovalRequest, { state: 'open' }>;
export type OverriddenRequest = Extract<ApprovalRequest, { state: 'overridden' }>;
export type MadeRequest = Extract<ApprovalRequest, { state: 'approved' | 'overridden' }>;
export type ClosedRequest = Exclude<ApprovalRequest, OpenRequest>;

/** The order in a request for a virtual card; null: the request is about something else. */
export function orderIn({ action }: ApprovalRequest): OrderVirtualAction | null {
  return action.verb === 'order-virtual' ? action : null;
}

/** Whether the request is about a card's rules, not an order or blocking many cards. */
export function isAboutRules({ action }: Pick<ApprovalRequest, 'action'>): boolean {
  return action.verb !== 'order-virtual' && action.verb !== 'block-all';
}

/**
 * The account whose rules it changes. Null: an order, or several cards, which follow the main part of the policy; or there
 * is no such request.
 */
export function accountIn(request: Pick<ApprovalRequest, 'action' | 'acctId'> | null): number | null {
  return request !== null && isAboutRules(request) ? request.acctId : null;
}

/** The names of the cards it blocks; empty: it is about something else. */
export function blocksIn({ action }: ApprovalRequest): readonly string[] {
  return action.verb === 'block-all' ? action.names : [];
}

/** What the holder wants to pay, in whole cents; null when an approver asks. */
export function payCentsOf({ action }: Pick<ApprovalRequest, 'action'>): number | null {
  return action.verb === 'ask' ? action.ask.amountCents : null;
}

/** An approver decides about something else than what was asked for. */
export function isChanged(request: ApprovalRequest): boolean {
  const { changes, term } = request;
  const isAsAsked =
    isSameGoals(goalsLeft(request), changes) && JSON.stringify(askedTerm(request)) === JSON.stringify(term);
  return changes.length > 0 && !isAsAsked;
}

/** What was asked for, regardless of an approver's changes, without the limits that have become high enough since. */
export function goalsLeft({ goals, changes }: Pick<ApprovalRequest, 'goals' | 'changes'>): RuleGoal[] {
  return without(goals, without(goals, changes));
}

/**
 * The values that approving is to set, as requested or as an approver changed them: also of limits that are left out of the
 * changes, because they are high enough for the moment.
 */
export function wantedGoals({
  goals,
  changes,
  amended = changes,
}: Pick<ApprovalRequest, 'goals' | 'changes' | 'amended'>): RuleGoal[] {
  return withGoals(goals, amended);
}

/** The changes relative to what the rules were when the request last read them. What a raise counts from may differ. */
export function changesFromNow({ changes, temporary }: Pick<ApprovalRequest, 'changes' | 'temporary'>): RuleChange[] {
  return changes.map((change) => changeFromNow(change, temporary));
}

/** Nobody has decided, but the limits have become high enough meanwhile: approving it would raise nothing. */
export function isNoLongerNeeded(request: Pick<ApprovalRequest, 'state' | 'changes' | 'temporary'>): boolean {
  const { state, changes } = request;
  return state === 'open' && changes.length > 0 && !isLooser(changes) && !isLooser(changesFromNow(request));
}

/**
 * Whether a click on *Approve* can do something. It closes a request whose rules are by now exactly as it asks; if one is
 * higher, it is refused.
 */
export function mayBeApproved(request: Pick<ApprovalRequest, 'state' | 'changes' | 'temporary'>): boolean {
  return !isNoLongerNeeded(request) || isMade(request.changes);
}

/** The same of one change. */
export function changeFromNow(change: RuleChange, temporary: ApprovalRequest['temporary']): RuleChange {
  const value = ofRule(temporary, change.rule);
  return value === undefined ? change : { ...change, from: value.now };
}

/** The requested duration, regardless of an approver's changes. */
export function askedTerm({ action }: Pick<ApprovalRequest, 'action'>): Term {
  if (action.verb === 'order-virtual' || action.verb === 'block-all') return { kind: 'permanent' };
  return action.verb === 'ask' ? action.ask.term : action.changeRequest.term;
}

/** When approvers could first see it. The action may have waited for a worker before that. */
export function openedAtMs({ expiresAt }: Pick<ApprovalRequest, 'expiresAt'>): number {
  return Date.parse(expiresAt) - REQUEST_MS;
}

/** Nobody answered for 15 minutes, so operators may use the emergency override. */
export function isOverdue(request: Pick<ApprovalRequest, 'expiresAt' | 'remindedAt'>): boolean {
  const { remindedAt } = request;
  return remindedAt !== null && Date.parse(remindedAt) >= overdueAtMs(request);
}

/** What approvers did before an emergency override, as the start of a clause about the time they had. */
export function answersBeforeOverride({ approvals, needed }: Pick<ApprovalRequest, 'approvals' | 'needed'>): string {
  return approvals.length === 0 ? 'no approver answered' : `only ${approvals.length} of ${countOf(needed, 'approval')}`;
}

/**
 * Approvers whose answer a request lacks or never had: not those who approved it, and not those who may not decide it,
 * who asked or hold the card. Whoever asked may approve it again once their own approval is void.
 */
export function approversWithoutAnswer(
  { action, holder, approvals, voided }: Pick<ApprovalRequest, 'action' | 'holder' | 'approvals' | 'voided'>,
  approvers: readonly string[],
): string[] {
  const asker = action.actor.userId;
  const settled = [...approvals.map(({ by }) => by), holder, isVoidOf(asker, voided) ? null : asker];
  return approvers.filter((userId) => !settled.includes(userId));
}

export function overdueAtMs(request: Pick<ApprovalRequest, 'expiresAt'>): number {
  return openedAtMs(request) + REQUEST_OVERDUE_MS;
}

/** The request without the approvals that are void. They stay on it with the reason. */
export function withVoid(request: OpenRequest, voided: readonly VoidApproval[]): OpenRequest {
  if (voided.length === 0) return request;
  return {
    ...request,
    approvals: request.approvals.filter(({ by }) => !isVoidOf(by, voided)),
    voided: [...request.voided, ...voided],
  };
}

/** An approval of this person no longer counts. */
export function isVoidOf(userId: string, voided: readonly VoidApproval[]): boolean {
  return voided.some(({ by }) => by === userId);
}

/** The change was made, by approval or by override. */
export function hasMadeChange(request: ApprovalRequest): request is MadeRequest {
  return request.state === 'approved' || request.state === 'overridden';
}

/** The temporary change its approval made; null: none. */
export function temporaryChangeIdOf(request: ApprovalRequest): string | null {
  return hasMadeChange(request) ? request.temporaryChangeId : null;
}

/** A change that was approved and made, but never seen on the card. */
export function isUnconfirmed(request: ApprovalRequest): boolean {
  return hasMadeChange(request) && request.isUnconfirmed === true;
}

/** Adds the approval, replacing an earlier one of the same click. */
export function withInFlight<R extends ApprovalRequest>(request: R, approval: ApprovalInFlight): R {
  return { ...request, inFlight: [...withoutInFlight(request, approval.actionId).inFlight, approval] };
}

export function withoutInFlight<R extends ApprovalRequest>(request: R, actionId: string): R {
  return { ...request, inFlight: request.inFlight.filter((approval) => approval.actionId !== actionId) };
}

/** The newest approval whose outcome is unknown; null: none. */
export function unconfirmedApproval({ inFlight }: ApprovalRequest): ApprovalInFlight | null {
  return inFlight.findLast(({ state }) => state !== 'begun') ?? null;
}

/** What earlier approvals changed or may have, as a clause; null: nothing. */
export function earlierChange(request: ApprovalRequest): string | null {
  const unconfirmed = unconfirmedApproval(request);
  if (unconfirmed === null) return blockedBefore(request);
  const decision = unconfirmed.kind === 'override' ? 'emergency override' : 'approval';
  return `whether an earlier ${decision} changed anything is not certain`;
}

/** `an earlier approval blocked 5 of 8 cards, and perhaps 1 more`; null: it blocked none. */
export function blockedBefore(request: ApprovalRequest): string | null {
  const blocked = request.blocked?.filter(({ isSo }) => isSo === undefined) ?? [];
  if (blocked.length === 0) return null;
  const { length: certain } = blocked.filter(({ isCertain }) => isCertain);
  const perhaps = blocked.length - certain;
  const all = countOf(blocksIn(request).length, 'card');
  if (certain === 0) return `an earlier approval may have blocked ${perhaps} of ${all}`;
  const more = perhaps === 0 ? '' : `, and perhaps ${perhaps} more`;
  return `an earlier approval blocked ${certain} of ${all}${more}`;
}

/** The names of the cards of which this is so, once an approval has blocked any, or tried to. */
export function cardsWhere(
  { action, blocked }: ApprovalRequest,
  isSo: (card: BlockedCard | undefined) => boolean,
): readonly string[] {
  if (action.verb !== 'block-all' || blocked === undefined) return [];
  const known = new Map(blocked.map((card) => [card.acctId, card]));
  return action.acctIds.flatMap((acctId, index) =>
    isSo(known.get(acctId)) ? (action.names[index] ?? String(acctId)) : [],
  );
}

/** Adds the cards that an approval has blocked. */
export function withBlocked<R extends ApprovalRequest>(request: R, added: readonly BlockedCard[]): R {
  const { blocked = [] } = request;
  const isKept = ({ acctId, isCertain }: BlockedCard) => isCertain || !added.some((one) => one.acctId === acctId);
  const kept = blocked.filter(isKept);
  const others = added.filter(({ acctId }) => !kept.some((one) => one.acctId === acctId));
  return others.length === 0 ? request : { ...request, blocked: [...kept, ...others] };
}

/** A click that approves a request, or uses the emergency override for it. */
export type ApprovalClick = DecideAction | OverrideAction;
/** What a click asks of a request. */
export type ApprovedChange = Pick<ApprovalInFlight, 'changes' | 'term' | 'note' | 'approvals' | 'counted' | 'facts'>;

/** The value of a request's buttons: the request and the revision the person sees. */
export function requestValue({ id, revision }: Pick<ApprovalRequest, 'id' | 'revision'>): string {
  return revision === 0 ? id : `${id}.${revision}`;
}

export function requestTarget(value: string): ApprovalClick['target'] {
  const [requestId = '', revision = ''] = value.split('.');
  return { kind: 'request', requestId, ...(/^\d{1,9}$/.test(revision) && { revision: Number(revision) }) };
}

/** True when the person saw the current revision of the request. */
export function hasSeen({ target }: ApprovalClick, { revision }: Pick<ApprovalRequest, 'revision'>): boolean {
  return (target.revision ?? 0) === revision;
}

/**
 * Whether the person who decides answers for the change and is told of it. Otherwise the approver who asked does, because
 * the change is what they asked for.
 */
export function isInOwnName(
  request: ApprovalRequest,
  { kind, changes, term }: Pick<ApprovalInFlight, 'kind' | 'changes' | 'term'>,
): boolean {
  const isOther = isAboutRules(request) && isChanged({ ...request, changes, term });
  return kind === 'override' || request.action.verb === 'ask' || isOther;
}
