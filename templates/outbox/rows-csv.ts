import { type CsvColumn, csvDollars, csvFile } from '../../src/core/csv.ts';
import { outcomeShort } from '../actions/outcomes.ts';
import type { BatchRow } from './batch-row.ts';

const columns: readonly CsvColumn<BatchRow>[] = [
  ['Event', ({ id }) => id],
  ['Time (UTC)', ({ at }) => at.replace(/\.\d+Z$/, 'Z')],
  ['What', ({ what }) => what],
  ['Times', ({ times }) => String(times)],
  ['Cardholder', ({ who }) => who],
  ['Card ending', ({ last4 }) => last4],
  ['Amount (USD)', ({ cents }) => csvDollars(cents)],
  ['Requested (USD)', ({ requestedCents }) => csvDollars(requestedCents)],
  ['Merchant', ({ merchant }) => merchant],
  ['Where', ({ place }) => place],
  ['Why', ({ why }) => why],
  ['Code', ({ code }) => code],
  ['Done', ({ done }) => (done === null ? '' : outcomeShort(done).words)],
];

/** Alerts as a file for a spreadsheet, with no more than their rows say in this place. */
export function rowsCsv(rows: readonly BatchRow[]): string {
  return csvFile(columns, rows);
}
