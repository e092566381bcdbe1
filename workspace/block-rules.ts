import {
  actions,
  type BlockContext,
  type BlockRule,
  context,
  contextActions,
  input,
  markdown,
  richText,
  section,
  video,
} from './block-check.ts';
import { checkList, checkWord, type Report } from './check-report.ts';
import { checkElement, checkImage } from './element-check.ts';
import { isRecord, type Json } from './json.ts';
import { LIMITS } from './limits.ts';
import { checkChart, checkDataTable, checkTable } from './table-check.ts';
import { checkText } from './text-check.ts';

const ALL = ['message', 'modal', 'home'] as const;

function card(report: Report, block: Json, pointer: string) {
  const parts = ['hero_image', 'title', 'actions', 'body'];
  if (parts.every((part) => block[part] === undefined)) report.add(pointer, `must have one of: ${parts.join(', ')}`);
  checkText(report, block, 'title', pointer, { limit: LIMITS.cardTitle });
  checkText(report, block, 'subtitle', pointer, { limit: LIMITS.cardTitle });
  checkText(report, block, 'body', pointer, { limit: LIMITS.cardBody });
  for (const field of ['hero_image', 'icon']) {
    const image = block[field];
    if (isRecord(image)) checkImage(report, image, `${pointer}/${field}`);
  }
  const ids = new Set<string>();
  if (block.actions === undefined) return;
  for (const { item, place } of checkList(report, block, 'actions', pointer, LIMITS.cardActions)) {
    checkElement(report, item, place, 'card', ids);
  }
}

function carousel(report: Report, block: Json, pointer: string, { nested }: BlockContext) {
  for (const { item, place } of checkList(report, block, 'elements', pointer, LIMITS.carouselCards)) {
    if (item.type === 'card') nested(item, place);
    else report.add(`${place}/type`, `unsupported type: ${String(item.type)}`);
  }
}

function container(report: Report, block: Json, pointer: string, { nested }: BlockContext) {
  if (block.title === undefined && block.rich_text_title === undefined)
    report.add(pointer, 'missing required field: title');
  checkText(report, block, 'title', pointer, { limit: LIMITS.containerTitle, kind: 'plain_text' });
  checkText(report, block, 'subtitle', pointer, { limit: LIMITS.containerTitle });
  checkWord(report, block, 'width', pointer, ['narrow', 'standard', 'wide', 'full']);
  for (const { item, place } of checkList(report, block, 'child_blocks', pointer, LIMITS.containerBlocks)) {
    if (BLOCK_RULES[String(item.type)]?.nests) nested(item, place);
    else report.add(`${place}/type`, `unsupported type in a container: ${String(item.type)}`);
  }
}

/** Every block that Slack knows. https://docs.slack.dev/reference/block-kit/blocks */
export const BLOCK_RULES: Record<string, BlockRule> = {
  section: { surfaces: ALL, fields: ['text', 'fields', 'accessory', 'expand'], nests: true, check: section },
  actions: { surfaces: ALL, fields: ['elements'], nests: true, check: actions },
  context: { surfaces: ALL, fields: ['elements'], nests: true, check: context },
  divider: { surfaces: ALL, fields: [], nests: true, check: () => undefined },
  header: {
    surfaces: ALL,
    fields: ['text', 'level'],
    nests: true,
    check: (report, block, pointer) =>
      checkText(report, block, 'text', pointer, { limit: LIMITS.header, kind: 'plain_text', required: true }),
  },
  image: {
    surfaces: ALL,
    fields: ['alt_text', 'title', 'image_url', 'slack_file'],
    nests: true,
    check: (report, block, pointer) => {
      checkImage(report, block, pointer);
      checkText(report, block, 'title', pointer, { limit: LIMITS.imageTitle, kind: 'plain_text' });
    },
  },
  input: {
    surfaces: ALL,
    fields: ['label', 'hint', 'optional', 'dispatch_action', 'element'],
    nests: true,
    check: input,
  },
  rich_text: { surfaces: ALL, fields: ['elements'], nests: true, check: richText },
  video: {
    surfaces: ALL,
    fields: [
      'video_url',
      'thumbnail_url',
      'alt_text',
      'title',
      'title_url',
      'author_name',
      'provider_name',
      'provider_icon_url',
      'description',
    ],
    nests: true,
    check: video,
  },
  table: {
    surfaces: ['message'],
    fields: ['rows', 'column_settings'],
    nests: true,
    check: (report, block, pointer, { totals }) => {
      totals.tables += checkTable(report, block, pointer);
    },
  },
  data_table: {
    surfaces: ['message'],
    fields: ['rows', 'caption', 'page_size', 'row_header_column_index'],
    check: (report, block, pointer, { totals }) => {
      totals.tables += checkDataTable(report, block, pointer);
    },
  },
  data_visualization: {
    surfaces: ['message'],
    fields: ['title', 'chart'],
    check: (report, block, pointer, { totals }) => {
      totals.charts += 1;
      checkChart(report, block, pointer);
    },
  },
  markdown: { surfaces: ['message'], fields: ['text'], check: markdown },
  card: {
    surfaces: ALL,
    fields: ['hero_image', 'icon', 'slack_icon', 'title', 'subtitle', 'body', 'actions', 'subtext'],
    check: card,
  },
  carousel: { surfaces: ['message', 'home'], fields: ['elements'], check: carousel },
  container: {
    surfaces: ['message'],
    fields: [
      'title',
      'rich_text_title',
      'subtitle',
      'child_blocks',
      'width',
      'icon',
      'is_collapsible',
      'default_collapsed',
      'has_header_divider',
    ],
    check: container,
  },
  context_actions: { surfaces: ['message'], fields: ['elements'], check: contextActions },
  alert: {
    surfaces: ['modal'],
    fields: ['text', 'level'],
    check: (report, block, pointer) => {
      checkText(report, block, 'text', pointer, { limit: LIMITS.alert, required: true });
      checkWord(report, block, 'level', pointer, ['default', 'info', 'warning', 'error', 'success']);
    },
  },
};
