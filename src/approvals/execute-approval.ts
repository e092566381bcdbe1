import type { Action, Resolved } from '../actions/action.ts';
import { isUnsent, type Result, reported, stateOf } from '../actions/action-state.ts';
import type { ActionTools, LockedRun } from '../actions/action-tools.ts';
import type { ChangeUnlessKnown } from '../actions/change-once.ts';
import type { Cause, Failures } from '../actions/fail-action.ts';
import type { Progress } from '../actions/progress-store.ts';
import type { Reports } from '../actions/report.ts';
import { goalsOf, withGoals } from '../card-api/rule-change.ts';
import { isDecidedBy } from '../core/decided-record.ts';
import type { Approval as Approved } from '../limits/change-rule.ts';
import { type RuleAction, ruleVerbOf } from '../limits/verbs.ts';
import type { PlaceOrder } from '../virtual-cards/order-virtual.ts';
import type { OrderApproved } from '../virtual-cards/permit-order.ts';
import type { OrderVirtualAction } from '../virtual-cards/verbs.ts';
import type { BlockAll } from './block-all.ts';
import { type CompleteApproval, endInFlight } from './complete-approval.ts';
import { createInFlight } from './in-flight.ts';
import type { WhyNoLonger } from './judge-click.ts';
import {
  type ApprovalClick,
  type ApprovalInFlight,
  type ApprovalRequest,
  type ApprovedChange,
  isAboutRules,
  isInOwnName,
  orderIn,
  withInFlight,
  withoutInFlight,
} from './request.ts';
import type { Requests } from './request-store.ts';

/** Makes the changes of approvals, once per click. Everything runs under the request's lock and is idempotent. */
export type Execution = ReturnType<typeof createExecution>;

interface Deps extends Pick<ActionTools, 'now'> {
  readonly progress: Pick<Progress, 'read' | 'begin' | 'write'>;
  readonly requests: Pick<Requests, 'save'>;
  readonly reports: Pick<Reports, 'resume'>;
  readonly makeChange: MakeApprovedChange;
  readonly complete: CompleteApproval;
}

/**
 * The request holds an approval in flight from before its change is sent until the outcome is known. Between two
 * attempts nobody may decide against a change that may already be in effect.
 */
export function createExecution(deps: Deps) {
  const { mayBeAtCard, whyNotYet, stop } = createInFlight(deps);
  return {
    execute,
    /**
     * Continues what this click has sent, whatever was decided or expired meanwhile. If the change failed, nothing is
     * left to do: the job runs again because Redis restored older data.
     *
     * @returns false when the click has sent nothing.
     * @throws CardApiError when the job should be retried.
     */
    async resume(click: ApprovalClick, request: ApprovalRequest, run: LockedRun): Promise<boolean> {
      const approval = request.inFlight.find(({ actionId }) => actionId === click.id);
      if (approval === undefined) return await hasFailed(click, request);
      if (!(await mayBeAtCard(approval))) return false;
      await execute(click, request, approval, run);
      return true;
    },
    whyNotYet,
    stop,
  };

  /** @throws CardApiError when the job should be retried. */
  async function execute(
    click: ApprovalClick,
    request: ApprovalRequest,
    approved: ApprovedChange,
    run: LockedRun,
  ): Promise<void> {
    const approval = approvalOf(click, approved);
    const begun = withInFlight(request, approval);
    await run.lease.confirm();
    await deps.requests.save(begun);
    const result = await deps.makeChange(click, begun, approval, run);
    await deps.complete(click, begun, approval, result, run.lease);
    // Each card is reported on its own, so nothing else ends it.
    if (request.action.verb === 'block-all')
      await deps.progress.write(click.id, { ...stateOf(result, deps.now().toISOString()), isNotified: true });
  }

  /** The outcome of a click whose request stayed open or was closed by someone else. Reports it if that was not done. */
  async function hasFailed(click: ApprovalClick, request: ApprovalRequest): Promise<boolean> {
    const { action } = request;
    const written = await deps.progress.read(click.id);
    const reportedState = reported(written);
    if (reportedState === null) return false;
    // A change that was made still decides an open request.
    if (request.state === 'open' && reportedState.state !== 'failed') return false;
    if (!isAboutRules(request)) return true;
    const change = changeOf(click, request, approvalOf(click, asRequested(click, request)));
    await deps.reports.resume(change, change.verb, written, { outcomeOf: action.id });
    return true;
  }
}

interface ChangeDeps {
  readonly changeUnlessKnown: ChangeUnlessKnown;
  /** Changes a card's rules, under the account's lock. @throws CardApiError when the job should be retried. */
  readonly changeRule: (resolved: Resolved<RuleAction>, approved: Approved, run: LockedRun) => Promise<Result>;
  readonly placeOrder: PlaceOrder;
  readonly whyNoLonger: WhyNoLonger;
  /** @throws CardApiError when the job should be retried. */
  readonly blockAll: BlockAll;
}

/** What was approved: blocks, an order, or a change of rules. @throws CardApiError when the job should be retried. */
type MakeApprovedChange = (
  click: ApprovalClick,
  request: ApprovalRequest,
  approval: ApprovalInFlight,
  run: LockedRun,
) => Promise<Result>;

export function createMakeApprovedChange(deps: ChangeDeps): MakeApprovedChange {
  return async function makeApprovedChange(click, request, approval, run) {
    const { acctId, action: asked } = request;
    if (asked.verb === 'block-all') {
      const approvers = approval.approvals.map(({ by }) => by);
      const action = { ...asked, id: click.id, askedAt: click.askedAt };
      return await deps.blockAll(action, approvers, run, { partOf: asked.id, earlier: request.blocked });
    }
    if (asked.verb === 'order-virtual')
      return await deps.placeOrder(orderOfClick(click, asked), approvedBy(approval), run);
    const action = changeOf(click, request, approval);
    const whyNoLonger = () => deps.whyNoLonger(click, request, approval);
    const approved = { ...approvedAs(request, approval), whyNoLonger };
    const resolved = { action, acctId, cardId: null };
    const change = (locked: LockedRun) => deps.changeRule(resolved, approved, locked);
    return await deps.changeUnlessKnown(action.verb, resolved, run, change, approved);
  };
}

/** Who approved it last, and everyone who approved it. An approver who asked counts as one of several. */
function approvedBy({ kind, approvals, by }: ApprovalInFlight): OrderApproved {
  return { by, approvers: kind === 'override' ? [by] : approvals.map((given) => given.by) };
}

function approvedAs(request: ApprovalRequest, approval: ApprovalInFlight): Omit<Approved, 'whyNoLonger'> {
  const { id, action } = request;
  const { by: last, approvers: all } = approvedBy(approval);
  const approvers = all.length;
  const by = approvers === 1 ? last : null;
  const askedBy = action.actor.userId;
  const people = [askedBy, approval.by];
  const raisedBy = { by, askedBy, ...(by === null && { approvedBy: [...all] }) };
  const unanswered = withoutInFlight(request, approval.actionId).inFlight.map(({ actionId }) => actionId);
  return { outcomeOf: action.id, requestId: id, raisedBy, people, unanswered, approvers, judged: approval.changes };
}

interface FailDeps extends Pick<ActionTools, 'withLock' | 'updateRequest' | 'isRefused'> {
  readonly progress: Pick<Progress, 'read'>;
  readonly requests: Pick<Requests, 'get' | 'save'>;
  readonly placeOrder: PlaceOrder;
  readonly failures: Pick<Failures, 'failChange' | 'failUnchanged'>;
  readonly complete: CompleteApproval;
}

/**
 * An approval that will not be retried: updates the request, notifies the person who asked, and leaves the card to
 * verification.
 */
export function createFailApproval(deps: FailDeps) {
  return async function failApproval(click: ApprovalClick, error: Cause): Promise<void> {
    const { requestId } = click.target;
    await deps.withLock(`request:${requestId}`, async (lease) => {
      const request = await deps.requests.get(requestId);
      if (request === null) return await deps.failures.failUnchanged(click, error);
      // Or others closed the request between the last attempt and this.
      if (hasEnded(click, request) || (await deps.isRefused(click))) return;
      // Without an approval in flight nothing was begun: the card is unchanged.
      const begun = request.inFlight.find(({ actionId }) => actionId === click.id);
      if (begun === undefined && request.state !== 'open') return await deps.failures.failUnchanged(click, error);
      const approval = begun ?? approvalOf(click, asRequested(click, request));
      const written = await deps.progress.read(click.id);
      if (!isAboutRules(request)) {
        const order = orderIn(request);
        // A sent order is never sent again. It is reported as uncertain.
        if (order !== null && !isUnsent(written)) {
          const result = await deps.placeOrder(orderOfClick(click, order), approvedBy(approval), { isLast: true });
          return await deps.complete(click, request, approval, result, lease);
        }
        await lease.confirm();
        await deps.requests.save(await endInFlight(request, click.id, deps));
        await deps.updateRequest(request.id);
        return await deps.failures.failUnchanged(click, error);
      }
      const action = changeOf(click, request, approval);
      const hint = request.state === 'open' ? 'The request is still open.' : null;
      const of = { acctId: request.acctId, written, error, outcomeOf: request.action.id, hint };
      const result = await deps.failures.failChange({ action, verb: action.verb, ...of });
      await deps.complete(click, request, approval, result, lease);
    });
  };
}

/** The click decided the request, was counted, or waits for verification. */
function hasEnded({ id }: ApprovalClick, request: ApprovalRequest): boolean {
  const isCounted = request.approvals.some(({ actionId }) => actionId === id);
  const isLookedAt = request.inFlight.some(({ actionId, state }) => actionId === id && state !== 'begun');
  return isDecidedBy(request, id) || isCounted || isLookedAt;
}

/** What a click makes of a request if its change takes effect. */
export function approvalOf(click: ApprovalClick, approved: ApprovedChange): ApprovalInFlight {
  const { changes, term, note, approvals, counted, facts } = approved;
  return {
    kind: click.verb === 'emergency-override' ? 'override' : 'approval',
    state: 'begun',
    actionId: click.id,
    by: click.actor.userId,
    at: click.askedAt,
    changes,
    term,
    note,
    approvals,
    counted,
    ...(facts !== undefined && { facts }),
  };
}

/**
 * An approval as the change that it makes: in the name of the approver who asked for a second one, or of the person who
 * approves a holder's request, or who changed what an approver asked for. Keeps the click's own id, because a later
 * approval after a failed one is a new attempt.
 */
export function changeOf(click: ApprovalClick, request: ApprovalRequest, approval: ApprovalInFlight): RuleAction {
  const { action: asked } = request;
  if (asked.verb === 'order-virtual' || asked.verb === 'block-all') throw new Error('the request changes no rule');
  const { changes, term } = approval;
  const reason = click.verb === 'emergency-override' ? click.reason : asked.reason;
  const inWhoseName = isInOwnName(request, approval)
    ? { ...click, target: asked.target, reason }
    : answeredDirectly(asked);
  const payCents = asked.verb === 'ask' ? { payCents: asked.ask.amountCents } : {};
  const { alsoNeeds } = request.facts;
  const changeRequest = { goals: goalsOf(changes), term, ...payCents, ...(alsoNeeds !== undefined && { alsoNeeds }) };
  // The click decides it, so it takes precedence over decisions made since the request.
  const isOverride = click.verb === 'emergency-override' ? { isOverride: true as const } : {};
  const decided = { id: click.id, askedAt: click.askedAt, ...isOverride };
  return { ...inWhoseName, verb: ruleVerbOf(changes), changeRequest, ...decided };
}

/** An order in the name of the person who asked for it, made by the click. */
function orderOfClick(click: ApprovalClick, asked: OrderVirtualAction): OrderVirtualAction {
  return { ...answeredDirectly(asked), id: click.id };
}

/** Whoever asked has gone on to something else by the time it is approved. */
function answeredDirectly<A extends Action>(asked: A): A {
  return { ...asked, origin: { ...asked.origin, replace: false, isDirect: true } };
}

/** What a click approves, if its decision was never evaluated. */
export function asRequested(click: ApprovalClick, request: ApprovalRequest): ApprovedChange {
  const { changes, term, note, approvals, counted } = request;
  const own = click.verb === 'decide' ? click.changeRequest : null;
  return { changes: withGoals(changes, own?.goals ?? []), term: own?.term ?? term, note, approvals, counted };
}
