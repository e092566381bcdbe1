import { actionResult } from '../../templates/actions/action-result.ts';
import { blockAllDecided, blockAllDone, overrideNotice } from '../../templates/approvals/request-notes.ts';
import { serviceSaysRaw } from '../../templates/core/blocks.ts';
import { sentences } from '../../templates/core/change-words.ts';
import { requestUnconfirmed } from '../../templates/holders/holder-request.ts';
import { refusal } from '../../templates/policy/refusal.ts';
import type { Result, Verdict } from '../actions/action-state.ts';
import type { ActionTools, Responses, Rights } from '../actions/action-tools.ts';
import type { Progress } from '../actions/progress-store.ts';
import { isDecidedBy } from '../core/decided-record.ts';
import { formatDuration } from '../core/duration.ts';
import type { Lease } from '../core/lock.ts';
import type { RecentRaises } from '../limits/recent-raise-store.ts';
import { ruleNames } from '../limits/rule-words.ts';
import type { TemporaryChanges } from '../limits/temporary-change-store.ts';
import { termWords } from '../limits/term.ts';
import { ruleVerbOf } from '../limits/verbs.ts';
import { REQUEST_OVERDUE_MS } from '../policy/decide-action.ts';
import type { Message } from '../slack/message.ts';
import { blockedBy, withAnswers } from './block-all.ts';
import {
  type ApprovalClick,
  type ApprovalInFlight,
  type ApprovalRequest,
  answersBeforeOverride,
  approversWithoutAnswer,
  blocksIn,
  type ClosedRequest,
  hasMadeChange,
  isAboutRules,
  isInOwnName,
  type MadeRequest,
  type OpenRequest,
  orderIn,
  withBlocked,
  withInFlight,
  withoutInFlight,
} from './request.ts';
import type { Requests } from './request-store.ts';
import { isToldApart, type RequestEnds } from './resolve-request.ts';

interface Deps extends Pick<ActionTools, 'notifyDirectly' | 'updateRequest'> {
  readonly responses: Pick<Responses, 'answer'>;
  readonly progress: Pick<Progress, 'read'>;
  readonly requests: Pick<Requests, 'save'>;
  readonly recentRaises: Pick<RecentRaises, 'releaseOverride'>;
  readonly finish: FinishRequest;
  readonly verified: ApprovalVerified;
}

/**
 * An approval has ended, possibly with a failure. Updates the request, and notifies the person who clicked if nothing
 * else does. Runs under the request's lock and is idempotent.
 */
export type CompleteApproval = (
  click: ApprovalClick,
  request: ApprovalRequest,
  approval: ApprovalInFlight,
  result: Result,
  lease: Lease,
) => Promise<void>;

export function createCompleteApproval(deps: Deps): CompleteApproval {
  return async function completeApproval(click, request, approval, result, lease) {
    // This runs first: while the request is in flight, another worker repeats this step after a crash.
    if (!isNotifiedElsewhere(click, request, approval, result))
      await deps.responses.answer(click, notMade(click, request, approval, result));
    await notifyOfBlocks(request, approval, result);
    // The change may have taken longer than the lock lasts.
    await lease.confirm();
    await apply(request, approval, result);
  };

  /** Answers to *Block all* for each card may come too late to be seen, and are many. */
  async function notifyOfBlocks(
    { action, state }: ApprovalRequest,
    { actionId, by }: ApprovalInFlight,
    result: Result,
  ) {
    // Whoever decided it otherwise meanwhile has told them.
    if (action.verb !== 'block-all' || state !== 'open') return;
    const notice = blockAllDecided({ by, cards: action.acctIds.length, note: result.note, isOpen: !isDone(result) });
    await deps.notifyDirectly(action.actor.userId, `${actionId}-block-all`, notice);
  }

  /**
   * Keeps what another approval decided meanwhile. A failed approval leaves the request open, because the obstacle may
   * be temporary.
   */
  async function apply(begun: ApprovalRequest, approval: ApprovalInFlight, result: Result): Promise<void> {
    const request = await endInFlight(begun, approval.actionId, deps);
    if (result.state === 'failed' && approval.kind === 'override') {
      await deps.recentRaises.releaseOverride(request.acctId, approval.actionId);
    }
    if (request.state !== 'open') return await deps.requests.save(request);
    // An order without an answer is never sent again, so nothing is left to approve.
    const isUnanswered = !isAboutRules(request) && result.state === 'unknown';
    if (isDone(result) || isUnanswered) {
      const temporaryChangeId = result.control?.kind === 'revert' ? result.control.id : null;
      return await deps.finish(
        asDecided(approval, request, { temporaryChangeId, ...(isUnanswered && { isUnconfirmed: true }) }),
      );
    }
    if (result.state !== 'unknown') {
      await deps.requests.save(request);
      return await deps.updateRequest(request.id);
    }
    const sent = withInFlight(request, { ...approval, state: 'sent' });
    // The change will not be verified, or already was.
    if (result.expects === undefined) return await deps.verified(sent, approval.actionId, 'unconfirmed');
    await deps.requests.save(sent);
    await deps.updateRequest(request.id);
  }
}

interface VerifiedDeps extends Pick<ActionTools, 'notifyDirectly' | 'updateRequest'> {
  readonly progress: Pick<Progress, 'read'>;
  readonly requests: Pick<Requests, 'save'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'get'>;
  readonly finish: FinishRequest;
  readonly notifyDecided: RequestEnds['notifyDecided'];
}

/**
 * The card was verified after an approval. Reports a change that was only sent. An unknown outcome now decides the
 * request, or leaves it open and tells whoever asked why. Runs under the request's lock and is idempotent.
 */
export type ApprovalVerified = (
  request: ApprovalRequest,
  actionId: string,
  confirmation: Verdict['confirmation'],
) => Promise<void>;

export function createApprovalVerified(deps: VerifiedDeps): ApprovalVerified {
  return async function approvalVerified(request, actionId, confirmation) {
    if (request.action.verb === 'block-all') return await showBlocked(request);
    if (request.state !== 'open') {
      if (isDecidedBy(request, actionId)) await reportDecided(request, confirmation);
      return;
    }
    const approval = request.inFlight.find((sent) => sent.actionId === actionId && sent.state !== 'begun');
    if (approval === undefined) return;
    if (confirmation === 'confirmed') {
      const temporaryChange = await deps.temporaryChanges.get(actionId);
      const made = { temporaryChangeId: temporaryChange === null ? null : actionId };
      return await deps.finish(asDecided(approval, request, made));
    }
    await deps.requests.save(withInFlight(request, { ...approval, state: 'unconfirmed' }));
    await deps.updateRequest(request.id);
    if (!isToldApart(request, approval)) return;
    const messageId = `${request.id}-unconfirmed-${approval.actionId}`;
    await deps.notifyDirectly(request.action.actor.userId, messageId, requestUnconfirmed(request, approval));
  };

  /** The block of one of its cards was verified. */
  async function showBlocked(request: ApprovalRequest): Promise<void> {
    const known = await withAnswers(request, deps);
    if (JSON.stringify(known) === JSON.stringify(request)) return;
    await deps.requests.save(known);
    await deps.updateRequest(request.id);
  }

  /** The change that decided the request was verified. */
  async function reportDecided(request: ClosedRequest, confirmation: Verdict['confirmation']): Promise<void> {
    // Whoever approved it looks at the request, and hears of the change nowhere else.
    if (!hasMadeChange(request)) return;
    if (confirmation === 'unconfirmed') {
      await deps.requests.save({ ...request, isUnconfirmed: true });
      await deps.updateRequest(request.id);
    }
    await deps.notifyDecided(request);
  }
}

/** The request as an approval decides it. Other approvals in flight end on their own. */
function asDecided(
  { kind, actionId, by, at, changes, term, note, approvals, counted, facts }: ApprovalInFlight,
  request: OpenRequest,
  made: Pick<MadeRequest, 'temporaryChangeId' | 'isUnconfirmed'>,
): ClosedRequest {
  const inFlight = withoutInFlight(request, actionId).inFlight.filter(({ state }) => state === 'begun');
  const decided = {
    ...request,
    changes,
    term,
    note,
    approvals,
    counted,
    inFlight,
    ...made,
    facts: facts ?? request.facts,
  };
  const state = kind === 'override' ? 'overridden' : 'approved';
  return { ...decided, state, decision: { actionId, by, at } };
}

/** The request without an approval that has ended, and with the cards that it blocked nevertheless. */
export async function endInFlight<R extends ApprovalRequest>(
  request: R,
  actionId: string,
  { progress }: Pick<Deps, 'progress'>,
): Promise<R> {
  const ended = withoutInFlight(request, actionId);
  const { action } = request;
  return action.verb === 'block-all' ? withBlocked(ended, await blockedBy(actionId, action.acctIds, progress)) : ended;
}

/** A person who asked for a second approval is notified by the change itself; the person who gave it is not. */
function isNotifiedElsewhere(
  click: ApprovalClick,
  request: ApprovalRequest,
  approval: ApprovalInFlight,
  result: Result,
): boolean {
  const isOwnOrder = orderIn(request)?.actor.userId === click.actor.userId;
  const isAll = request.action.verb !== 'block-all' || result.note === null;
  return (isDone(result) && isAll) || isInOwnName(request, approval) || isOwnOrder;
}

function notMade({ id }: ApprovalClick, request: ApprovalRequest, approval: ApprovalInFlight, result: Result): Message {
  const { by, at, changes } = approval;
  if (isAboutRules(request)) {
    const verb = ruleVerbOf(changes);
    return actionResult({ ...result, verb, by, at, reason: null, ref: id.slice(-8), shownOn: 'request' });
  }
  if (orderIn(request) !== null) return notOrdered(request, result);
  const why = result.note ?? '';
  if (isDone(result)) return blockAllDone({ cards: blocksIn(request).length, note: why });
  // Somebody else decided it meanwhile.
  if (request.state !== 'open') return refusal({ why, whoCan: 'Look at the request.' });
  const whoCan = 'The request is still open: approve it again to try these again.';
  return refusal({ why, whoCan, changed: 'Whoever asked was told, and the alert shows what became of each card.' });
}

function notOrdered(request: ApprovalRequest, { state, apiWords, note }: Result): Message {
  if (state === 'unknown') {
    const why = 'The card service gave no clear answer, so the card may or may not be ordered. I won’t order it again.';
    const whoCan = 'Whoever asked was told, and is told if it was ordered.';
    return refusal({ why, whoCan, isUnsure: true });
  }
  const why = sentences(serviceSaysRaw(apiWords), note);
  const whoCan =
    request.state === 'open' ? 'The request is still open: approve it again, or deny it.' : 'Look at the request.';
  return refusal({ why, whoCan, changed: 'Nothing was ordered. Whoever asked was told.' });
}

function isDone({ state }: Result): boolean {
  return state === 'done' || state === 'unchanged';
}

interface FinishDeps extends Pick<ActionTools, 'record' | 'postToApprovals'> {
  readonly rights: Pick<Rights, 'whoMay'>;
  readonly resolve: RequestEnds['resolve'];
  readonly postToOps: (id: string, message: Message) => Promise<void>;
}

/** Stores the decision and notifies the people concerned. An emergency override notifies everyone. Idempotent. */
export type FinishRequest = (request: ClosedRequest) => Promise<void>;

export function createFinishRequest(deps: FinishDeps): FinishRequest {
  return async function finishRequest(request) {
    await deps.resolve(request);
    if (request.state !== 'overridden') return;
    const { id, action, decision, card, changes, term, note: reason } = request;
    const bypassed = approversWithoutAnswer(request, await deps.rights.whoMay('approver', card.group));
    const notice = overrideNotice(
      request,
      bypassed.filter((userId) => userId !== decision.by),
    );
    await deps.postToApprovals(`${id}-override`, notice, card.group);
    await deps.postToOps(`${id}-override`, notice);
    const click = { ...action, id: decision.actionId, actor: { ...action.actor, userId: decision.by } };
    const did = `used the emergency override: changed the ${ruleNames(changes)} of`;
    const outcome = `${answersBeforeOverride(request)} within ${formatDuration(REQUEST_OVERDUE_MS)}`;
    const line = { did, card, lasts: termWords(term), outcome };
    await deps.record(click, { event: null, reason, lineKey: 'override', line });
  };
}
