import { checkBoolean, checkList, checkString, checkUrl, checkWord, type Report } from './check-report.ts';
import { checkElement } from './element-check.ts';
import { isRecord, type Json, words } from './json.ts';
import { LIMITS } from './limits.ts';
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

/** The section block. */
export function section(report: Report, block: Json, pointer: string) {
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

/** The actions block. */
export function actions(report: Report, block: Json, pointer: string) {
  const ids = new Set<string>();
  for (const { item, place } of checkList(report, block, 'elements', pointer, LIMITS.actionsElements)) {
    checkElement(report, item, place, 'actions', ids);
  }
}

/** The contextActions block. */
export function contextActions(report: Report, block: Json, pointer: string) {
  const ids = new Set<string>();
  for (const { item, place } of checkList(report, block, 'elements', pointer, LIMITS.contextActionsElements)) {
    checkElement(report, item, place, 'context_actions', ids);
  }
}

/** The context block. */
export function context(report: Report, block: Json, pointer: string) {
  for (const { item, place } of checkList(report, block, 'elements', pointer, LIMITS.contextElements)) {
    if (item.type === 'image') checkElement(report, item, place, 'context', new Set());
    else if (item.type === 'plain_text' || item.type === 'mrkdwn') checkTextObject(report, item, place, LIMITS.text);
    else report.add(`${place}/type`, `unsupported type: ${String(item.type)}`);
  }
}

/** The input block. */
export function input(report: Report, block: Json, pointer: string) {
  checkText(report, block, 'label', pointer, { limit: LIMITS.inputLabel, kind: 'plain_text', required: true });
  checkText(report, block, 'hint', pointer, { limit: LIMITS.inputHint, kind: 'plain_text' });
  checkBoolean(report, block, 'optional', pointer);
  checkBoolean(report, block, 'dispatch_action', pointer);
  if (isRecord(block.element)) checkElement(report, block.element, `${pointer}/element`, 'input', new Set());
  else report.add(pointer, 'missing required field: element');
}

/** The richText block. */
export function richText(report: Report, block: Json, pointer: string) {
  const kinds = ['rich_text_section', 'rich_text_list', 'rich_text_quote', 'rich_text_preformatted'];
  for (const { item, place } of checkList(report, block, 'elements', pointer, LIMITS.messageBlocks)) {
    checkWord(report, item, 'type', place, kinds, true);
    checkList(report, item, 'elements', place, LIMITS.text);
  }
}

/** The markdown block. */
export function markdown(report: Report, block: Json, pointer: string, { totals }: BlockContext) {
  checkString(report, block, 'text', pointer, LIMITS.markdownTotal, true);
  totals.markdown += words(block.text).length;
}

/** The video block. */
export function video(report: Report, block: Json, pointer: string) {
  checkText(report, block, 'title', pointer, { limit: LIMITS.videoTitle, kind: 'plain_text', required: true });
  checkString(report, block, 'alt_text', pointer, LIMITS.imageAlt, true);
  checkUrl(report, block, 'video_url', pointer, LIMITS.url, true);
  checkUrl(report, block, 'thumbnail_url', pointer, LIMITS.url, true);
}
