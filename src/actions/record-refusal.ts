import { auditLine } from '../../templates/audit/audit-line.ts';
import { unclear } from '../../templates/dispatch/unclear.ts';
import { type Refusal, refusal } from '../../templates/policy/refusal.ts';
import type { Action } from './action.ts';
import type { ActionDeps } from './deps.ts';
import { auditRecord } from './report.ts';

/** What a refusal was about, and why, where more is known than the action says. */
export interface Refused {
  readonly acctId?: number | null;
  readonly cardId?: number | null;
  /** For the record, where the person reads it in other words. */
  readonly why?: string;
}

/**
 * Somebody was told no: this is the record of it, with the reason and the rules in force. Safe to repeat.
 *
 * Nothing else in `perform/` says no to somebody, so that no refusal is missing; a test holds that.
 */
export async function recordRefusal(action: Action, deps: ActionDeps, about: Refused = {}): Promise<void> {
  const why = about.why ?? 'not permitted';
  const acctId = about.acctId ?? (await accountOf(action, deps));
  const cardId = about.cardId ?? (action.target.kind === 'card' ? action.target.cardId : null);
  await deps.audit.append(auditRecord(action, 'refused', { acctId, cardId, detail: why }, deps));
  const line = auditLine({
    by: action.actor.userId,
    did: `was refused to ${deps.refusedTo(action.verb)}`,
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
export type Refuse = (action: Action, refusal: Refusal, about?: Refused) => Promise<void>;

/** See {@link Refuse}. */
export async function refuse(action: Action, no: Refusal, deps: ActionDeps, about: Refused = {}): Promise<void> {
  await recordRefusal(action, deps, { why: no.why, ...about });
  await deps.answer(action, refusal(no));
}

/** Says what could not be understood, and how it is written; on record first. */
export async function refuseUnclear(
  action: Action,
  no: Parameters<typeof unclear>[0],
  deps: ActionDeps,
  about: Refused = {},
): Promise<void> {
  await recordRefusal(action, deps, { why: no.why, ...about });
  await deps.answer(action, unclear(no));
}

/** Whose card it was about; null where none is named, or where that is no longer known. */
async function accountOf({ target }: Action, deps: ActionDeps): Promise<number | null> {
  switch (target.kind) {
    case 'card':
      return target.acctId;
    case 'alert':
      return (await deps.alerts.get(target.alertId))?.event.acctId ?? null;
    case 'request':
      return (await deps.requests.get(target.requestId))?.acctId ?? null;
    case 'temporary-change':
      return (await deps.temporaryChanges.get(target.temporaryChangeId))?.acctId ?? null;
    case 'action':
      return (await deps.blocks.get(target.actionId))?.acctId ?? null;
    default:
      return null;
  }
}
