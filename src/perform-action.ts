import { refusal } from '../templates/refusal.ts';
import type { Action } from './authority/action.ts';
import { CardApiError } from './errors.ts';
import { changeLimit } from './perform/change-limit.ts';
import { changeStatus, noteOf } from './perform/change-status.ts';
import { decideRequest } from './perform/decide-request.ts';
import type { PerformDeps } from './perform/deps.ts';
import { auditRecord } from './perform/report.ts';
import { type Resolved, resolveCard } from './perform/resolve-card.ts';
import { showCard } from './perform/show-card.ts';

/**
 * Worker half of an action: find the card, do it once, write it down, tell.
 *
 * Runs at least once for each action. One account is worked on by one action at a time, so what two people press at
 * once happens one after the other, and the second finds it done.
 *
 * @throws CardApiError when the job should run again; on the last attempt the person is told instead.
 */
export async function performAction(action: Action, deps: PerformDeps): Promise<void> {
  if (action.verb === 'acknowledge') return await acknowledge(action, deps);
  if (action.verb === 'decide') {
    const name = action.target.kind === 'request' ? action.target.requestId : action.id;
    return await deps.withLock(`request:${name}`, () => decideRequest(action, deps));
  }
  try {
    const resolved = await resolveCard(action, deps);
    if (resolved === null) return;
    await act(resolved, deps);
  } catch (error) {
    if (!(error instanceof CardApiError) || (error.retryable && !deps.isLastAttempt)) throw error;
    await tellFailure(action, error, deps);
  }
}

async function act(resolved: Resolved, deps: PerformDeps): Promise<void> {
  const { action, acctId } = resolved;
  if (action.verb === 'show') return await showCard(resolved, deps);

  await deps.audit.append(auditRecord(action, 'asked', { acctId, cardId: resolved.cardId }, deps));
  await deps.withLock(`account:${acctId}`, async () => {
    if (action.verb === 'limit') await changeLimit(resolved, false, deps);
    else if (action.verb !== 'acknowledge' && action.verb !== 'decide')
      await changeStatus(action.verb as 'block' | 'unblock' | 'activate', resolved, deps);
  });
}

async function acknowledge(action: Action, deps: PerformDeps): Promise<void> {
  if (action.target.kind !== 'alert') return;
  const { alertId } = action.target;
  await deps.withLock(`alert:${alertId}`, async () => {
    const stored = await deps.alerts.get(alertId);
    if (stored === null || stored.alert.outcomes.some(({ verb }) => verb === 'acknowledge')) return;
    const at = deps.now().toISOString();
    await deps.audit.append(auditRecord(action, 'done', { acctId: stored.alert.event.acctId, cardId: null }, deps));
    await deps.alerts.setOutcome(alertId, action.id, {
      verb: 'acknowledge',
      by: action.actor.userId,
      at,
      state: 'done',
      text: '',
    });
    await deps.updateMessages(alertId);
  });
}

/** The card could not even be read: nothing was sent, nothing changed. */
async function tellFailure(action: Action, error: CardApiError, deps: PerformDeps): Promise<void> {
  const said = error.apiMessage === null ? '' : ` It says: “${error.apiMessage}”`;
  await deps.audit.append(
    auditRecord(action, 'failed', { acctId: null, cardId: null, detail: error.apiMessage ?? error.code }, deps),
  );
  await deps.answer(
    action,
    refusal({
      what: action.verb === 'show' ? 'Showing the card' : `Your ${action.verb}`,
      why: `The card service could not be asked.${said}`,
      whoCan: noteOf(error) ?? 'Try again in a minute.',
    }),
  );
}
