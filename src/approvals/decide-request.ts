import { auditLine } from '../../templates/audit/audit-line.ts';
import type { Refusal } from '../../templates/policy/refusal.ts';
import type { Action } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { refuse } from '../actions/record-refusal.ts';
import { auditRecord } from '../actions/report.ts';
import { isLooser, isSameGoals, withGoals } from '../card-api/rule-change.ts';
import { isOwnCardOf, needsOthers } from '../limits/raise-amount.ts';
import { ruleNames } from '../limits/rule-words.ts';
import { judge } from '../policy/decide.ts';
import { approvalInFlight, executeApproval, pendingApprovalOf, whyNotYet } from './execute-approval.ts';
import type { LimitRequest } from './request-store.ts';
import { expire, settle } from './resolve-request.ts';

/**
 * An approver's yes or no to a request: as it was asked, or with another amount or time.
 *
 * Nobody approves twice, and nobody the own wish or the own card. Runs under the request's lock, so of two people who
 * press at once one decides and the other is told.
 *
 * @throws CardApiError when the job should run again.
 */
export async function decideRequest(action: Action, deps: ActionDeps): Promise<void> {
  const requestId = action.target.kind === 'request' ? action.target.requestId : '';
  const request = await deps.requests.get(requestId);
  const no = (why: string, whoCan: Refusal['whoCan'] = 'Nothing is left to decide.') =>
    refuse(action, { what: 'Your decision', why, whoCan }, deps, { acctId: request?.acctId ?? null });

  if (request === null) return await no('This request is too old.', 'Ask for the limit again.');
  if (request.decision === action.id) return await settle(request, deps);
  // It counted before we died; by now somebody else may have decided.
  if (request.approvals.some(({ id }) => id === action.id)) return await deps.updateRequest(request.id);
  const sent = await approvalInFlight(action, request, deps);
  if (sent !== null) return await executeApproval(action, request, sent, deps);
  if (request.state !== 'open') return await no(`This request is ${stateWords[request.state]} already.`);
  const isExpired = deps.now().toISOString() > request.expiresAt;
  const notYet = action.approve === true && !isExpired ? null : await whyNotYet(request, deps);
  if (notYet !== null) return await no(notYet.why, notYet.whoCan);
  if (isExpired) {
    await expire(request, deps);
    return await no('This request expired without a decision.', 'Ask for the limit again.');
  }
  if (action.approve === true) await approve(action, request, deps, no);
  else await deny(action, request, deps);
}

const stateWords: Readonly<Record<LimitRequest['state'], string>> = {
  open: 'open',
  approved: 'approved',
  denied: 'denied',
  expired: 'expired',
  override: 'settled by breaking the glass',
};

async function deny(action: Action, request: LimitRequest, deps: ActionDeps): Promise<void> {
  await record(action, request, 'denied', deps);
  const note = action.reason;
  const decided = { ...request, note, decidedBy: action.actor.userId, ...decisionOf(action, deps) };
  await settle({ ...decided, state: 'denied' }, deps);
}

async function approve(
  action: Action,
  request: LimitRequest,
  deps: ActionDeps,
  no: (why: string, whoCan?: Refusal['whoCan']) => Promise<void>,
): Promise<void> {
  const by = action.actor.userId;
  const verdict = judge(
    {
      verb: 'approve',
      roles: action.roles,
      isOwnCard: await isOwnCardOf(by, request.acctId, deps, request.holder),
      isOwnAction: request.action.actor.userId === by || request.approvals.some((approval) => approval.by === by),
    },
    deps,
  );
  if (verdict.kind === 'refused') return await no(verdict.why, 'Ask another approver.');
  await record(action, request, 'approved', deps);

  const changed = await withChanges(action, request, deps);
  const approvals = [...changed.approvals, approvalOf(action, deps)];
  if (approvals.length < changed.needed) {
    // One yes of several: the buttons stay for the others.
    await deps.requests.save({ ...changed, approvals });
    await deps.updateRequest(changed.id);
    return;
  }
  const pendingApproval = pendingApprovalOf(
    action,
    { changes: changed.changes, term: changed.term, approvals, note: changed.note },
    deps,
  );
  await executeApproval(action, request, pendingApproval, deps);
}

/** The yes of a click. */
function approvalOf({ id, actor }: Action, { now }: ActionDeps): LimitRequest['approvals'][number] {
  return { by: actor.userId, at: now().toISOString(), id };
}

/**
 * *Change and approve*: what others approved was another wish, so their yes counts no more. That of the approver who
 * asked stays where the wish became smaller; to more than was asked for nobody has said yes.
 *
 * How many it takes is looked at anew: what single approvers added meanwhile counts.
 */
async function withChanges(action: Action, request: LimitRequest, deps: ActionDeps): Promise<LimitRequest> {
  const { goals, term } = action.changeRequest ?? { goals: request.changes, term: request.term };
  const isSameTerm = JSON.stringify(term) === JSON.stringify(request.term);
  const isSame = isSameTerm && isSameGoals(goals, request.changes);
  const changes = withGoals(request.changes, goals);
  const beyondAsked = changes.map(({ rule, to }, index) => ({ rule, from: request.changes[index]?.to ?? null, to }));
  const isWithin = isSameTerm && !isLooser(beyondAsked);
  const own = request.approvals.filter((approval) => isWithin && approval.by === request.action.actor.userId);
  const changed = isSame ? request : { ...request, changes, term, note: action.reason, approvals: own };
  const needed = own.length + (await needsOthers(changed, own.length > 0, action, deps));
  return { ...changed, needed: isSame ? Math.max(request.needed, needed) : needed };
}

/** Who decided, on record before anything is done about it. */
async function record(
  action: Action,
  request: LimitRequest,
  event: 'approved' | 'denied',
  deps: ActionDeps,
): Promise<void> {
  if ((await deps.progress.read(action.id)) !== null) return;
  const { acctId, card, id } = request;
  await deps.audit.append(auditRecord(action, event, { acctId, cardId: card.cardId, detail: id }, deps));
  await deps.progress.write(action.id, { state: 'asked' });
  const line = auditLine({
    by: action.actor.userId,
    did: `${event} a change of the ${ruleNames(request.changes)} of`,
    card,
    at: deps.now().toISOString(),
    before: null,
    after: null,
    reason: action.reason === '' ? null : action.reason,
    outcome: event === 'denied' ? changedWords(request) : 'another approval',
    ref: action.id.slice(-8),
  });
  await deps.postAuditLine(`audit-${action.id}-${event}`, line);
}

function changedWords({ unsure }: LimitRequest): string {
  return unsure === null ? 'nothing changed' : 'whether an earlier yes changed anything is not certain';
}

function decisionOf(action: Action, { now }: ActionDeps): Pick<LimitRequest, 'decision' | 'decidedAt'> {
  return { decision: action.id, decidedAt: now().toISOString() };
}
