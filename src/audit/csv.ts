import { type Cell, csvLine } from '../core/csv.ts';
import type { AuditEntry, AuditRecord } from './audit.ts';

type Readable = AuditEntry & { readonly record: AuditRecord };

const columns: Readonly<Record<string, (entry: Readable) => Cell>> = {
  record: ({ number }) => number,
  at: ({ record }) => record.at,
  event: ({ record }) => record.event,
  verb: ({ record }) => record.verb,
  user: ({ record }) => record.actor?.userId ?? 'Cardbell',
  team: ({ record }) => record.actor?.teamId,
  roles: ({ record }) => record.roles.join(' '),
  account: ({ record }) => record.acctId,
  card: ({ record }) => record.cardId,
  before: ({ record }) => record.before,
  after: ({ record }) => record.after,
  reason: ({ record }) => record.reason,
  detail: ({ record }) => record.detail,
  api_answer: ({ record }) => record.api,
  confirmed_by: ({ record }) => record.confirmedBy,
  confirming_event: ({ record }) => record.eventId,
  channel: ({ record }) => record.channel,
  message_ts: ({ record }) => record.messageTs,
  permalink: ({ record }) => record.permalink,
  alert: ({ record }) => record.alertId,
  action: ({ record }) => record.actionId,
  two_person_above_usd: ({ record }) => (record.twoPersonAboveCents / 100).toFixed(2),
  policy: ({ record }) => record.policy?.version,
  policy_words: ({ record }) => record.policy?.words,
  hash: ({ hash }) => hash,
};

/** The first line. */
export const auditHeader = csvLine(Object.keys(columns));

/** One record as a line, without its end. */
export function auditCsvLine(entry: Readable): string {
  return csvLine(Object.values(columns).map((read) => read(entry)));
}
