import type { Refusal } from '../../templates/policy/refusal.ts';
import type { Action } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { refuse } from '../actions/record-refusal.ts';
import { auditRecord } from '../actions/report.ts';
import { isAboutLimits, type RuleChange } from '../card-api/rule-change.ts';
import { atMost } from '../limits/change-request.ts';
import { isOwnCardOf, purchaseOf } from '../limits/raise-amount.ts';
import { judge, OVERRIDE_AFTER_MS } from '../policy/decide.ts';
import { approvalInFlight, executeApproval, finishApproval, pendingApprovalOf, whyNotYet } from './execute-approval.ts';
import type { LimitRequest } from './request-store.ts';

/**
 * An operator acts in the approvers' place, because none of them answered: less than a single approver could, for an
 * hour at most, once a day for each card, and everybody who was passed over is told.
 *
 * @throws CardApiError when the job should run again.
 */
export async function overrideRequest(action: Action, deps: ActionDeps): Promise<void> {
  const requestId = action.target.kind === 'request' ? action.target.requestId : '';
  const request = await deps.requests.get(requestId);
  const no = (why: string, whoCan: Refusal['whoCan'] = 'Ask an approver.') =>
    refuse(action, { what: 'Breaking the glass', why, whoCan }, deps, { acctId: request?.acctId ?? null });
  if (request === null) return await no('This request is too old.', 'Ask for the limit again.');
  if (request.decision === action.id) return await finishApproval(request, deps);
  const sent = await approvalInFlight(action, request, deps);
  if (sent !== null) return await executeApproval(action, request, sent, deps);
  if (request.state !== 'open') return await no('This request is decided already.', 'Nothing is left to decide.');
  if (request.unsure?.id === action.id) return await deps.updateRequest(request.id);
  const notYet = await whyNotYet(request, deps);
  if (notYet !== null) return await no(notYet.why, notYet.whoCan);
  const by = action.actor.userId;
  const verdict = judge(
    {
      verb: 'break_glass',
      roles: action.roles,
      isOwnCard: await isOwnCardOf(by, request.acctId, deps, request.holder),
      isOwnAction: request.action.actor.userId === by || request.approvals.some((approval) => approval.by === by),
      ageMs: deps.now().getTime() - Date.parse(request.action.askedAt),
    },
    deps,
  );
  if (verdict.kind === 'refused') return await no(verdict.why);
  const lowered = await capped(request, deps);
  if (lowered === null) {
    return await no('What is asked for is more than the glass is for, and has no amount that could be lowered.');
  }
  if (!(await deps.recentRaises.overrideRequest(request.acctId, action.id))) {
    return await no('The glass of this card was broken within the last 24 hours already.');
  }
  await record(action, request, deps);
  const pendingApproval = pendingApprovalOf(
    action,
    { ...lowered, approvals: request.approvals, note: action.reason },
    deps,
  );
  await executeApproval(action, request, pendingApproval, deps);
}

async function record(action: Action, request: LimitRequest, deps: ActionDeps): Promise<void> {
  if ((await deps.progress.read(action.id)) !== null) return;
  const facts = { acctId: request.acctId, cardId: request.card.cardId, detail: `${request.id}: glass broken` };
  await deps.audit.append(auditRecord(action, 'approved', facts, deps));
  await deps.progress.write(action.id, { state: 'asked' });
}

/** At most what one approver could allow, for an hour at most. Null: it cannot be made small enough. */
async function capped(
  { action, changes, term }: LimitRequest,
  deps: ActionDeps,
): Promise<Pick<LimitRequest, 'changes' | 'term'> | null> {
  const shorter = atMost(term, OVERRIDE_AFTER_MS, deps.now(), deps.serviceDays);
  const max = deps.twoPersonAboveCents;
  if (isAboutLimits(changes)) {
    const lowered = changes.flatMap((change): RuleChange[] => {
      const { from, to } = change;
      if (typeof from !== 'number') return [];
      return [{ ...change, to: Math.min(typeof to === 'number' ? to : Number.POSITIVE_INFINITY, from + max) }];
    });
    return lowered.length < changes.length ? null : { term: shorter, changes: lowered };
  }
  const purchase = await purchaseOf(action, deps);
  return purchase !== null && purchase.amountCents <= max ? { changes, term: shorter } : null;
}
