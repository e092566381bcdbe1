import type { DataTableBlock } from '@slack/types';
import { type CsvColumn, csvDollars, csvFile } from '../../src/core/csv.ts';
import { isSameServiceDay, serviceClock, serviceDay, serviceZone } from '../../src/core/installation.ts';
import * as limits from '../../src/slack/limits.ts';
import type { Message } from '../../src/slack/message.ts';
import { outcomeShort } from '../actions/outcomes.ts';
import { escapeUntrusted, formatCount, inSections, section, sentence } from '../core/blocks.ts';
import { type Cell, type Column, dataTable } from '../core/data-table.ts';
import { type BatchRow, countWords, rowAmount, rowLine } from './batch-row.ts';

/** Only one of the two time columns is shown, depending on whether everything happened on one day. */
const TIME = 'Time';
const DAY_AND_TIME = 'Day and time';

/** Numbers, so that readers can sort by time and amount instead of alphabetically. */
const columns: readonly Column<BatchRow>[] = [
  { head: TIME, of: ({ at }) => moment(at, serviceClock(at)) },
  { head: DAY_AND_TIME, of: ({ at, seenAt }) => moment(at, serviceDay(at, seenAt)) },
  { head: 'What', max: 22, of: ({ what }) => what },
  { head: 'Cardholder', max: 28, isRowHeader: true, of: ({ who }) => who },
  { head: 'Card', max: 4, of: ({ last4 }) => last4 },
  { head: 'Amount', of: (row) => amount(row.cents, rowAmount(row)) },
  { head: 'Requested', of: ({ requestedCents: cents }) => amount(cents, rowAmount({ cents, maxCents: null })) },
  { head: 'Merchant', max: 30, of: ({ merchant }) => merchant },
  { head: 'Where', max: 24, of: ({ place }) => place },
  { head: 'Why', max: 44, of: ({ why }) => why },
];

const done: Column<BatchRow> = { head: 'Done', max: 50, of: doneCell };

interface Options {
  readonly withDone: boolean;
  /** How many characters of a message it may use. */
  readonly sizeMax: number;
}

/**
 * Alerts as a table. Omits columns that are empty or the same in every row.
 *
 * @returns no block when it cannot hold every row.
 */
export function rowsTable(rows: readonly BatchRow[], { withDone, sizeMax }: Options): DataTableBlock[] {
  // The head is a row, too. Each of thousands of rows would be read only to learn this.
  if (rows.length >= limits.DATA_TABLE_ROWS_MAX) return [];
  const isDone = withDone && rows.some((row) => row.done !== null);
  const { blocks, left } = dataTable(countWords(rows), [...columnsOf(rows), ...(isDone ? [done] : [])], rows, sizeMax);
  return left === 0 ? blocks : [];
}

function columnsOf(rows: readonly BatchRow[]): Column<BatchRow>[] {
  const [first = '', ...times] = rows.flatMap(({ at }) => at || []);
  const isOneDay = times.every((at) => isSameServiceDay(at, first));
  const left = new Set([
    isOneDay ? DAY_AND_TIME : TIME,
    ...(new Set(rows.map(({ what }) => what)).size === 1 ? ['What'] : []),
  ]);
  return columns
    .filter(({ head, of }) => !left.has(head) && rows.some((row) => of(row) !== ''))
    .map((column) =>
      column.head === TIME || column.head === DAY_AND_TIME
        ? { ...column, head: `${column.head} (${serviceZone().short})` }
        : column,
    );
}

function moment(at: string, text: string): Cell {
  return at === '' ? '' : { value: Date.parse(at), text };
}

function amount(cents: number | null, text: string): Cell {
  return cents === null ? '' : { value: cents / 100, text };
}

/** Who did what, with the person's name as Slack shows it. */
function doneCell(row: BatchRow): Cell {
  if (row.done === null) return '';
  const { words, by } = outcomeShort(row.done);
  return by === null ? words : { words: `${words} by `, users: [by] };
}

/** This many rows always fit, whatever they contain. */
const PAGE_ROWS = 40;
const SECTION_ROWS = 8;

/** How many pages this many rows need. */
export function rowsPages(rows: number): number {
  return Math.ceil(rows / PAGE_ROWS);
}

interface Page {
  /** From 0. */
  readonly page: number;
  /** Slack's error code for the missing file. */
  readonly noFile: string | null;
  readonly hasTable: boolean;
}

/** One page of a summary's rows, when no file could be attached. The first page says why. */
export function rowsPage(rows: readonly BatchRow[], { page, noFile, hasTable }: Page): Message {
  const from = page * PAGE_ROWS;
  const shown = rows.slice(from, from + PAGE_ROWS);
  const which = `Rows ${formatCount(from + 1)} to ${formatCount(from + shown.length)} of ${formatCount(rows.length)}.`;
  const word = noFile === null ? '' : ` (${escapeUntrusted(noFile, 80)})`;
  const why = page === 0 ? `Slack did not take the rows as a file${word}, so they follow here. ` : '';
  return {
    text: sentence(`${why}${which}`),
    blocks: [
      section(`${why}${which}`),
      ...(hasTable
        ? rowsTable(shown, { withDone: false, sizeMax: Infinity })
        : inSections(
            shown.map((row) => `• ${rowLine(row)}`),
            SECTION_ROWS,
          )),
    ],
  };
}

const csvColumns: readonly CsvColumn<BatchRow>[] = [
  ['Event', ({ id }) => id],
  ['Time (UTC)', ({ at }) => at.replace(/\.\d+Z$/, 'Z')],
  ['What', ({ what }) => what],
  ['Times', ({ times }) => String(times)],
  ['Cardholder', ({ who }) => who],
  ['Card ending', ({ last4 }) => last4],
  ['Amount (USD)', ({ cents }) => csvDollars(cents)],
  // Together with the column before it, it adds up to the totals of the summary.
  ['Highest amount (USD)', ({ maxCents }) => csvDollars(maxCents)],
  ['Requested (USD)', ({ requestedCents }) => csvDollars(requestedCents)],
  ['Merchant', ({ merchant }) => merchant],
  ['Where', ({ place }) => place],
  ['Why', ({ why }) => why],
  ['Code', ({ code }) => code],
  ['Done', ({ done }) => (done === null ? '' : outcomeShort(done).words)],
];

/** Alerts as a spreadsheet file. It contains no more than their rows show in this channel. */
export function rowsCsv(rows: readonly BatchRow[]): string {
  return csvFile(csvColumns, rows);
}
