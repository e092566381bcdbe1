import { actionResult } from '../../templates/actions/action-result.ts';
import { overrideNotice } from '../../templates/approvals/request-notes.ts';
import { auditLine } from '../../templates/audit/audit-line.ts';
import type { Refusal } from '../../templates/policy/refusal.ts';
import { Action } from '../actions/action.ts';
import type { Verdict } from '../actions/confirmation-store.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { notify } from '../actions/report.ts';
import type { Result } from '../actions/result.ts';
import { goalsOf, isAboutLimits } from '../card-api/rule-change.ts';
import { changeRule } from '../limits/change-rule.ts';
import { ruleNames } from '../limits/rule-words.ts';
import type { LimitRequest, UnconfirmedApproval } from './request-store.ts';
import { notifyHolderDecided, notifyHolderUnconfirmed, settle } from './resolve-request.ts';

/**
 * A yes to a request, or broken glass, as the change that it makes: in the name of the approver who asked for a second
 * one, or of who says yes to a holder. It keeps the click's own id: a later yes, after one that failed, is another try.
 */
export function changeOfApproval(
  click: Action,
  request: LimitRequest,
  { changes, term }: Pick<UnconfirmedApproval, 'changes' | 'term'>,
): Action {
  const { action: asked } = request;
  const reason = click.verb === 'break_glass' ? click.reason : asked.reason;
  const byWhom = isInOwnName(click, request) ? { ...click, target: asked.target, reason } : asked;
  const changeRequest = { goals: goalsOf(changes), term };
  return Action.parse({ ...byWhom, verb: verbOfApproval({ changes }), changeRequest, id: click.id });
}

function isInOwnName(click: Action, { action: asked }: LimitRequest): boolean {
  return click.verb === 'break_glass' || asked.verb === 'ask';
}

/** What a request becomes by a click, should the change be there. */
export function pendingApprovalOf(
  { id, verb, actor }: Action,
  words: Pick<UnconfirmedApproval, 'changes' | 'term' | 'approvals' | 'note'>,
  { now }: ActionDeps,
): UnconfirmedApproval {
  const how = verb === 'break_glass' ? 'override' : 'approved';
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
export async function executeApproval(
  click: Action,
  request: LimitRequest,
  pendingApproval: UnconfirmedApproval,
  deps: ActionDeps,
): Promise<void> {
  const begun = { ...request, inFlight: [...withoutApproval(request, pendingApproval).inFlight, pendingApproval] };
  await deps.requests.save(begun);
  await completeApproval(click, begun, pendingApproval, await makeChange(click, begun, pendingApproval, deps), deps);
}

/** The record holds who asked and who said yes. */
async function makeChange(
  click: Action,
  request: LimitRequest,
  pendingApproval: UnconfirmedApproval,
  deps: ActionDeps,
): Promise<Result> {
  const { acctId, action: asked, id: requestId } = request;
  const action = changeOfApproval(click, request, pendingApproval);
  // Who asked counts as one of several.
  const isSingle = pendingApproval.how === 'override' || pendingApproval.approvals.length === 1;
  const approval = { outcomeOf: asked.id, requestId, isSingle };
  return await deps.withLock(`account:${acctId}`, async () => {
    const written = await deps.progress.read(click.id);
    if (written?.state === 'settled') await notify(action, verbOfApproval(pendingApproval), written, deps, approval);
    if (written?.state === 'settled' || written?.state === 'told') return written.result;
    return await changeRule({ action, acctId, cardId: null }, approval, deps);
  });
}

/** Its verb: of limits, or of other rules. */
export function verbOfApproval({ changes }: Pick<UnconfirmedApproval, 'changes'>): 'limit' | 'allow' {
  return isAboutLimits(changes) ? 'limit' : 'allow';
}

/** A yes came to its end, also by being given up: settles it, and tells who gave it where that is not told already. */
export async function completeApproval(
  click: Action,
  request: LimitRequest,
  pendingApproval: UnconfirmedApproval,
  result: Result,
  deps: ActionDeps,
): Promise<void> {
  await resolveApproval(request, pendingApproval, result, deps);
  // Who asked for a second yes hears in the own name; who gave it, here.
  if (result.state === 'done' || result.state === 'unchanged' || isInOwnName(click, request)) return;
  const shown = {
    ...result,
    verb: verbOfApproval(pendingApproval),
    by: pendingApproval.by,
    at: pendingApproval.at,
    reason: null,
  } as const;
  await deps.answer(click, actionResult({ ...shown, ref: click.id.slice(-8) }));
}

/**
 * What became of a yes: done, the request is decided. Not known, it says so and waits for whoever looks at the card.
 * Failed, it stays open, because what stood in the way may pass. What another yes decided meanwhile stays. Runs under
 * the request's lock. Safe to repeat.
 */
async function resolveApproval(
  begun: LimitRequest,
  pendingApproval: UnconfirmedApproval,
  result: Result,
  deps: ActionDeps,
): Promise<void> {
  const request = withoutApproval(begun, pendingApproval);
  if (result.state === 'failed' && pendingApproval.how === 'override')
    await deps.recentRaises.cancelOverride(request.acctId, pendingApproval.id);
  if (request.state !== 'open') return await deps.requests.save(request);
  if (result.state === 'done' || result.state === 'unchanged') {
    const temporaryChangeId = result.control?.kind === 'take_back' ? result.control.id : null;
    return await decided(request, pendingApproval, temporaryChangeId, deps);
  }
  if (result.state !== 'unknown') return await deps.requests.save(request);
  const unsure = { ...request, unsure: pendingApproval };
  // Nobody will look, or somebody has looked already.
  if (result.expects === undefined) return await resolveVerified(unsure, pendingApproval.id, 'unconfirmed', deps);
  await deps.requests.save(unsure);
  await deps.updateRequest(request.id);
}

/** What a click has sent and not ended: it goes on, whatever was decided or ran out meanwhile. Null: nothing. */
export async function approvalInFlight(
  { id }: Action,
  { inFlight }: LimitRequest,
  deps: Pick<ActionDeps, 'progress'>,
): Promise<UnconfirmedApproval | null> {
  const own = inFlight.find((pendingApproval) => pendingApproval.id === id);
  return own !== undefined && (await isSent(id, deps)) ? own : null;
}

/** Begun is not sent: of a job that died before it wrote that it sends, nothing can be at the card. */
async function isSent(clickId: string, { progress }: Pick<ActionDeps, 'progress'>): Promise<boolean> {
  const written = await progress.read(clickId);
  return written !== null && written.state !== 'asked';
}

function withoutApproval(request: LimitRequest, { id }: UnconfirmedApproval): LimitRequest {
  return { ...request, inFlight: request.inFlight.filter((pendingApproval) => pendingApproval.id !== id) };
}

/** Why nobody can decide against a request, or in the approvers' place, just now; null: nothing speaks against it. */
export async function whyNotYet(
  { unsure, inFlight }: LimitRequest,
  deps: Pick<ActionDeps, 'progress'>,
): Promise<Pick<Refusal, 'why' | 'whoCan'> | null> {
  const sent = await Promise.all(inFlight.map(({ id }) => isSent(id, deps)));
  if ((unsure === null || unsure.isOver) && !sent.includes(true)) return null;
  const why = 'Somebody said yes just now, and whether the card service took it is not clear yet.';
  return { why, whoCan: 'Wait two minutes: the request says what became of it.' };
}

/**
 * Somebody looked at the card after a yes. What was only sent is now told; what nobody knew decides the request, or
 * leaves it open and tells the holder why. Runs under the request's lock. Safe to repeat.
 */
export async function resolveVerified(
  request: LimitRequest,
  clickId: string,
  confirmation: Verdict['confirmation'],
  deps: ActionDeps,
): Promise<void> {
  const isHolders = request.action.verb === 'ask';
  if (request.decision === clickId && isHolders) return await notifyHolderDecided(request, deps);
  const { unsure } = request;
  if (request.state !== 'open' || unsure?.id !== clickId) return;
  if (confirmation === 'confirmed') {
    const temporaryChange = await deps.temporaryChanges.get(clickId);
    return await decided(request, unsure, temporaryChange === null ? null : clickId, deps);
  }
  await deps.requests.save({ ...request, unsure: { ...unsure, isOver: true } });
  await deps.updateRequest(request.id);
  if (isHolders) await notifyHolderUnconfirmed(request, unsure, deps);
}

/** The request is decided: by the last yes that it took, or by breaking the glass. Safe to repeat. */
async function decided(
  request: LimitRequest,
  { how, id, by, at, changes, term, note, approvals }: UnconfirmedApproval,
  temporaryChangeId: string | null,
  deps: ActionDeps,
): Promise<void> {
  const decision = { state: how, decidedBy: by, decidedAt: at, decision: id, temporaryChangeId, unsure: null } as const;
  await finishApproval({ ...request, changes, term, approvals, note, ...decision }, deps);
}

/** Keeps what was decided and tells whom it concerns. Safe to repeat. */
export async function finishApproval(request: LimitRequest, deps: ActionDeps): Promise<void> {
  await settle(request, deps);
  if (request.state !== 'override') return;
  const { id, decision, decidedBy, card, changes, note } = request;
  const told = overrideNotice(request, await deps.whoMay('approver'));
  await deps.postToApprovals(`${id}-glass`, told);
  await deps.postToOps(`${id}-glass`, told);
  const line = auditLine({
    by: decidedBy,
    did: `broke the glass: changed the ${ruleNames(changes)} of`,
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
