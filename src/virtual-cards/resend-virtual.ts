import { auditLine } from '../../templates/audit/audit-line.ts';
import { resendAnswer } from '../../templates/virtual-cards/order.ts';
import { noteOf } from '../actions/change-status.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { refuse } from '../actions/record-refusal.ts';
import { auditRecord } from '../actions/report.ts';
import { CardApiError } from '../core/errors.ts';
import type { Resolved } from '../directory/resolve-card.ts';

/**
 * Asks the service to send a virtual card's details to the configured receiver again.
 *
 * Asked once; where no answer came, a second request would at most send them twice, so the person decides.
 *
 * @throws CardApiError when it was certainly not sent and the job should run again.
 */
export async function resendVirtual({ action, acctId }: Resolved, deps: ActionDeps): Promise<void> {
  const card = deps.toFacts(acctId, await deps.directory.account(acctId));
  const written = await deps.progress.read(action.id);
  if (written?.state === 'told') return;
  if (card.isVirtual === false) {
    const no = { what: 'Your resend', why: 'This card is not virtual.', whoCan: 'Plastic cards come by mail.' };
    return await refuse(action, no, deps, { acctId, cardId: card.cardId });
  }
  const facts = { acctId, cardId: card.cardId };
  await deps.audit.append(auditRecord(action, 'asked', facts, deps));
  let state: 'done' | 'failed' | 'unknown' = 'done';
  let said: string | null = null;
  let note: string | null = null;
  if (written?.state === 'sending') state = 'unknown';
  else {
    await deps.audit.append(auditRecord(action, 'sent', facts, deps));
    await deps.virtualOrders.expect({ kind: 'resend', acctId }, { action, at: deps.now().toISOString() });
    await deps.progress.write(action.id, { state: 'sending', before: null, after: null });
    try {
      await deps.card.requestVirtualCardData({ AcctId: acctId });
    } catch (error) {
      if (!(error instanceof CardApiError)) throw error;
      if (error.outcome !== 'unknown' && error.retryable && !deps.isLastAttempt) {
        await deps.progress.write(action.id, { state: 'asked' });
        throw error;
      }
      state = error.outcome === 'unknown' ? 'unknown' : 'failed';
      said = error.apiMessage;
      note = noteOf(error);
    }
  }
  const at = deps.now().toISOString();
  await deps.audit.append(auditRecord(action, state, { ...facts, detail: said ?? note }, deps));
  const outcome = [outcomeWords[state], said].filter(Boolean).join(': ');
  const by = action.actor.userId;
  const did = 'asked for the details of';
  const ref = action.id.slice(-8);
  const line = auditLine({ by, did, card, at, before: null, after: null, reason: null, outcome, ref });
  await deps.postAuditLine(`audit-${action.id}-${state}`, line);
  await deps.answer(action, resendAnswer({ state, card, apiWords: said, note, ref }));
  const result = { state, card, before: null, after: null, apiWords: said, note };
  await deps.progress.write(action.id, { state: 'told', at, result });
}

const outcomeWords = { done: 'sent again', failed: 'failed, nothing was sent', unknown: 'outcome not known' } as const;
