import { actionResult } from '../../templates/actions/action-result.ts';
import { glassBroken } from '../../templates/approvals/request-notes.ts';
import { auditLine } from '../../templates/audit/audit-line.ts';
import type { Refusal } from '../../templates/policy/refusal.ts';
import { Action } from '../actions/action.ts';
import type { Verdict } from '../actions/confirmation-store.ts';
import type { PerformDeps } from '../actions/deps.ts';
import { tell } from '../actions/report.ts';
import type { Result } from '../actions/result.ts';
import type { Wish } from '../limits/change-request.ts';
import { changeRule } from '../limits/change-rule.ts';
import { isOfLimits } from '../limits/rule-change.ts';
import { ruleName } from '../limits/rule-words.ts';
import type { LimitRequest, UnsureYes } from './request-store.ts';
import { settle, tellHolderDecided, tellHolderUnsure } from './resolve-request.ts';

/**
 * A yes to a request, or broken glass, as the change that it makes: in the name of the approver who asked for a second
 * one, or of who says yes to a holder. It keeps the click's own id: a later yes, after one that failed, is another try.
 */
export function changeOfYes(click: Action, request: LimitRequest, wish: Wish): Action {
  const { action: asked } = request;
  const reason = click.verb === 'break_glass' ? click.reason : asked.reason;
  const byWhom = isInOwnName(click, request) ? { ...click, target: asked.target, reason } : asked;
  return Action.parse({ ...byWhom, verb: verbOfYes({ wish }), wish, id: click.id });
}

function isInOwnName(click: Action, { action: asked }: LimitRequest): boolean {
  return click.verb === 'break_glass' || asked.verb === 'ask';
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
 * Makes the change of a yes, once for each click, and settles what became of it.
 *
 * From before it is sent until its end the request knows of it: between two attempts nobody may decide against what may
 * be there. Runs under the request's lock.
 *
 * @throws CardApiError when the job should run again.
 */
export async function performYes(
  click: Action,
  request: LimitRequest,
  yes: UnsureYes,
  deps: PerformDeps,
): Promise<void> {
  const begun = { ...request, underWay: [...withoutYes(request, yes).underWay, yes] };
  await deps.requests.save(begun);
  await endYes(click, begun, yes, await makeChange(click, begun, yes, deps), deps);
}

/** The record holds who asked and who said yes. */
async function makeChange(click: Action, request: LimitRequest, yes: UnsureYes, deps: PerformDeps): Promise<Result> {
  const { acctId, action: asked, id: requestId } = request;
  const action = changeOfYes(click, request, yes.wish);
  // Who asked counts as one of several.
  const isSingle = yes.how === 'glass' || yes.approvals.length === 1;
  const approval = { outcomeOf: asked.id, requestId, isSingle };
  return await deps.withLock(`account:${acctId}`, async () => {
    const written = await deps.journal.read(click.id);
    if (written?.state === 'settled') await tell(action, verbOfYes(yes), written, deps, approval);
    if (written?.state === 'settled' || written?.state === 'told') return written.result;
    return await changeRule({ action, acctId, cardId: null }, approval, deps);
  });
}

/** Its verb: of limits, or of other rules. */
export function verbOfYes({ wish }: Pick<UnsureYes, 'wish'>): 'limit' | 'allow' {
  return isOfLimits(wish.change) ? 'limit' : 'allow';
}

/** A yes came to its end, also by being given up: settles it, and tells who gave it where that is not told already. */
export async function endYes(
  click: Action,
  request: LimitRequest,
  yes: UnsureYes,
  result: Result,
  deps: PerformDeps,
): Promise<void> {
  await settleYes(request, yes, result, deps);
  // Who asked for a second yes hears in the own name; who gave it, here.
  if (result.state === 'done' || result.state === 'unchanged' || isInOwnName(click, request)) return;
  const shown = { ...result, verb: verbOfYes(yes), by: yes.by, at: yes.at, reason: null } as const;
  await deps.answer(click, actionResult({ ...shown, ref: click.id.slice(-8) }));
}

/**
 * What became of a yes: done, the request is decided. Not known, it says so and waits for whoever looks at the card.
 * Failed, it stays open, because what stood in the way may pass. What another yes decided meanwhile stays. Runs under
 * the request's lock. Safe to repeat.
 */
async function settleYes(begun: LimitRequest, yes: UnsureYes, result: Result, deps: PerformDeps): Promise<void> {
  const request = withoutYes(begun, yes);
  if (result.state === 'failed' && yes.how === 'glass') await deps.raises.mendGlass(request.acctId, yes.id);
  if (request.state !== 'open') return await deps.requests.save(request);
  if (result.state === 'done' || result.state === 'unchanged') {
    const leaseId = result.control?.kind === 'take_back' ? result.control.id : null;
    return await decided(request, yes, leaseId, deps);
  }
  if (result.state !== 'unknown') return await deps.requests.save(request);
  const unsure = { ...request, unsure: yes };
  // Nobody will look, or somebody has looked already.
  if (result.expects === undefined) return await settleLookedAt(unsure, yes.id, 'unconfirmed', deps);
  await deps.requests.save(unsure);
  await deps.updateRequest(request.id);
}

/** What a click has sent and not ended: it goes on, whatever was decided or ran out meanwhile. Null: nothing. */
export async function sentYes(
  { id }: Action,
  { underWay }: LimitRequest,
  deps: Pick<PerformDeps, 'journal'>,
): Promise<UnsureYes | null> {
  const own = underWay.find((yes) => yes.id === id);
  return own !== undefined && (await isSent(id, deps)) ? own : null;
}

/** Begun is not sent: of a job that died before it wrote that it sends, nothing can be at the card. */
async function isSent(clickId: string, { journal }: Pick<PerformDeps, 'journal'>): Promise<boolean> {
  const written = await journal.read(clickId);
  return written !== null && written.state !== 'asked';
}

function withoutYes(request: LimitRequest, { id }: UnsureYes): LimitRequest {
  return { ...request, underWay: request.underWay.filter((yes) => yes.id !== id) };
}

/** Why nobody can decide against a request, or in the approvers' place, just now; null: nothing speaks against it. */
export async function whyNotYet(
  { unsure, underWay }: LimitRequest,
  deps: Pick<PerformDeps, 'journal'>,
): Promise<Pick<Refusal, 'why' | 'whoCan'> | null> {
  const sent = await Promise.all(underWay.map(({ id }) => isSent(id, deps)));
  if ((unsure === null || unsure.isOver) && !sent.includes(true)) return null;
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
