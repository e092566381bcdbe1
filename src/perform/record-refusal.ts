import { auditLine } from '../../templates/audit-line.ts';
import { type Refusal, refusal } from '../../templates/refusal.ts';
import type { Action } from '../authority/action.ts';
import type { PerformDeps } from './deps.ts';
import { auditRecord } from './report.ts';

/** What a refusal was about, and why, where more is known than that somebody may not. */
export interface Refused {
  readonly acctId?: number | null;
  readonly cardId?: number | null;
  readonly why?: string;
}

/** Somebody asked who may not; they have been told. This is the record of it. */
export async function recordRefusal(
  action: Action,
  deps: PerformDeps,
  { acctId = null, cardId = null, why = 'not permitted' }: Refused = {},
): Promise<void> {
  await deps.audit.append(auditRecord(action, 'refused', { acctId, cardId, detail: why }, deps));
  const line = auditLine({
    by: action.actor.userId,
    did: `was refused to ${action.verb}`,
    card: acctId === null ? null : deps.toFacts(acctId, await deps.directory.account(acctId)),
    at: deps.now().toISOString(),
    before: null,
    after: null,
    reason: action.reason === '' ? null : action.reason,
    outcome: `${why.replace(/\.$/, '')}, nothing changed`,
    ref: action.id.slice(-8),
  });
  await deps.postAuditLine(`audit-${action.id}-refused`, line);
}

/** Says no to who asked, with the reason and who can; on record first. */
export async function refuse(
  action: Action,
  no: Refusal,
  deps: PerformDeps,
  about: Pick<Refused, 'acctId' | 'cardId'> = {},
): Promise<void> {
  await recordRefusal(action, deps, { ...about, why: no.why });
  await deps.answer(action, refusal(no));
}
