import type { AuditEntry } from '../../src/audit/audit.ts';
import type { AuditRecord } from '../../src/audit/audit-record.ts';
import { BYTE_ORDER_MARK, type Cell, csvDollars, csvLine } from '../../src/core/csv.ts';

export type ReadableEntry = Pick<AuditEntry, 'number' | 'hash'> & { readonly record: AuditRecord };

/** The name of a Slack user; null if unknown. */
export type NameOf = (userId: string) => string | null;

type Column = (entry: ReadableEntry, nameOf: NameOf) => Cell;

const namesOf = (ids: readonly string[], nameOf: NameOf): string => ids.map((id) => nameOf(id) ?? id).join(', ');

/** A person whom the machine does not know, or Cardbell itself. */
const nobodyWords = ({ policy }: AuditRecord): string => (policy === null ? 'at a terminal' : 'Cardbell');

/** Ordered as controllers read: who did what to whose card, before and after, for how long, and who approved. */
const columns: Readonly<Record<string, Column>> = {
  record: ({ number }) => number,
  at: ({ record }) => record.at,
  event: ({ record }) => record.event,
  verb: ({ record }) => record.verb,
  user_name: ({ record }, nameOf) => (record.actor === null ? nobodyWords(record) : nameOf(record.actor.userId)),
  cardholder: ({ record }) => record.holder,
  last_four: ({ record }) => record.last4,
  merchant: ({ record }) => record.merchant,
  before: ({ record }) => record.before,
  after: ({ record }) => record.after,
  duration: ({ record }) => record.duration,
  approvers: ({ record }, nameOf) => namesOf(record.approvers ?? [], nameOf),
  reason: ({ record }) => record.reason,
  detail: ({ record }) => record.detail,
  user: ({ record }) => record.actor?.userId ?? nobodyWords(record),
  approver_ids: ({ record }) => record.approvers?.join(' '),
  team: ({ record }) => record.actor?.teamId,
  roles: ({ record }) => record.roles.join(' '),
  account: ({ record }) => record.acctId,
  card: ({ record }) => record.cardId,
  api_answer: ({ record }) => record.api,
  confirmed_by: ({ record }) => record.confirmedBy,
  confirming_event: ({ record }) => record.eventId,
  channel: ({ record }) => record.channel,
  message_ts: ({ record }) => record.messageTs,
  permalink: ({ record }) => record.permalink,
  alert: ({ record }) => record.alertId,
  action: ({ record }) => record.actionId,
  two_person_above_usd: ({ record }) => csvDollars(record.twoPersonAboveCents),
  policy: ({ record }) => record.policy?.version,
  policy_words: ({ record }) => record.policy?.words,
  hash: ({ hash }) => hash,
};

/**
 * Not quoted: if somebody puts two exports together, the mark of the second one is in the middle of the file, where a parser
 * takes it as a part of the cell, but not in front of a quote.
 */
export const auditHeader = `${BYTE_ORDER_MARK}${Object.keys(columns).join(',')}`;

/** One record as a CSV line, without the line break. */
export function auditCsvLine(entry: ReadableEntry, nameOf: NameOf): string {
  return csvLine(Object.values(columns).map((read) => read(entry, nameOf)));
}

/**
 * Fills in what later records of an action do not repeat: who approved it and how long it lasts. Call it for each
 * record, oldest first.
 */
export function createCarryOver(): (entry: ReadableEntry) => ReadableEntry {
  const earlier = new Map<string, Pick<AuditRecord, 'approvers' | 'duration'>>();
  return (entry) => {
    const { record } = entry;
    const before = earlier.get(record.actionId);
    const approvers = record.approvers ?? before?.approvers;
    const duration = record.duration ?? before?.duration;
    if (approvers == null && duration == null) return entry;
    earlier.set(record.actionId, { approvers, duration });
    return { ...entry, record: { ...record, approvers, duration } };
  };
}

/** The people whose names a record's line shows. */
export function peopleIn({ actor, approvers }: AuditRecord): string[] {
  return [...(actor === null ? [] : [actor.userId]), ...(approvers ?? [])];
}
