import { checkBoolean, checkList, checkString, checkUrl, checkWord, type Report } from './check-report.ts';
import { checkElement, checkImage } from './element-check.ts';
import { isRecord, type Json, words } from './json.ts';
import { LIMITS } from './limits.ts';
import { checkChart, checkDataTable, checkTable } from './table-check.ts';
import { checkText, checkTextObject } from './text-check.ts';

/** Where blocks are shown. */
export type Surface = 'message' | 'modal' | 'home';

/** Totals that count over all blocks of a message or view. */
export interface Totals {
  markdown: number;
  tables: number;
  charts: number;
  blockIds: Set<string>;
}

/** What the check of one block knows of the rest. */
export interface BlockContext {
  totals: Totals;
  /** Checks a block inside this one. */
  nested: (block: Json, pointer: string) => void;
}

/** Where a block may stand, what it may hold, and how it is checked. */
export interface BlockRule {
  surfaces: readonly Surface[];
  fields: readonly string[];
  /** Whether it may stand in a container. */
  nests?: boolean;
  check(report: Report, block: Json, pointer: string, context: BlockContext): void;
}

const ALL = ['message', 'modal', 'home'] as const;

function section(report: Report, block: Json, pointer: string) {
  if (block.text === undefined && block.fields === undefined)
    report.add(pointer, 'missing required field: text or fields');
  checkText(report, block, 'text', pointer, { limit: LIMITS.sectionText });
  if (block.fields !== undefined) {
    for (const { item, place } of checkList(report, block, 'fields', pointer, LIMITS.sectionFields)) {
      checkTextObject(report, item, place, LIMITS.sectionField);
    }
  }
  if (block.accessory === undefined) return;
  if (isRecord(block.accessory)) checkElement(report, block.accessory, `${pointer}/accessory`, 'section', new Set());
  else report.add(`${pointer}/accessory`, 'must provide an object');
}

function actions(report: Report, block: Json, pointer: string) {
  const ids = new Set<string>();
  for (const { item, place } of checkList(report, block, 'elements', pointer, LIMITS.actionsElements)) {
    checkElement(report, item, place, 'actions', ids);
  }
}

function contextActions(report: Report, block: Json, pointer: string) {
  const ids = new Set<string>();
  for (const { item, place } of checkList(report, block, 'elements', pointer, LIMITS.contextActionsElements)) {
    checkElement(report, item, place, 'context_actions', ids);
  }
}

function context(report: Report, block: Json, pointer: string) {
  for (const { item, place } of checkList(report, block, 'elements', pointer, LIMITS.contextElements)) {
    if (item.type === 'image') checkElement(report, item, place, 'context', new Set());
    else if (item.type === 'plain_text' || item.type === 'mrkdwn') checkTextObject(report, item, place, LIMITS.text);
    else report.add(`${place}/type`, `unsupported type: ${String(item.type)}`);
  }
}

function input(report: Report, block: Json, pointer: string) {
  checkText(report, block, 'label', pointer, { limit: LIMITS.inputLabel, kind: 'plain_text', required: true });
  checkText(report, block, 'hint', pointer, { limit: LIMITS.inputHint, kind: 'plain_text' });
  checkBoolean(report, block, 'optional', pointer);
  checkBoolean(report, block, 'dispatch_action', pointer);
  if (isRecord(block.element)) checkElement(report, block.element, `${pointer}/element`, 'input', new Set());
  else report.add(pointer, 'missing required field: element');
}

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

function richText(report: Report, block: Json, pointer: string) {
  const kinds = ['rich_text_section', 'rich_text_list', 'rich_text_quote', 'rich_text_preformatted'];
  for (const { item, place } of checkList(report, block, 'elements', pointer, LIMITS.messageBlocks)) {
    checkWord(report, item, 'type', place, kinds, true);
    checkList(report, item, 'elements', place, LIMITS.text);
  }
}

function markdown(report: Report, block: Json, pointer: string, { totals }: BlockContext) {
  checkString(report, block, 'text', pointer, LIMITS.markdownTotal, true);
  totals.markdown += words(block.text).length;
}

function video(report: Report, block: Json, pointer: string) {
  checkText(report, block, 'title', pointer, { limit: LIMITS.videoTitle, kind: 'plain_text', required: true });
  checkString(report, block, 'alt_text', pointer, LIMITS.imageAlt, true);
  checkUrl(report, block, 'video_url', pointer, LIMITS.url, true);
  checkUrl(report, block, 'thumbnail_url', pointer, LIMITS.url, true);
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
