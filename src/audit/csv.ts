import type { AuditEntry, AuditRecord } from './audit.ts';

type Cell = string | number | null | undefined;

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
export const csvHeader = Object.keys(columns).join(',');

/** One record as a line of CSV (RFC 4180, without its end). */
export function csvLine(entry: Readable): string {
  return Object.values(columns)
    .map((read) => cell(read(entry)))
    .join(',');
}

/**
 * Reasons and names come from outside: a text that a spreadsheet would take for a formula gets an apostrophe in front.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
function cell(value: Cell): string {
  if (typeof value === 'number') return String(value);
  const text = value ?? '';
  const safe = /^[\s]*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
