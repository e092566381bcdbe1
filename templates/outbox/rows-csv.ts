import { outcomeShort } from '../actions/outcomes.ts';
import type { BatchRow } from './batch-row.ts';

const columns: readonly (readonly [head: string, of: (row: BatchRow) => string])[] = [
  ['Event', ({ id }) => id],
  ['Time (UTC)', ({ at }) => at.replace(/\.\d+Z$/, 'Z')],
  ['What', ({ what }) => what],
  ['Times', ({ times }) => String(times)],
  ['Cardholder', ({ who }) => who],
  ['Card ending', ({ last4 }) => last4],
  ['Amount (USD)', ({ cents }) => (cents === null ? '' : (cents / 100).toFixed(2))],
  ['Merchant', ({ merchant }) => merchant],
  ['Where', ({ place }) => place],
  ['Why', ({ why }) => why],
  ['Code', ({ code }) => code],
  ['Done', ({ done }) => (done === null ? '' : outcomeShort(done).words)],
];

/** Spreadsheets take UTF-8 for it only where this stands first. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Alerts as a file for a spreadsheet (RFC 4180), with no more than their rows say in this place. */
export function rowsCsv(rows: readonly BatchRow[]): string {
  const lines = [columns.map(([head]) => head), ...rows.map((row) => columns.map(([, of]) => of(row)))];
  return BYTE_ORDER_MARK + lines.map((line) => `${line.map(field).join(',')}\r\n`).join('');
}

/**
 * A spreadsheet runs what begins with one of these as a formula: a merchant may call itself `=HYPERLINK(…)`. The
 * apostrophe makes it text. https://owasp.org/www-community/attacks/CSV_Injection
 */
const startsFormula = /^[\s\p{Cc}\p{Cf}]*[=+\-@\t\r＝＋－＠]/u;

function field(text: string): string {
  const clean = text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');
  const safe = startsFormula.test(text) ? `'${clean}` : clean;
  return /[",']/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}
