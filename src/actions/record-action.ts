import { type AuditEntry as AuditLine, auditLine } from '../../templates/audit/audit-line.ts';
import type { Audit, AuditRecord } from '../audit/audit.ts';
import type { Message } from '../slack/message.ts';
import type { Action } from './action.ts';
import { auditRecord } from './report.ts';

/** What happened to an action, for the record. */
export interface RecordEntry {
  readonly event: AuditRecord['event'];
  readonly acctId: number | null;
  readonly cardId?: number | null;
  readonly before?: string | null;
  readonly after?: string | null;
  readonly detail?: string | null;
  readonly api?: string | null;
  readonly confirmedBy?: AuditRecord['confirmedBy'];
  readonly eventId?: string | null;
  /** Nobody did it: the time of something was over. */
  readonly isByItself?: boolean;
  /** Also read in the audit channel. By default it names who asked, the reason they gave, and now. */
  readonly line?: Pick<AuditLine, 'did' | 'card' | 'outcome'> &
    Partial<Pick<AuditLine, 'whom' | 'at' | 'before' | 'after'>>;
}

/** Puts what happened to an action on record: into the chain and, with a line, into the audit channel. Safe to repeat. */
export type RecordAction = (action: Action, entry: RecordEntry) => Promise<void>;

interface Deps {
  readonly audit: Pick<Audit, 'append'>;
  /** Posts a line into the audit channel; the id makes repeating it nothing. */
  readonly postAuditLine: (id: string, message: Message) => Promise<void>;
  /** In force: the amount above which a raise takes two people, whole cents. */
  readonly twoPersonAboveCents: number;
  readonly now: () => Date;
}

/** The one call that writes an audit entry. */
export function createRecordAction(deps: Deps): RecordAction {
  return async function recordAction(action, { event, line, cardId = null, isByItself = false, ...facts }) {
    const entry = auditRecord(action, event, { ...facts, cardId }, deps);
    await deps.audit.append(isByItself ? { ...entry, actor: null, roles: [] } : entry);
    if (line === undefined) return;
    const by = action.actor.userId;
    const reason = action.reason === '' ? null : action.reason;
    const at = deps.now().toISOString();
    const shown = { by, at, before: null, after: null, reason, ref: action.id.slice(-8), ...line };
    await deps.postAuditLine(`audit-${action.id}-${event}`, auditLine(shown));
  };
}
