import { actions, type BlockRule, context, input, section } from './block-check.ts';
import { LIMITS } from './limits.ts';
import { checkChart, checkDataTable } from './table-check.ts';
import { checkText } from './text-check.ts';

const ALL = ['message', 'modal', 'home'] as const;

/**
 * The blocks that Cardbell's messages use, from https://docs.slack.dev/reference/block-kit/blocks. All others are
 * refused.
 */
export const BLOCK_RULES: Record<string, BlockRule> = {
  section: { surfaces: ALL, fields: ['text', 'fields', 'accessory', 'expand'], check: section },
  actions: { surfaces: ALL, fields: ['elements'], check: actions },
  context: { surfaces: ALL, fields: ['elements'], check: context },
  divider: { surfaces: ALL, fields: [], check: () => undefined },
  header: {
    surfaces: ALL,
    fields: ['text', 'level'],
    check: (report, block, pointer) =>
      checkText(report, block, 'text', pointer, { limit: LIMITS.header, kind: 'plain_text', required: true }),
  },
  input: { surfaces: ALL, fields: ['label', 'hint', 'optional', 'dispatch_action', 'element'], check: input },
  data_table: {
    surfaces: ['message'],
    fields: ['rows', 'caption', 'page_size', 'row_header_column_index'],
    check: (report, block, pointer, totals) => {
      totals.tables += checkDataTable(report, block, pointer);
    },
  },
  data_visualization: {
    surfaces: ['message'],
    fields: ['title', 'chart'],
    check: (report, block, pointer, totals) => {
      totals.charts += 1;
      checkChart(report, block, pointer);
    },
  },
};
