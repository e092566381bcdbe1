import { auditLine } from '../../templates/audit/audit-line.ts';
import type { Action } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { auditRecord } from '../actions/report.ts';
import type { CardFacts } from '../alerts/alert.ts';

interface Done {
  /** Past tense: `subscribed a channel`. */
  readonly did: string;
  readonly card?: CardFacts;
  readonly before?: string;
  readonly after?: string;
}

/** Who changed what people hear of: in the record and in the audit channel, once for each action. */
export async function recordRouting(
  action: Action,
  { did, card, before, after }: Done,
  deps: ActionDeps,
): Promise<void> {
  if ((await deps.progress.read(action.id)) === null) {
    const facts = {
      acctId: card?.acctId ?? null,
      cardId: card?.cardId ?? null,
      before: before ?? null,
      after: after ?? null,
    };
    await deps.audit.append(auditRecord(action, 'done', facts, deps));
    await deps.progress.write(action.id, { state: 'asked' });
  }
  const line = auditLine({
    by: action.actor.userId,
    did,
    card: card ?? null,
    at: deps.now().toISOString(),
    before: before ?? null,
    after: after ?? null,
    reason: action.reason === '' ? null : action.reason,
    outcome: '',
    ref: action.id.slice(-8),
  });
  await deps.postAuditLine(`audit-${action.id}-done`, line);
}
