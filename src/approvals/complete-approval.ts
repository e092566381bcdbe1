import { actionResult } from '../../templates/actions/action-result.ts';
import { overrideNotice } from '../../templates/approvals/request-notes.ts';
import { refusal } from '../../templates/policy/refusal.ts';
import type { Result, Verdict } from '../actions/action-state.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { RecentRaises } from '../limits/recent-raise-store.ts';
import { ruleNames } from '../limits/rule-words.ts';
import type { TemporaryChanges } from '../limits/temporary-change-store.ts';
import type { Message } from '../slack/message.ts';
import {
  type ApprovalClick,
  type ApprovalInFlight,
  type ClosedRequest,
  isAboutRules,
  isDecidedBy,
  isInOwnName,
  type LimitRequest,
  type OpenRequest,
  orderIn,
  verbOf,
  withInFlight,
  withoutInFlight,
} from './request.ts';
import type { Requests } from './request-store.ts';
import type { HolderNotices, ResolveRequest } from './resolve-request.ts';

interface Deps extends Pick<ActionTools, 'answer' | 'updateRequest'> {
  readonly requests: Pick<Requests, 'save'>;
  readonly recentRaises: Pick<RecentRaises, 'releaseOverride'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'get'>;
  readonly finish: FinishRequest;
  readonly holderNotices: HolderNotices;
}

/** An approval came to its end, also by failing: the request follows, and who clicked is told where nobody else does. */
export type CompleteApproval = (
  click: ApprovalClick,
  request: LimitRequest,
  approval: ApprovalInFlight,
  result: Result,
) => Promise<void>;

/**
 * Somebody looked at the card after an approval. What was only sent is now told; what nobody knew decides the request, or
 * leaves it open and tells the holder why.
 */
export type ApprovalVerified = (
  request: LimitRequest,
  actionId: string,
  confirmation: Verdict['confirmation'],
) => Promise<void>;

/** What becomes of a request by its approvals. Both run under the request's lock and are safe to repeat. */
export function createCompletion(deps: Deps): { complete: CompleteApproval; verified: ApprovalVerified } {
  return {
    async complete(click, request, approval, result) {
      // Who asked for a second approval is told by the change itself; who gave it, here. First: while the request says that
      // it is in flight, whoever takes over after a crash comes here again.
      const isToldElsewhere = isMade(result) || orderIn(request) !== null || isInOwnName(click, request);
      if (!isToldElsewhere)
        await deps.answer(click, isAboutRules(request) ? notMade(click, approval, result) : notAllBlocked(result));
      await apply(request, approval, result);
    },
    verified,
  };

  /** What another approval decided meanwhile stays. One that failed leaves the request open: the obstacle may pass. */
  async function apply(begun: LimitRequest, approval: ApprovalInFlight, result: Result): Promise<void> {
    const request = withoutInFlight(begun, approval.actionId);
    if (result.state === 'failed' && approval.kind === 'override') {
      await deps.recentRaises.releaseOverride(request.acctId, approval.actionId);
    }
    if (request.state !== 'open') return await deps.requests.save(request);
    // An order whose answer was lost is never sent again, so nothing is left to approve.
    const isOver = isMade(result) || (!isAboutRules(request) && result.state === 'unknown');
    if (isOver) {
      const { control } = result;
      return await decide(request, approval, control?.kind === 'revert' ? control.id : null);
    }
    if (result.state !== 'unknown') return await deps.requests.save(request);
    const sent = withInFlight(request, { ...approval, state: 'sent' });
    // Nobody will look, or somebody has looked already.
    if (result.expects === undefined) return await verified(sent, approval.actionId, 'unconfirmed');
    await deps.requests.save(sent);
    await deps.updateRequest(request.id);
  }

  async function verified(
    request: LimitRequest,
    actionId: string,
    confirmation: Verdict['confirmation'],
  ): Promise<void> {
    const isHolders = request.action.verb === 'ask';
    if (request.state !== 'open') {
      if (isDecidedBy(request, actionId) && isHolders) await deps.holderNotices.notifyDecided(request);
      return;
    }
    const approval = request.inFlight.find((sent) => sent.actionId === actionId && sent.state !== 'begun');
    if (approval === undefined) return;
    if (confirmation === 'confirmed') {
      const temporaryChange = await deps.temporaryChanges.get(actionId);
      return await decide(request, approval, temporaryChange === null ? null : actionId);
    }
    await deps.requests.save(withInFlight(request, { ...approval, state: 'unconfirmed' }));
    await deps.updateRequest(request.id);
    if (isHolders) await deps.holderNotices.notifyUnconfirmed(request, approval);
  }

  /** The request is decided. What other clicks have begun comes to its own end. */
  async function decide(
    request: OpenRequest,
    approval: ApprovalInFlight,
    temporaryChangeId: string | null,
  ): Promise<void> {
    const { kind, actionId, by, at, changes, term, note, approvals, counted } = approval;
    const inFlight = withoutInFlight(request, actionId).inFlight.filter(({ state }) => state === 'begun');
    const decided = { ...request, changes, term, note, approvals, counted, inFlight, temporaryChangeId };
    const state = kind === 'override' ? 'overridden' : 'approved';
    await deps.finish({ ...decided, state, decision: { actionId, by, at } });
  }
}

function notMade({ id }: ApprovalClick, approval: ApprovalInFlight, result: Result): Message {
  const { by, at } = approval;
  return actionResult({ ...result, verb: verbOf(approval), by, at, reason: null, ref: id.slice(-8) });
}

function notAllBlocked({ note }: Result): Message {
  const whoCan = 'The request is still open: approve it again to try these again.';
  const changed = 'Whoever asked was told what became of each card.';
  return refusal({ what: 'Blocking all of these cards', why: note ?? '', whoCan, changed });
}

function isMade({ state }: Result): boolean {
  return state === 'done' || state === 'unchanged';
}

interface FinishDeps extends Pick<ActionTools, 'record' | 'whoMay' | 'postToApprovals'> {
  readonly resolve: ResolveRequest;
  readonly postToOps: (id: string, message: Message) => Promise<void>;
}

/** Keeps what was decided and tells whom it concerns: of an emergency override, everybody. Safe to repeat. */
export type FinishRequest = (request: ClosedRequest) => Promise<void>;

export function createFinishRequest(deps: FinishDeps): FinishRequest {
  return async function finishRequest(request) {
    await deps.resolve(request);
    if (request.state !== 'overridden') return;
    const { id, action, decision, card, changes, note: reason } = request;
    const notice = overrideNotice(request, await deps.whoMay('approver', card.group));
    await deps.postToApprovals(`${id}-override`, notice, card.group);
    await deps.postToOps(`${id}-override`, notice);
    const click = { ...action, id: decision.actionId, actor: { ...action.actor, userId: decision.by } };
    const did = `used the emergency override: changed the ${ruleNames(changes)} of`;
    const line = { did, card, outcome: 'no approver answered for 15 minutes' };
    await deps.record(click, { event: null, reason, lineKey: 'override', line });
  };
}
