import { countOf } from '../../templates/core/blocks.ts';
import { countedText } from '../../templates/limits/counted-words.ts';
import type { Refusal } from '../../templates/policy/refusal.ts';
import type { ActionTools, LockedRun, Responses, Rights } from '../actions/action-tools.ts';
import { askOthers } from '../actions/ask-others.ts';
import type { Progress } from '../actions/progress-store.ts';
import { type RuleGoal, type Term, withGoals } from '../card-api/rule-change.ts';
import { isDecidedBy } from '../core/decided-record.ts';
import { serviceZone } from '../core/installation.ts';
import type { Lease } from '../core/lock.ts';
import { ruleNames, ruleStates } from '../limits/rule-words.ts';
import { hasPassed, passedWords, termWords } from '../limits/term.ts';
import type { CountedRaise } from '../policy/approval-policy.ts';
import { unreadGroup } from '../policy/authorize.ts';
import type { AmendRequest } from './amend-request.ts';
import { withAnswers } from './block-all.ts';
import type { FinishRequest } from './complete-approval.ts';
import { whyLower } from './current-request.ts';
import type { WhyNot } from './eligibility.ts';
import type { Execution } from './execute-approval.ts';
import type { JudgeClick } from './judge-click.ts';
import {
  type ApprovalClick,
  type ApprovalRequest,
  accountIn,
  blocksIn,
  type ClosedRequest,
  earlierChange,
  isAboutRules,
  type OpenRequest,
  orderIn,
} from './request.ts';
import { isExpired, mayAskAgain, whyExpired } from './request-expiry.ts';
import type { Requests } from './request-store.ts';
import type { ExpireRequest } from './resolve-request.ts';
import type { DecideAction, WithdrawAction } from './verbs.ts';

interface Deps extends Pick<ActionTools, 'now'> {
  readonly rights: Pick<Rights, 'mayAct' | 'whoMay' | 'authorize'>;
  readonly responses: Pick<Responses, 'refuse'>;
  readonly requests: Pick<Requests, 'get'>;
  readonly execution: Pick<Execution, 'stop' | 'whyNotYet'>;
  readonly expire: ExpireRequest;
  readonly decisions: Decisions;
}

/**
 * How a request ends by a click on it.
 *
 * Runs under the request's lock: if two people press at once, one decides and the other is notified.
 */
export function createRequestVerbs(deps: Deps) {
  return { decideRequest, withdrawRequest };

  /**
   * An approver approves or denies a request, as asked or with another amount or duration.
   *
   * @throws CardApiError when the job should be retried.
   */
  async function decideRequest(action: DecideAction, run: LockedRun): Promise<void> {
    const request = await deps.requests.get(action.target.requestId);
    const about = { acctId: accountIn(request) };
    const over = (why: string, whoCan: Refusal['whoCan'] = 'Nothing is left to decide.') =>
      deps.responses.refuse(action, { why, whoCan }, about);

    if (request === null) return await over('This request is too old.', mayAskAgain);
    if (await deps.decisions.resume(action, request, run)) return;
    if (request.state !== 'open') return await over(decidedAlready(request));
    // So far the person is known to approve for some card.
    const isApprover = await deps.rights.mayAct(action, accountIn(request));
    if (isApprover === null) throw unreadGroup();
    if (!isApprover) {
      const whoCan = await askOthers(action, 'approver', isAboutRules(request) ? request.card.group : null, deps);
      const why = 'Only approvers of other cards may decide this request.';
      return await deps.responses.refuse(action, { why, whoCan }, { ...about, isNotPermitted: true });
    }
    const isOver = isExpired(request, deps.now());
    const notYet = action.approve && !isOver ? await whyNotOrder(request) : await deps.execution.stop(request);
    if (notYet !== null) return await over(notYet.why, notYet.whoCan);
    if (isOver) {
      await deps.expire(request, run.lease);
      return await over(whyExpired(request), mayAskAgain);
    }
    if (!action.approve) return await deps.decisions.deny(action, request, run.lease);
    const own = action.changeRequest?.term;
    if (own !== undefined && hasPassed(own, deps.now(), serviceZone().name))
      return await over(passedWords(own), 'Choose a later end.');
    const why = await deps.decisions.approve(action, request, run);
    if (why !== null) await deps.responses.refuse(action, why, { ...about, isNotPermitted: why.isNotPermitted });
  }

  /** A change may be sent twice, but a second order is a second card. */
  async function whyNotOrder(request: OpenRequest) {
    return orderIn(request) === null ? null : await deps.execution.whyNotYet(request);
  }

  /** The person who asked withdraws the request while it is undecided. */
  async function withdrawRequest(action: WithdrawAction, lease: Lease): Promise<void> {
    const request = await deps.requests.get(action.target.requestId);
    const refused = (why: string, whoCan: Refusal['whoCan'] = 'Nothing is left to withdraw.') =>
      deps.responses.refuse(action, { why, whoCan }, { acctId: accountIn(request) });

    if (request === null) return await refused('This request is too old.');
    const isOwnAction = request.action.actor.userId === action.actor.userId;
    const verdict = await deps.rights.authorize(action, { isOwnAction });
    if (verdict.kind === 'refused')
      return await deps.responses.refuse(
        action,
        { why: verdict.why, whoCan: 'An approver can deny it.' },
        { acctId: accountIn(request), isNotPermitted: true },
      );
    // This click decided the request before a crash: finish the remaining steps.
    if (isDecidedBy(request, action.id)) return await deps.decisions.withdraw(action, request, lease);
    if (request.state !== 'open') return await refused(decidedAlready(request));
    const notYet = await deps.execution.stop(request);
    if (notYet !== null) return await refused(notYet.why, notYet.whoCan);
    if (!isExpired(request, deps.now())) return await deps.decisions.withdraw(action, request, lease);
    await deps.expire(request, lease);
    await refused(whyExpired(request));
  }
}

function decidedAlready({ state }: ClosedRequest): string {
  return `This request is ${state === 'overridden' ? 'settled by an emergency override' : state} already.`;
}

/** Both record who decided before anyone is notified. */
export type Decisions = ReturnType<typeof createDecisions>;

interface DecisionDeps extends Pick<ActionTools, 'record' | 'updateRequest'> {
  readonly requests: Pick<Requests, 'save'>;
  readonly progress: Pick<Progress, 'read'>;
  readonly execution: Pick<Execution, 'execute' | 'resume'>;
  readonly judgeClick: JudgeClick;
  readonly amend: AmendRequest;
  readonly finish: FinishRequest;
}

interface Decided {
  readonly event: 'approved' | 'denied' | 'ended';
  /** What the person did; precedes what the request is about. */
  readonly did: string;
  readonly outcome: string;
  /** Who asked for something other than what was approved; null: no difference. */
  readonly changedOf: string | null;
  /** The counted raise, if its size is why two approvals are needed. */
  readonly counted: CountedRaise | null;
}

type Closing = DecideAction | WithdrawAction;

function decisionBy({ id, actor, askedAt }: Closing) {
  return { actionId: id, by: actor.userId, at: askedAt };
}

/** Nobody approves twice, and nobody approves their own request or a change of their own card. */
export function createDecisions(deps: DecisionDeps) {
  return {
    /**
     * Continues what a click has done to its request before a crash, whatever others decided meanwhile.
     *
     * @returns false when the click has done nothing yet.
     * @throws CardApiError when the job should be retried.
     */
    async resume(click: ApprovalClick, request: ApprovalRequest, run: LockedRun): Promise<boolean> {
      if (request.state !== 'open' && isDecidedBy(request, click.id)) {
        const isDenial = request.state === 'denied' && click.verb === 'decide';
        await (isDenial ? deny(click, request, run.lease) : deps.finish(request));
        return true;
      }
      // The approval was counted. Someone else may have decided since.
      if (request.approvals.some(({ actionId }) => actionId === click.id)) {
        await deps.updateRequest(request.id);
        return true;
      }
      return await deps.execution.resume(click, request, run);
    },
    /**
     * Counts an approval, and makes the change with the last one. @returns why it does not count; null when it does.
     */
    async approve(action: DecideAction, asked: OpenRequest, run: LockedRun): Promise<WhyNot | null> {
      const judged = await deps.judgeClick(action, asked, run.lease);
      if (judged.kind === 'refused') return judged;
      const { request } = judged;
      const changed = await deps.amend(action, judged);
      const now = await judged.nowFor(changed.term);
      const why = whyLower(withGoals(now, changed.changes), request);
      if (why !== null) return why;
      // The count is already on record since the request was made, so it is not repeated.
      const counted = changed.counted === request.counted ? null : changed.counted;
      const what = whatWasApproved(request, changed);
      await record(action, request, { event: 'approved', did: 'approved', ...what, counted }, deps);
      const approval = { by: action.actor.userId, at: action.askedAt, actionId: action.id };
      const approvals = [...changed.approvals, approval];
      if (approvals.length >= changed.needed) {
        await deps.execution.execute(action, request, { ...changed, approvals }, run);
        return null;
      }
      // More approvals are needed, so the buttons stay.
      await run.lease.confirm();
      await deps.requests.save({ ...changed, approvals });
      await deps.updateRequest(changed.id);
      return null;
    },
    deny,
    /** The same by the person who asked. */
    withdraw: (action: WithdrawAction, request: ApprovalRequest, lease: Lease): Promise<void> =>
      close(action, { ...request, state: 'withdrawn', decision: decisionBy(action) }, lease),
  };

  /** Also after this action denied it before a crash. */
  async function deny(action: DecideAction, request: ApprovalRequest, lease: Lease): Promise<void> {
    await close(action, { ...request, state: 'denied', note: action.reason, decision: decisionBy(action) }, lease);
  }

  /** Ends a request without a change. */
  async function close(action: Closing, asked: ClosedRequest, lease: Lease): Promise<void> {
    const closed = await withAnswers(asked, deps);
    const outcome = earlierChange(closed) ?? 'nothing changed';
    // Saved first: if the process crashed before this, someone else could decide and two endings would be recorded.
    await lease.confirm();
    await deps.requests.save(closed);
    const event = closed.state === 'denied' ? 'denied' : 'ended';
    const did = closed.state === 'denied' ? 'denied' : 'withdrew the request for';
    await record(action, closed, { event, did, outcome, changedOf: null, counted: null }, deps);
    await deps.finish(closed);
  }
}

async function record(
  action: Closing,
  request: ApprovalRequest,
  { event, did, outcome, changedOf, counted }: Decided,
  deps: Pick<DecisionDeps, 'record'>,
): Promise<void> {
  const { orderCents, card, id, changes, term } = request;
  // A changed approval says in its outcome how long it lasts.
  const duration = event === 'approved' && changedOf === null && isAboutRules(request) ? termWords(term) : null;
  const blocks = blocksIn(request).length;
  const ofCard = orderCents === null ? `a change of the ${ruleNames(changes)} of` : 'an order of a virtual card for';
  const line = {
    did: `${did} ${blocks > 0 ? `blocking ${countOf(blocks, 'card')}` : ofCard}`,
    card: blocks > 0 ? null : card,
    lasts: duration,
    outcome,
    ...(changedOf !== null && { outcomeOf: changedOf }),
    counted,
  };
  const more = [
    event === 'ended' ? 'withdrawn by the person who asked' : null,
    changedOf === null ? null : `${changedOf} ${outcome}`,
    counted === null ? null : countedText(counted),
  ].filter((text) => text !== null);
  const detail = more.length === 0 ? id : `${id}: ${more.join('. ')}`;
  await deps.record(action, { event, acctId: card.acctId, cardId: card.cardId, duration, detail, line });
}

/** For *Change and approve*: who asked for what, and what was approved instead. */
function whatWasApproved(asked: OpenRequest, { changes, term }: OpenRequest): Pick<Decided, 'outcome' | 'changedOf'> {
  const changeWords = (goals: readonly RuleGoal[], lasts: Term) => `${ruleStates(goals, 'to')}, ${termWords(lasts)}`;
  const before = changeWords(asked.changes, asked.term);
  const after = changeWords(changes, term);
  if (before === after) return { outcome: 'as requested', changedOf: null };
  return { outcome: `asked for ${before}; changed to ${after}`, changedOf: asked.action.actor.userId };
}
