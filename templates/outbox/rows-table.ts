import type { RawTextElement, RichTextBlock, TableBlock } from '@slack/types';
import { serviceClock, serviceZone } from '../../src/core/installation.ts';
import { formatCents } from '../../src/core/money.ts';
import * as limits from '../../src/slack/limits.ts';
import { plain, truncate } from '../../src/slack/mrkdwn.ts';
import { outcomeShort } from '../actions/outcomes.ts';
import type { BatchRow } from './batch-row.ts';

/** What a cell takes of the message's size beside its text. */
const CELL_OVERHEAD = 'raw_text'.length;

type Cell = RawTextElement | RichTextBlock;

interface Column {
  readonly head: string;
  /** Its head names the zone. */
  readonly isTime?: true;
  /** Longest text; longer is cut visibly. */
  readonly max: number;
  readonly of: (row: BatchRow) => string;
  readonly isRight?: boolean;
}

/** Of the two for time one is shown; which depends on whether it all happened on one day. */
const columns: readonly Column[] = [
  { head: 'Time', isTime: true, max: 16, of: ({ at }) => serviceClock(at) },
  { head: 'Day and time', isTime: true, max: 16, of: ({ at }) => serviceClock(at, true) },
  { head: 'What', max: 22, of: ({ what }) => what },
  { head: 'Cardholder', max: 28, of: ({ who }) => who },
  { head: 'Card', max: 4, of: ({ last4 }) => last4 },
  { head: 'Amount', max: 14, of: ({ cents }) => amount(cents), isRight: true },
  { head: 'Requested', max: 14, of: ({ requestedCents }) => amount(requestedCents), isRight: true },
  { head: 'Merchant', max: 30, of: ({ merchant }) => merchant },
  { head: 'Where', max: 24, of: ({ place }) => place },
  { head: 'Why', max: 44, of: ({ why }) => why },
];

const DONE_HEAD = 'Done';
const DONE_MAX = 50;
/** The names of what a cell is made of that names a person. */
const DONE_OVERHEAD = 'rich_text rich_text_section text user'.length;

/** Alerts as a table. A column in which nothing stands, or the same in every row, is left out. */
export function rowsTable(rows: readonly BatchRow[], { withDone }: { readonly withDone: boolean }): TableBlock {
  const shown = columnsOf(rows);
  const isDone = withDone && rows.some(({ done }) => done !== null);
  const heads = [
    ...shown.map(({ head, isTime }) => (isTime ? `${head} (${serviceZone().short})` : head)),
    ...(isDone ? [DONE_HEAD] : []),
  ];
  return {
    type: 'table',
    rows: [
      heads.map((head) => cell(head)),
      ...rows.map((row): Cell[] => [
        ...shown.map(({ of, max }) => cell(of(row), max)),
        ...(isDone ? [doneCell(row)] : []),
      ]),
    ],
    column_settings: [
      ...shown.map(({ isRight }) => (isRight === true ? { align: 'right' as const } : { is_wrapped: true })),
      ...(isDone ? [{ is_wrapped: true }] : []),
    ],
  };
}

/** Whether these rows stay within what a table takes, and within `sizeMax` characters of a message. */
export function fitsTable(
  rows: readonly BatchRow[],
  sizeMax: number,
  { withDone }: { readonly withDone: boolean },
): boolean {
  if (rows.length + 1 > limits.TABLE_ROWS_MAX) return false;
  const shown = columnsOf(rows);
  const lengths = rows.map((row) =>
    shown.reduce((sum, { of, max }) => sum + Math.min(plain(of(row)).length + 1, max), 0),
  );
  const done = withDone ? rows.length * DONE_MAX : 0;
  const texts = lengths.reduce((sum, length) => sum + length, done + shown.length * 20);
  const overhead = shown.length * CELL_OVERHEAD + (withDone ? DONE_OVERHEAD : 0);
  return texts <= limits.TABLE_TEXT_MAX && texts + (rows.length + 1) * overhead <= sizeMax;
}

function columnsOf(rows: readonly BatchRow[]): readonly Column[] {
  const left = new Set([
    new Set(rows.map(({ at }) => serviceClock(at, true).split(',')[0])).size === 1 ? 'Day and time' : 'Time',
    ...(new Set(rows.map(({ what }) => what)).size === 1 ? ['What'] : []),
  ]);
  return columns.filter(({ head, of }) => !left.has(head) && rows.some((row) => of(row) !== ''));
}

function amount(cents: number | null): string {
  return cents === null ? '' : formatCents(cents);
}

function cell(text: string, max = 60): RawTextElement {
  return { type: 'raw_text', text: truncate(plain(text), max) || '–' };
}

/** Who did what, with the person named as Slack names people. */
function doneCell({ done }: BatchRow): Cell {
  if (done === null) return cell('–');
  const { words, by } = outcomeShort(done);
  if (by === null) return cell(words, DONE_MAX);
  return {
    type: 'rich_text',
    elements: [
      {
        type: 'rich_text_section',
        elements: [
          { type: 'text', text: `${words} by ` },
          { type: 'user', user_id: by },
        ],
      },
    ],
  };
}
