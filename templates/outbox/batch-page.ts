import type { KnownBlock } from '@slack/types';
import type { Message } from '../../src/slack/message.ts';
import { escapeUntrusted, section, sentence } from '../core/blocks.ts';
import { rowLine } from './batch-line.ts';
import { type BatchRow, count } from './batch-row.ts';
import { rowsTable } from './rows-table.ts';

/** Whatever stands in them, so many rows fit. */
const PAGE_ROWS = 40;
const SECTION_ROWS = 8;

/** How many pages so many rows take. */
export function rowsPages(rows: number): number {
  return Math.ceil(rows / PAGE_ROWS);
}

interface Page {
  /** From 0. */
  readonly page: number;
  /** Slack's word for why there is no file. */
  readonly noFile: string | null;
  readonly hasTable: boolean;
}

/** One page of a summary's rows, where no file could be attached. The first says why. */
export function rowsPage(rows: readonly BatchRow[], { page, noFile, hasTable }: Page): Message {
  const from = page * PAGE_ROWS;
  const shown = rows.slice(from, from + PAGE_ROWS);
  const which = `Rows ${count(from + 1)} to ${count(from + shown.length)} of ${count(rows.length)}.`;
  const word = noFile === null ? '' : ` (${escapeUntrusted(noFile, 80)})`;
  const why = page === 0 ? `Slack did not take the rows as a file${word}, so they follow here. ` : '';
  return {
    text: sentence(`${why}${which}`),
    blocks: [
      section(`${why}${which}`),
      ...(hasTable ? rowsTable(shown, { withDone: false, sizeMax: Infinity }) : lines(shown)),
    ],
  };
}

function lines(rows: readonly BatchRow[]): KnownBlock[] {
  const blocks: KnownBlock[] = [];
  for (let at = 0; at < rows.length; at += SECTION_ROWS)
    blocks.push(section(...rows.slice(at, at + SECTION_ROWS).map((row) => `• ${rowLine(row)}`)));
  return blocks;
}
