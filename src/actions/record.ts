import { type AuditLine, auditLine } from '../../templates/audit/audit-line.ts';
import type { Audit } from '../audit/audit.ts';
import type { AuditRecord, Statement } from '../audit/audit-record.ts';
import type { Message } from '../slack/message.ts';
import { type Action, alertIdOf } from './action.ts';
import type { ActionTools } from './action-tools.ts';
import type { Progress } from './progress-store.ts';

/** What happened to an action, for the record. Absent fields are recorded as null. */
export interface RecordEntry
  extends Partial<
    Pick<
      AuditRecord,
      'acctId' | 'cardId' | 'before' | 'after' | 'detail' | 'api' | 'confirmedBy' | 'eventId' | 'duration'
    >
  > {
  /** Null: already recorded; only post it to the audit channel. */
  readonly event: AuditRecord['event'] | null;
  /** Set if it differs from the action's own reason. */
  readonly reason?: string;
  /** Nobody did it: the time was up. */
  readonly isByItself?: boolean;
  /**
   * The action begins with this record: its state becomes `asked`. Skipped once it has begun: a rerun after a crash would
   * record a different previous state.
   */
  readonly begins?: boolean;
  /** The line for the audit channel. Defaults: who asked, the reason, before and after, and the current time. */
  readonly line?: LineEntry;
  /** Distinguishes the line from others of the same action. Defaults to the event. */
  readonly lineKey?: string;
}

/** What an audit channel line says besides who did it. */
type LineEntry = Pick<AuditLine, 'did'> &
  Partial<AuditLine> & {
    /** UTC ISO 8601: when a temporary change ends, if that is known. */
    readonly until?: string | null;
  };

/** The first record of an action that sets something. What was so already gets no line. */
export function setTo(before: string | null, after: string | null, line?: LineEntry): RecordEntry {
  const sides = { begins: true, before, after };
  return before === after ? { event: 'unchanged', ...sides } : { event: 'done', ...sides, ...(line && { line }) };
}

/** A record says where it was typed. This adds the channel that it is about, if that is another one. */
export function aboutOther(channel: string, { origin }: Action): Pick<RecordEntry, 'detail'> {
  return channel === origin.channel ? {} : { detail: `channel ${channel}` };
}

/**
 * The same was set by an action that was asked for later, and that stays. What is on record as done may never have taken
 * effect.
 */
export const setSince = { event: 'superseded', detail: 'it was set again since' } as const;

/** Records what happened to an action: in the chain and, with a line, in the audit channel. Idempotent. */
export type RecordAction = (action: Action, entry: RecordEntry) => Promise<void>;

type Facts = Omit<RecordEntry, 'event' | 'begins' | 'line' | 'lineKey'>;

interface Deps extends Pick<ActionTools, 'postAuditLine' | 'now'> {
  readonly audit: Pick<Audit, 'append'>;
  readonly progress: Pick<Progress, 'read' | 'write'>;
  /** How long the requested change lasts, in words; null if the action has no duration. `until`: when it ends. */
  readonly durationOf: (action: Action, until?: string | null) => string | null;
}

/**
 * Writes the audit entries of actions. The end of a temporary change, which a click or the time may bring about, and
 * what no action asked for (digests, openings of App Home, statuses found after a gap), are written where they happen.
 */
export function createRecord(deps: Deps): RecordAction {
  return async function record(action, { begins = false, line, lineKey, event, ...entry }) {
    const isOnRecord = event === null || (begins && (await deps.progress.read(action.id)) !== null);
    if (!isOnRecord) await deps.audit.append(toAuditRecord(action, event, entry));
    if (begins && !isOnRecord) await deps.progress.write(action.id, { state: 'asked' });
    if (line === undefined) return;
    await deps.postAuditLine(`audit-${action.id}-${lineKey ?? event ?? ''}`, toLine(action, entry, line));
  };

  function toAuditRecord(action: Action, event: AuditRecord['event'], entry: Facts): Statement {
    const { isByItself = false, reason = action.reason, api, confirmedBy, eventId = null } = entry;
    const duration = entry.duration ?? deps.durationOf(action);
    return {
      at: deps.now().toISOString(),
      actionId: action.id,
      event,
      verb: action.verb,
      actor: isByItself ? null : action.actor,
      roles: isByItself ? [] : [...action.roles],
      acctId: entry.acctId ?? null,
      cardId: entry.cardId ?? null,
      before: entry.before ?? null,
      after: entry.after ?? null,
      reason,
      channel: action.origin.channel,
      messageTs: action.origin.messageTs,
      alertId: alertIdOf(action),
      detail: entry.detail ?? (event === 'unchanged' ? 'so already' : null),
      ...(duration === null ? {} : { duration }),
      ...(api == null ? {} : { api }),
      ...(confirmedBy == null ? {} : { confirmedBy, eventId }),
    };
  }

  function toLine(action: Action, entry: Facts, { until = null, ...line }: LineEntry): Message {
    const { before = null, after = null, reason = action.reason } = entry;
    return auditLine({
      by: action.actor.userId,
      card: null,
      at: deps.now().toISOString(),
      before,
      after,
      // Without the new value, nobody would know what lasts so long.
      lasts: after === null ? null : deps.durationOf(action, until),
      reason: reason === '' ? null : reason,
      outcome: '',
      ref: action.id.slice(-8),
      ...line,
    });
  }
}
