import { expect, it } from 'vitest';
import { type Column, dataTable } from '../../../templates/core/data-table.ts';
import { checkBlocks } from '../../../workspace/block-limits.ts';

const columns: readonly Column<string>[] = [
  { head: 'Name', of: (name) => name },
  { head: 'Letters', of: (name) => ({ value: name.length, text: String(name.length) }) },
  { head: 'By', of: () => ({ users: ['U0ANA', 'U0BEN'] }) },
];

it('a table has texts, numbers and people, and a row header', () => {
  const { blocks, left } = dataTable('Names', columns, ['Sam', '']);

  expect(checkBlocks(blocks, 'message')).toEqual([]);
  expect(left).toBe(0);
  expect(blocks).toMatchObject([{ caption: 'Names', row_header_column_index: 0, page_size: 10 }]);
  expect(blocks[0]?.rows.map((row) => row.slice(0, 2))).toEqual([
    [
      { type: 'raw_text', text: 'Name' },
      { type: 'raw_text', text: 'Letters' },
    ],
    [
      { type: 'raw_text', text: 'Sam' },
      { type: 'raw_number', value: 3, text: '3' },
    ],
    [
      { type: 'raw_text', text: '–' },
      { type: 'raw_number', value: 0, text: '0' },
    ],
  ]);
});

it('an empty table is left out, and one that is too large says how many rows are left', () => {
  expect(dataTable('Names', columns, [])).toEqual({ blocks: [], left: 0 });
  const { blocks, left } = dataTable('Names', columns, Array(300).fill('x'), 100_000);

  expect(blocks[0]?.rows).toHaveLength(101);
  expect(left).toBe(200);
  expect(checkBlocks(blocks, 'message')).toEqual([]);
});

it('supports another row header, shorter texts, and words before people', () => {
  const { blocks } = dataTable(
    'Done',
    [
      {
        head: 'Done',
        max: 9,
        of: (by: string) => (by === '' ? 'nothing at all' : { words: 'blocked by ', users: [by] }),
      },
      { head: 'Name', isRowHeader: true, of: () => 'Sam' },
    ],
    ['U0ANA', ''],
  );

  expect(checkBlocks(blocks, 'message')).toEqual([]);
  expect(blocks[0]?.row_header_column_index).toBe(1);
  expect(JSON.stringify(blocks[0]?.rows[1]?.[0])).toContain(
    '[{"type":"text","text":"blocked by "},{"type":"user","user_id":"U0ANA"}]',
  );
  expect(blocks[0]?.rows[2]?.[0]).toMatchObject({ text: 'nothing…' });
});
