import { actionResult } from '../../templates/action-result.ts';
import { auditLine } from '../../templates/audit-line.ts';
import { refusal } from '../../templates/refusal.ts';
import { Action } from '../authority/action.ts';
import type { Result } from '../authority/result.ts';
import type { LimitRequest } from '../store/requests.ts';
import { changeLimit } from './change-limit.ts';
import type { PerformDeps } from './deps.ts';
import { auditRecord, tell } from './report.ts';

/**
 * A second approver's yes, or anybody's no, to a raise.
 *
 * Nobody approves twice, so the one who asked cannot be the second. Runs under the request's lock, so of two people
 * who press at once one decides and the other is told.
 *
 * @throws CardApiError when the job should run again.
 */
export async function decideRequest(action: Action, deps: PerformDeps): Promise<void> {
  const requestId = action.target.kind === 'request' ? action.target.requestId : '';
  const request = await deps.requests.get(requestId);
  const no = (why: string, whoCan = 'Nothing is left to decide.') =>
    deps.answer(action, refusal({ what: 'Your decision', why, whoCan }));

  if (request === null) return await no('This request is too old.', 'Ask for the limit again.');
  if (request.decision === action.id) return await settle(request, deps);
  if (request.state !== 'open') return await no(`This request is ${request.state} already.`);
  if (deps.now().toISOString() > request.expiresAt) {
    await settle({ ...request, state: 'expired', decision: action.id, decidedAt: request.expiresAt }, deps);
    await markAlert(request.action, 'Nobody decided in time', deps);
    return await no('This request expired without a decision.', 'Ask for the limit again.');
  }
  if (action.approve === true) await approve(action, request, deps, no);
  else await deny(action, request, deps);
}

async function deny(action: Action, request: LimitRequest, deps: PerformDeps): Promise<void> {
  await record(action, request, 'denied', deps);
  await settle({ ...request, state: 'denied', decidedBy: action.actor.userId, ...decisionOf(action, deps) }, deps);
  await markAlert(request.action, 'An approver said no', deps);
  const whoCan = { text: 'Denied by', userIds: [action.actor.userId] };
  await deps.answer(request.action, refusal({ what: 'Your raise', why: 'Another approver said no.', whoCan }));
}

async function approve(
  action: Action,
  request: LimitRequest,
  deps: PerformDeps,
  no: (why: string, whoCan?: string) => Promise<void>,
): Promise<void> {
  const by = action.actor.userId;
  if (request.approvals.some((approval) => approval.by === by)) {
    return await no('You have approved it already.', 'It takes a different approver.');
  }
  await record(action, request, 'approved', deps);
  const result = await perform(action, request, deps);
  if (result.state !== 'done' && result.state !== 'unchanged') {
    // The request stays open: what stood in the way may pass.
    const shown = { ...result, verb: 'limit', by, at: deps.now().toISOString(), reason: null } as const;
    return await deps.answer(action, actionResult({ ...shown, ref: action.id.slice(-8) }));
  }
  const approvals = [...request.approvals, { by, at: deps.now().toISOString() }];
  await settle({ ...request, approvals, state: 'approved', decidedBy: by, ...decisionOf(action, deps) }, deps);
}

/** Changes the limit in the name of the one who asked, once for each yes; the record holds both. */
async function perform(action: Action, request: LimitRequest, deps: PerformDeps): Promise<Result> {
  const { acctId, action: asked } = request;
  // The yes' own id: a later yes, after one that failed, is another try.
  const wished = Action.parse({ ...asked, id: action.id });
  return await deps.withLock(`account:${acctId}`, async () => {
    const written = await deps.journal.read(wished.id);
    if (written?.state === 'settled') await tell(wished, 'limit', written, deps, { outcomeOf: asked.id });
    if (written?.state === 'settled' || written?.state === 'told') return written.result;
    return await changeLimit({ action: wished, acctId, cardId: null }, { outcomeOf: asked.id }, deps);
  });
}

/** Who decided, on record before anything is done about it. */
async function record(
  action: Action,
  request: LimitRequest,
  event: 'approved' | 'denied',
  deps: PerformDeps,
): Promise<void> {
  if ((await deps.journal.read(action.id)) !== null) return;
  const { acctId, card, id } = request;
  await deps.audit.append(auditRecord(action, event, { acctId, cardId: card.cardId, detail: id }, deps));
  await deps.journal.write(action.id, { state: 'asked' });
  const line = auditLine({
    by: action.actor.userId,
    did: `${event} a raise of the ${request.action.limit?.period ?? ''} limit of`,
    card,
    at: deps.now().toISOString(),
    before: null,
    after: null,
    reason: null,
    outcome: event === 'denied' ? 'nothing changed' : 'second approval',
    ref: action.id.slice(-8),
  });
  await deps.postAuditLine(`audit-${action.id}-${event}`, line);
}

/** The alert that the raise was asked from no longer waits. */
async function markAlert(asked: Action, text: string, { alerts, updateMessages, now }: PerformDeps): Promise<void> {
  if (asked.target.kind !== 'alert') return;
  const { alertId } = asked.target;
  const outcome = { verb: 'limit', by: asked.actor.userId, at: now().toISOString(), state: 'failed', text } as const;
  await alerts.setOutcome(alertId, asked.id, outcome);
  await updateMessages(alertId);
}

function decisionOf(action: Action, { now }: PerformDeps): Pick<LimitRequest, 'decision' | 'decidedAt'> {
  return { decision: action.id, decidedAt: now().toISOString() };
}

async function settle(request: LimitRequest, deps: PerformDeps): Promise<void> {
  // The message's place may have become known meanwhile.
  const ref = (await deps.requests.get(request.id))?.ref ?? request.ref;
  await deps.requests.save({ ...request, ref });
  await deps.updateRequest(request.id);
}
