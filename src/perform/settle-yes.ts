import { auditLine } from '../../templates/audit-line.ts';
import type { Refusal } from '../../templates/refusal.ts';
import { glassBroken } from '../../templates/request-notes.ts';
import { isOfLimits } from '../alert/rule-change.ts';
import { ruleName } from '../alert/rule-words.ts';
import { Action } from '../authority/action.ts';
import type { Result } from '../authority/result.ts';
import type { Wish } from '../authority/wish.ts';
import type { Verdict } from '../store/confirmations.ts';
import type { LimitRequest, UnsureYes } from '../store/requests.ts';
import type { PerformDeps } from './deps.ts';
import { settle, tellHolderDecided, tellHolderUnsure } from './settle-request.ts';

/**
 * A yes to a request, or broken glass, as the change that it makes: in the name of the approver who asked for a second
 * one, or of who says yes to a holder. It keeps the click's own id: a later yes, after one that failed, is another try.
 */
export function changeOfYes(click: Action, { action: asked }: LimitRequest, wish: Wish): Action {
  const verb = isOfLimits(wish.change) ? 'limit' : 'allow';
  const isInOwnName = click.verb === 'break_glass' || asked.verb === 'ask';
  const reason = click.verb === 'break_glass' ? click.reason : asked.reason;
  const byWhom = isInOwnName ? { ...click, target: asked.target, reason } : asked;
  return Action.parse({ ...byWhom, verb, wish, id: click.id });
}

/** What a request becomes by a click, should the change be there. */
export function yesOf(
  { id, verb, actor }: Action,
  words: Pick<UnsureYes, 'wish' | 'approvals' | 'note'>,
  { now }: PerformDeps,
): UnsureYes {
  const how = verb === 'break_glass' ? 'glass' : 'approved';
  return { how, id, by: actor.userId, at: now().toISOString(), isOver: false, ...words };
}

/**
 * What became of a yes: done, the request is decided. Not known, it says so and waits for whoever looks at the card.
 * Failed, it stays open, because what stood in the way may pass. Runs under the request's lock. Safe to repeat.
 */
export async function settleYes(
  request: LimitRequest,
  yes: UnsureYes,
  result: Result,
  deps: PerformDeps,
): Promise<void> {
  if (result.state === 'done' || result.state === 'unchanged') {
    const leaseId = result.control?.kind === 'take_back' ? result.control.id : null;
    return await decided(request, yes, leaseId, deps);
  }
  if (result.state === 'failed' && yes.how === 'glass') await deps.raises.mendGlass(request.acctId, yes.id);
  if (result.state !== 'unknown') return;
  const unsure = { ...request, unsure: yes };
  // Nobody will look, or somebody has looked already.
  if (result.expects === undefined) return await settleLookedAt(unsure, yes.id, 'unconfirmed', deps);
  await deps.requests.save(unsure);
  await deps.updateRequest(request.id);
}

/** Why nobody can decide against a request, or in the approvers' place, just now; null: nothing speaks against it. */
export function whyNotYet({ unsure }: LimitRequest): Pick<Refusal, 'why' | 'whoCan'> | null {
  if (unsure === null || unsure.isOver) return null;
  const why = 'Somebody said yes just now, and whether the card service took it is not clear yet.';
  return { why, whoCan: 'Wait two minutes: the request says what became of it.' };
}

/**
 * Somebody looked at the card after a yes. What was only sent is now told; what nobody knew decides the request, or
 * leaves it open and tells the holder why. Runs under the request's lock. Safe to repeat.
 */
export async function settleLookedAt(
  request: LimitRequest,
  clickId: string,
  confirmation: Verdict['confirmation'],
  deps: PerformDeps,
): Promise<void> {
  const isHolders = request.action.verb === 'ask';
  if (request.decision === clickId && isHolders) return await tellHolderDecided(request, deps);
  const { unsure } = request;
  if (request.state !== 'open' || unsure?.id !== clickId) return;
  if (confirmation === 'confirmed') {
    const lease = await deps.leases.get(clickId);
    return await decided(request, unsure, lease === null ? null : clickId, deps);
  }
  await deps.requests.save({ ...request, unsure: { ...unsure, isOver: true } });
  await deps.updateRequest(request.id);
  if (isHolders) await tellHolderUnsure(request, unsure, deps);
}

/** The request is decided: by the last yes that it took, or by breaking the glass. Safe to repeat. */
async function decided(
  request: LimitRequest,
  { how, id, by, at, wish, note, approvals }: UnsureYes,
  leaseId: string | null,
  deps: PerformDeps,
): Promise<void> {
  const decision = { state: how, decidedBy: by, decidedAt: at, decision: id, leaseId, unsure: null } as const;
  await finishYes({ ...request, wish, approvals, note, ...decision }, deps);
}

/** Keeps what was decided and tells whom it concerns. Safe to repeat. */
export async function finishYes(request: LimitRequest, deps: PerformDeps): Promise<void> {
  await settle(request, deps);
  if (request.state !== 'glass') return;
  const { id, decision, decidedBy, card, wish, note } = request;
  const told = glassBroken(request, await deps.whoMay('approver'));
  await deps.postToApprovals(`${id}-glass`, told);
  await deps.postToOps(`${id}-glass`, told);
  const line = auditLine({
    by: decidedBy,
    did: `broke the glass: changed the ${ruleName(wish.change)} of`,
    card,
    at: deps.now().toISOString(),
    before: null,
    after: null,
    reason: note,
    outcome: 'no approver answered for 15 minutes',
    ref: (decision ?? id).slice(-8),
  });
  await deps.postAuditLine(`audit-${decision}-glass`, line);
}
