import { requestDecided, requestUnsure } from '../../templates/holders/holder-request.ts';
import { refusal } from '../../templates/policy/refusal.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { auditRecord, endOf } from '../actions/report.ts';
import type { LimitRequest, UnconfirmedApproval } from './request-store.ts';

/**
 * A request is decided: keeps that, brings its messages up to date, and tells the one who asked. Safe to repeat.
 */
export async function settle(request: LimitRequest, deps: ActionDeps): Promise<void> {
  await deps.requests.save(request);
  await deps.updateRequest(request.id);
  const { action, state, decidedBy } = request;
  if (state === 'denied') await markAlert(request, 'An approver said no', deps);
  if (state === 'expired') await markAlert(request, 'Nobody decided in time', deps);
  if (action.verb === 'ask') return await notifyHolderDecided(request, deps);
  const changed = request.unsure === null ? {} : { changed: 'Whether an earlier yes changed anything is not certain.' };
  if (state === 'denied') {
    const whoCan = { text: 'Denied by', userIds: decidedBy === null ? [] : [decidedBy] };
    const said = request.note === '' ? '' : ` Their note: “${request.note}”`;
    const why = `Another approver said no.${said}`;
    await deps.answer(action, refusal({ what: 'Your raise', why, whoCan, ...changed }));
  }
  if (state === 'expired') {
    const why = 'Nobody decided within 24 hours, so the request expired.';
    await deps.answer(action, refusal({ what: 'Your raise', why, whoCan: 'Ask again.', ...changed }));
  }
}

/**
 * Tells the holder what became of what they asked for. A yes only once the card service shows it, or has not shown it in
 * time: who decides and who looks both try, and the later of the two knows. Safe to repeat.
 */
export async function notifyHolderDecided(request: LimitRequest, deps: ActionDeps): Promise<void> {
  const { id, action, state, decision } = request;
  const isApproval = state === 'approved' || state === 'override';
  const written = isApproval && decision !== null ? await deps.progress.read(decision) : null;
  const result = written === null ? undefined : endOf(written)?.result;
  const confirmation = result?.confirmation;
  if (confirmation === 'sent') return;
  const isSure = confirmation === undefined || confirmation === 'confirmed';
  // By the change itself it may have left the ruleset that it followed when it was asked.
  const followed = result === undefined ? request.card : { ...request.card, ruleset: result.card.ruleset };
  const card = isApproval ? await deps.nameRuleset(followed) : request.card;
  await deps.notifyDirectly(action.actor.userId, `${id}-${state}`, requestDecided({ ...request, card }, { isSure }));
}

/** Tells the holder that somebody said yes, and that nothing shows what became of it. Safe to repeat. */
export async function notifyHolderUnconfirmed(
  request: LimitRequest,
  pendingApproval: UnconfirmedApproval,
  deps: ActionDeps,
): Promise<void> {
  const { id, action } = request;
  await deps.notifyDirectly(
    action.actor.userId,
    `${id}-unsure-${pendingApproval.id}`,
    requestUnsure(request, pendingApproval),
  );
}

/** Nobody decided in time. Never a yes by silence. Runs under the request's lock. */
export async function expire(request: LimitRequest, deps: ActionDeps): Promise<void> {
  const { action, acctId, card, id } = request;
  if ((await deps.progress.read(`expire-${id}`)) === null) {
    const facts = { acctId, cardId: card.cardId, detail: `${id} expired without a decision` };
    await deps.audit.append({ ...auditRecord(action, 'ended', facts, deps), actor: null, roles: [] });
    await deps.progress.write(`expire-${id}`, { state: 'asked' });
  }
  await settle({ ...request, state: 'expired', decidedAt: request.expiresAt }, deps);
}

/** The alert that it was asked from no longer waits. */
async function markAlert({ action, unsure }: LimitRequest, text: string, deps: ActionDeps): Promise<void> {
  if (action.target.kind !== 'alert') return;
  const { alertId } = action.target;
  const by = action.actor.userId;
  const state = unsure === null ? 'failed' : 'unknown';
  const outcome = { verb: 'limit', by, at: deps.now().toISOString(), state, text } as const;
  await deps.alerts.setOutcome(alertId, action.id, outcome);
  await deps.updateMessages(alertId);
}
