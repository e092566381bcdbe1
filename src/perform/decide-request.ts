import { refusal } from '../../templates/refusal.ts';
import { Action } from '../authority/action.ts';
import type { LimitRequest } from '../store/requests.ts';
import { changeLimit } from './change-limit.ts';
import type { PerformDeps } from './deps.ts';
import { auditRecord } from './report.ts';

/**
 * A second approver's yes, or anybody's no, to a raise.
 *
 * Nobody approves twice, so the one who asked cannot be the second. Runs under the request's lock, so of two people
 * who press at once one decides and the other is told.
 */
export async function decideRequest(action: Action, deps: PerformDeps): Promise<void> {
  const requestId = action.target.kind === 'request' ? action.target.requestId : '';
  const request = await deps.requests.get(requestId);
  const no = (why: string, whoCan = 'Nothing is left to decide.') =>
    deps.answer(action, refusal({ what: 'Your decision', why, whoCan }));

  if (request === null) return await no('This request is too old.', 'Ask for the limit again.');
  if (request.state !== 'open') return await no(`This request is ${request.state} already.`);
  const now = deps.now().toISOString();
  if (now > request.expiresAt) {
    await settle({ ...request, state: 'expired' }, deps);
    return await no('This request expired without a decision.', 'Ask for the limit again.');
  }

  const record = (event: 'approved' | 'denied') =>
    deps.audit.append(
      auditRecord(action, event, { acctId: request.acctId, cardId: request.card.cardId, detail: request.id }, deps),
    );

  if (action.approve !== true) {
    await record('denied');
    return await settle({ ...request, state: 'denied', decidedBy: action.actor.userId }, deps);
  }
  if (request.approvals.some(({ by }) => by === action.actor.userId)) {
    return await no('You have approved it already.', 'It takes a different approver.');
  }
  await record('approved');
  const approved: LimitRequest = {
    ...request,
    approvals: [...request.approvals, { by: action.actor.userId, at: now }],
    state: 'approved',
    decidedBy: action.actor.userId,
  };
  // Performed in the name of the one who asked; the record holds both.
  const wished = Action.parse({ ...request.action, id: `${request.action.id}a` });
  const isDone = await deps.withLock(`account:${request.acctId}`, () =>
    changeLimit({ action: wished, acctId: request.acctId, cardId: null }, true, deps),
  );
  await settle(isDone ? approved : { ...approved, state: 'open', approvals: request.approvals, decidedBy: null }, deps);
}

async function settle(request: LimitRequest, deps: PerformDeps): Promise<void> {
  // The message's place may have become known meanwhile.
  const ref = (await deps.requests.get(request.id))?.ref ?? request.ref;
  const settled = { ...request, ref };
  await deps.requests.save(settled);
  await deps.updateRequest(settled);
}
