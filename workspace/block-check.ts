import { checkBoolean, checkList, type Report } from './check-report.ts';
import { checkElement } from './element-check.ts';
import { isRecord, type Json } from './json.ts';
import { LIMITS } from './limits.ts';
import { checkText, checkTextObject } from './text-check.ts';

/** Where blocks are shown. */
export type Surface = 'message' | 'modal' | 'home';

/** Totals over all blocks of a message or view. */
export interface Totals {
  tables: number;
  charts: number;
  blockIds: Set<string>;
}

/** Where a block is allowed, its fields, and its check. */
export interface BlockRule {
  surfaces: readonly Surface[];
  fields: readonly string[];
  check(report: Report, block: Json, pointer: string, totals: Totals): void;
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

/** The context block. */
export function context(report: Report, block: Json, pointer: string) {
  for (const { item, place } of checkList(report, block, 'elements', pointer, LIMITS.contextElements)) {
    if (item.type === 'plain_text' || item.type === 'mrkdwn') checkTextObject(report, item, place, LIMITS.text);
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
