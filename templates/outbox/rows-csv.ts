import { csvLine } from '../../src/core/csv.ts';
import { outcomeShort } from '../actions/outcomes.ts';
import type { BatchRow } from './batch-row.ts';

const columns: readonly (readonly [head: string, of: (row: BatchRow) => string])[] = [
  ['Event', ({ id }) => id],
  ['Time (UTC)', ({ at }) => at.replace(/\.\d+Z$/, 'Z')],
  ['What', ({ what }) => what],
  ['Times', ({ times }) => String(times)],
  ['Cardholder', ({ who }) => who],
  ['Card ending', ({ last4 }) => last4],
  ['Amount (USD)', ({ cents }) => dollars(cents)],
  ['Requested (USD)', ({ requestedCents }) => dollars(requestedCents)],
  ['Merchant', ({ merchant }) => merchant],
  ['Where', ({ place }) => place],
  ['Why', ({ why }) => why],
  ['Code', ({ code }) => code],
  ['Done', ({ done }) => (done === null ? '' : outcomeShort(done).words)],
];

/** Spreadsheets take UTF-8 for it only where this stands first. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Alerts as a file for a spreadsheet, with no more than their rows say in this place. One line for each, also of what has several. */
export function rowsCsv(rows: readonly BatchRow[]): string {
  const lines = [columns.map(([head]) => head), ...rows.map((row) => columns.map(([, of]) => onOneLine(of(row))))];
  return BYTE_ORDER_MARK + lines.map((line) => `${csvLine(line)}\r\n`).join('');
}

function dollars(cents: number | null): string {
  return cents === null ? '' : (cents / 100).toFixed(2);
}

function onOneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
