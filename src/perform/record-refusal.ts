import { auditLine } from '../../templates/audit-line.ts';
import type { Action } from '../authority/action.ts';
import type { PerformDeps } from './deps.ts';
import { auditRecord } from './report.ts';

/** Somebody asked who may not; they have been told. This is the record of it. */
export async function recordRefusal(action: Action, deps: PerformDeps): Promise<void> {
  const facts = { acctId: null, cardId: null, detail: 'not permitted' };
  await deps.audit.append(auditRecord(action, 'refused', facts, deps));
  const line = auditLine({
    by: action.actor.userId,
    did: `was refused to ${action.verb}`,
    card: null,
    at: deps.now().toISOString(),
    before: null,
    after: null,
    reason: action.reason === '' ? null : action.reason,
    outcome: 'not permitted, nothing changed',
    ref: action.id.slice(-8),
  });
  await deps.postAuditLine(`audit-${action.id}-refused`, line);
}
