import { z } from 'zod';
import { BlockAllAction } from '../actions/verbs.ts';
import { isAboutLimits, RuleChange, RuleGoal, Term } from '../card-api/rule-change.ts';
import { CardFacts } from '../core/card-facts.ts';
import { AllowAction, LimitAction } from '../limits/verbs.ts';
import { CountedRaise } from '../policy/approval-policy.ts';
import { REQUEST_MS } from '../policy/decide-action.ts';
import { OrderVirtualAction } from '../virtual-cards/verbs.ts';
import { noFacts, RequestFacts } from './request-facts.ts';
import { AskAction, type DecideAction, type OverrideAction } from './verbs.ts';

const RuleChanges = z.array(RuleChange).readonly();

const Approval = z.strictObject({
  /** Slack user, and when, UTC ISO 8601. */
  by: z.string(),
  at: z.string(),
  /** The click. Null: an approver who asks for a change approves it by asking. */
  actionId: z.string().nullable(),
});
export type Approval = z.infer<typeof Approval>;

/**
 * The last approval that a request takes, or an emergency override, while its change is being made: what the request
 * becomes if the change is there.
 *
 * begun → sent → unconfirmed. In between its end may become known: then it decides the request, or it is dropped because
 * the change failed.
 */
export const ApprovalInFlight = z.strictObject({
  kind: z.enum(['approval', 'override']),
  /**
   * `begun`: its job works on it, and the progress of its action says whether the card service may have it. `sent`: the
   * card service may have it, no answer came, and the card is being looked at. `unconfirmed`: nothing showed the change in
   * time, and nobody looks any more.
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
  /** As of a request, for what is approved. */
  counted: CountedRaise.nullable().default(null),
});
export type ApprovalInFlight = z.infer<typeof ApprovalInFlight>;

const requested = {
  id: z.string(),
  /** What was asked, by whom, and where. */
  action: z.discriminatedUnion('verb', [LimitAction, AllowAction, AskAction, OrderVirtualAction, BlockAllAction]),
  /** 0: the card is only being ordered, or it is about several. */
  acctId: z.int(),
  card: CardFacts,
  /** Slack user who held the card when it was asked for, if linked: has no say in it. */
  holder: z.string().nullable(),
  /** The money on a virtual card that is to be ordered, whole cents; null: it is about the rules of a card. */
  orderCents: z.int().nonnegative().nullable(),
  /** What the rules shall be, as it was asked for. Empty for an order, as are the changes. */
  goals: z.array(RuleGoal).readonly(),
  /** What an approval does: as asked, or as an approver changed it. From what the rules were when it was asked for. */
  changes: RuleChanges,
  term: Term,
  /** How many different approvers it takes. */
  needed: z.int().min(1),
  approvals: z.array(Approval),
  /** Slack users whose approval counts no more: what they approved was changed since, or they may not approve any more. */
  voided: z.array(z.string()),
  /** Counts how often what it asks for was changed, so that nobody approves what they have not seen. */
  revision: z.int().nonnegative().default(0),
  /** The card was blocked when somebody last looked. */
  isBlocked: z.boolean(),
  /** What approvers see besides the change. */
  facts: RequestFacts.default(noFacts),
  /** Where it takes two because of how much it is: the raise, and the earlier ones that count with it. */
  counted: CountedRaise.nullable(),
  /** Oldest first. Whoever decides against the request while one of them may be at the card would be wrong. */
  inFlight: z.array(ApprovalInFlight),
  /** An approver's word to the one who asked. */
  note: z.string(),
  expiresAt: z.string(),
  /** When the approvers were reminded; from then on operators may break the glass. */
  remindedAt: z.string().nullable(),
};

const Decision = z.strictObject({
  /** The click, so that its job recognizes its own decision after a crash. */
  actionId: z.string(),
  by: z.string(),
  at: z.string(),
});

const made = {
  decision: Decision,
  /** The temporary change that it made; null: the change stays. */
  temporaryChangeId: z.string().nullable(),
};

/**
 * What others have to approve: a change of a card's rules that takes several people, what a holder asks for, or the order of
 * a virtual card.
 *
 * open → approved, overridden, denied, withdrawn or expired; each of these is final. Overridden: an operator broke the
 * glass, because no approver answered. Withdrawn: who asked took it back.
 */
export const LimitRequest = z.discriminatedUnion('state', [
  z.strictObject({ ...requested, state: z.literal('open') }),
  z.strictObject({ ...requested, state: z.literal('approved'), ...made }),
  z.strictObject({ ...requested, state: z.literal('overridden'), ...made }),
  z.strictObject({ ...requested, state: z.literal('denied'), decision: Decision }),
  z.strictObject({ ...requested, state: z.literal('withdrawn'), decision: Decision }),
  z.strictObject({ ...requested, state: z.literal('expired') }),
]);
export type LimitRequest = z.infer<typeof LimitRequest>;
export type OpenRequest = Extract<LimitRequest, { state: 'open' }>;
export type OverriddenRequest = Extract<LimitRequest, { state: 'overridden' }>;
export type ClosedRequest = Exclude<LimitRequest, OpenRequest>;

/** A request to order a virtual card; null: it is about the rules of a card. */
export function orderIn({ action }: LimitRequest): OrderVirtualAction | null {
  return action.verb === 'order-virtual' ? action : null;
}

/** Whether it is about the rules of a card, and not about an order or about blocking many. */
export function isAboutRules({ action }: Pick<LimitRequest, 'action'>): boolean {
  return action.verb !== 'order-virtual' && action.verb !== 'block-all';
}

/** The cards that it blocks, by name; empty: it is about something else. */
export function blocksIn({ action }: LimitRequest): readonly string[] {
  return action.verb === 'block-all' ? action.names : [];
}

/** The click that decided it, and who; null while it is open, and where its time ran out. */
export function decisionOf(request: LimitRequest): z.infer<typeof Decision> | null {
  return request.state === 'open' || request.state === 'expired' ? null : request.decision;
}

/** What the holder wants to pay, whole cents; null where an approver asks. */
export function payCentsOf({ action }: LimitRequest): number | null {
  return action.verb === 'ask' ? action.ask.amountCents : null;
}

/** What a request shows of what was asked for, and by whom. */
export function askedIn(request: LimitRequest) {
  const { actor, askedAt, reason } = request.action;
  return {
    value: requestValue(request),
    askedBy: actor.userId,
    askedAt,
    reason,
    blocks: blocksIn(request),
    payCents: payCentsOf(request),
  };
}

/** What approvers and whoever asked see of a request wherever it is shown. */
export type AskedFor = ReturnType<typeof askedIn> &
  Pick<LimitRequest, 'card' | 'orderCents' | 'changes' | 'term' | 'facts' | 'needed' | 'counted'>;

/** For how long it was asked, whatever an approver made of it since. */
export function askedTerm({ action }: LimitRequest): Term {
  if (action.verb === 'order-virtual' || action.verb === 'block-all') return { kind: 'permanent' };
  return action.verb === 'ask' ? action.ask.term : action.changeRequest.term;
}

/** When approvers could see it first: what was asked for may have waited for a worker before that. */
export function openedAtMs({ expiresAt }: LimitRequest): number {
  return Date.parse(expiresAt) - REQUEST_MS;
}

export function isDecidedBy(request: LimitRequest, actionId: string): boolean {
  return decisionOf(request)?.actionId === actionId;
}

/** The temporary change that its approval made; null: there is none. */
export function temporaryChangeIdOf(request: LimitRequest): string | null {
  return request.state === 'approved' || request.state === 'overridden' ? request.temporaryChangeId : null;
}

/** The approval, begun anew where its click had one in flight already. */
export function withInFlight<R extends LimitRequest>(request: R, approval: ApprovalInFlight): R {
  return { ...request, inFlight: [...withoutInFlight(request, approval.actionId).inFlight, approval] };
}

export function withoutInFlight<R extends LimitRequest>(request: R, actionId: string): R {
  return { ...request, inFlight: request.inFlight.filter((approval) => approval.actionId !== actionId) };
}

/** The newest approval of which nobody knows whether its change is there; null: there is none. */
export function unconfirmedApproval({ inFlight }: LimitRequest): ApprovalInFlight | null {
  return inFlight.findLast(({ state }) => state !== 'begun') ?? null;
}

/** A click that approves a request, or breaks the glass for it. */
export type ApprovalClick = DecideAction | OverrideAction;
/** What a click wants of a request. */
export type ApprovedChange = Pick<ApprovalInFlight, 'changes' | 'term' | 'note' | 'approvals' | 'counted'>;

/** The request that somebody pressed a button of. */
export function requestIdIn({ target }: ApprovalClick): string {
  return target.requestId;
}

/** What the buttons of a request carry: which request, and what of it the person sees. */
export function requestValue({ id, revision }: Pick<LimitRequest, 'id' | 'revision'>): string {
  return revision === 0 ? id : `${id}.${revision}`;
}

export function requestTarget(value: string): ApprovalClick['target'] {
  const [requestId = '', revision = ''] = value.split('.');
  return { kind: 'request', requestId, ...(/^\d{1,9}$/.test(revision) && { revision: Number(revision) }) };
}

/** True when the person saw what the request asks for now. */
export function hasSeen({ target }: ApprovalClick, { revision }: Pick<LimitRequest, 'revision'>): boolean {
  return (target.revision ?? 0) === revision;
}

/** Whether who clicks answers for the change; otherwise the approver does who asked for it. */
export function isInOwnName(click: ApprovalClick, { action: asked }: LimitRequest): boolean {
  return click.verb === 'emergency-override' || asked.verb === 'ask';
}

export function verbOf({ changes }: Pick<ApprovalInFlight, 'changes'>): 'limit' | 'allow' {
  return isAboutLimits(changes) ? 'limit' : 'allow';
}
