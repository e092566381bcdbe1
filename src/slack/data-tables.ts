import type { DataTableBlock, KnownBlock, SectionBlock } from '@slack/types';
import * as limits from './limits.ts';
import { escapeMrkdwn, mention, truncate } from './mrkdwn.ts';

type Cell = DataTableBlock['rows'][number][number];

export function hasDataTable(blocks: readonly KnownBlock[]): boolean {
  return blocks.some(({ type }) => type === 'data_table');
}

/**
 * Replaces sortable tables with lines, for a workspace that does not support them yet.
 *
 * @returns also how many rows do not fit.
 */
export function withoutDataTables(blocks: readonly KnownBlock[]): { blocks: KnownBlock[]; left: number } {
  const tables = blocks.filter(({ type }) => type === 'data_table').length;
  const sizeMax = Math.min(limits.SECTION_TEXT_MAX, Math.floor((limits.MESSAGE_SIZE_MAX * 0.6) / Math.max(1, tables)));
  const replaced = blocks.map((block) => (block.type === 'data_table' ? linesOf(block, sizeMax) : { block, left: 0 }));
  return { blocks: replaced.map(({ block }) => block), left: replaced.reduce((sum, { left }) => sum + left, 0) };
}

/** `• Over the daily limit · Declines 9 · Amount $84.10`: each number comes with its column's name. */
function linesOf(
  { caption, rows: [heads = [], ...rows] }: DataTableBlock,
  sizeMax: number,
): { block: SectionBlock; left: number } {
  let left = 0;
  let text = `*${escapeMrkdwn(caption)}*`;
  for (const [index, row] of rows.entries()) {
    const cells = row.map((cell, column) => words(cell, heads[column]));
    const line = `\n• ${cells.filter(Boolean).join(' · ')}`;
    if (text.length + line.length > sizeMax - 40) {
      left = rows.length - index;
      text += `\n… and ${left} more.`;
      break;
    }
    text += line;
  }
  text = truncate(text, limits.SECTION_TEXT_MAX);
  return { block: { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } }, left };
}

function words(cell: Cell, head: Cell | undefined): string {
  if (cell.type === 'raw_number')
    return `${head === undefined ? '' : words(head, undefined)} ${escapeMrkdwn(cell.text)}`;
  if (cell.type === 'raw_text') return cell.text === '–' ? '' : escapeMrkdwn(cell.text);
  const parts = cell.elements.flatMap((section) => (section.type === 'rich_text_section' ? section.elements : []));
  return parts.map((part) => ('user_id' in part ? mention(part.user_id) : 'text' in part ? part.text : '')).join('');
}
