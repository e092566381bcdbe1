import type { DataTableBlock, RawNumberElement, RawTextElement, RichTextBlock } from '@slack/types';
import * as limits from '../../src/slack/limits.ts';
import { plain, truncate } from '../../src/slack/mrkdwn.ts';

/** Raw text, a number as it is shown, or Slack users, with words before them. */
export type Cell =
  | string
  | { readonly value: number; readonly text: string }
  | { readonly users: readonly string[]; readonly words?: string };

export interface Column<Row> {
  readonly head: string;
  readonly of: (row: Row) => Cell;
  /** Longest text; longer is cut visibly. */
  readonly max?: number;
  /** Screen readers name the row by it; else by the first column. */
  readonly isRowHeader?: true;
}

const CELL_MAX = 80;
const PAGE_ROWS = 10;
/** What a table may take of its message, so that several share it. */
const SIZE_MAX = 1700;

/**
 * Rows that the reader sorts, filters and turns the pages of; one column names the row. Not every workspace has such
 * tables: see `withoutDataTables`.
 *
 * @returns no block where there is no row; and how many rows do not fit.
 */
export function dataTable<Row>(
  caption: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  sizeMax = SIZE_MAX,
): { blocks: DataTableBlock[]; left: number } {
  const shown: DataTableBlock['rows'] = [columns.map(({ head }) => text(head))];
  let size = 0;
  for (const row of rows.slice(0, limits.DATA_TABLE_ROWS_MAX - 1)) {
    const cells = columns.map(({ of, max }) => cell(of(row), max));
    size += cells.reduce((sum, one) => sum + sizeOf(one), 0);
    if (size > sizeMax) break;
    shown.push(cells);
  }
  if (shown.length === 1) return { blocks: [], left: rows.length };
  const table = { type: 'data_table', caption: plain(caption), rows: shown, page_size: PAGE_ROWS } as const;
  const header = Math.max(
    0,
    columns.findIndex(({ isRowHeader }) => isRowHeader),
  );
  return { blocks: [{ ...table, row_header_column_index: header }], left: rows.length - shown.length + 1 };
}

function cell(content: Cell, max?: number): RawTextElement | RawNumberElement | RichTextBlock {
  if (typeof content === 'string') return text(content, max);
  if ('value' in content) return { type: 'raw_number', value: content.value, text: content.text };
  const words = content.users.map((_, index) => (index === 0 ? (content.words ?? '') : ', '));
  const users = content.users.flatMap((user_id, index) => [
    ...(words[index] ? [{ type: 'text' as const, text: words[index] }] : []),
    { type: 'user' as const, user_id },
  ]);
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: users }] };
}

function text(words: string, max = CELL_MAX): RawTextElement {
  return { type: 'raw_text', text: truncate(plain(words), max) || '–' };
}

/** The characters that a cell takes of its message, the names of its parts among them. */
function sizeOf(part: RawTextElement | RawNumberElement | RichTextBlock): number {
  if (part.type !== 'rich_text') return part.type.length + part.text.length;
  return JSON.stringify(part.elements).length;
}
