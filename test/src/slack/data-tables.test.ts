import type { KnownBlock } from '@slack/types';
import { expect, it } from 'vitest';
import { hasDataTable, withoutDataTables } from '../../../src/slack/data-tables.ts';
import { dataTable } from '../../../templates/core/data-table.ts';
import { checkBlocks } from '../../../workspace/block-limits.ts';

const divider: KnownBlock = { type: 'divider' };

it('uses lines with the same content in a workspace without data tables', () => {
  const { blocks } = dataTable(
    'Names & others',
    [
      { head: 'Name', of: (name: string) => name },
      { head: 'Letters', of: (name) => ({ value: name.length, text: String(name.length) }) },
      { head: 'By', of: () => ({ users: ['U0ANA', 'U0BEN'] }) },
    ],
    ['*Sam*', ''],
  );

  const { blocks: plain } = withoutDataTables([divider, ...blocks]);

  expect(hasDataTable(blocks)).toBe(true);
  expect(hasDataTable(plain)).toBe(false);
  expect(plain).toEqual([
    divider,
    {
      type: 'section',
      text: {
        type: 'mrkdwn',
        text: '*Names &amp; others*\n• ∗Sam∗ · Letters 5 · <@U0ANA>, <@U0BEN>\n• Letters 0 · <@U0ANA>, <@U0BEN>',
        verbatim: true,
      },
    },
  ]);
  expect(checkBlocks(plain, 'message')).toEqual([]);
});

it('a long table says how many lines are left out', () => {
  const rows = Array.from({ length: 100 }, (_, index) => `${index} ${'x'.repeat(70)}`);
  const { blocks } = dataTable('Long', [{ head: 'Name', of: (name: string) => name }], rows, 100_000);

  const {
    blocks: [section],
    left,
  } = withoutDataTables(blocks);

  expect(checkBlocks([section], 'message')).toEqual([]);
  expect(left).toBeGreaterThan(0);
  expect(JSON.stringify(section)).toContain(`\\n… and ${left} more."`);
});
