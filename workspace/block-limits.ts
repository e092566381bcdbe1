import type { Surface, Totals } from './block-check.ts';
import { BLOCK_RULES } from './block-rules.ts';

export type { Surface } from './block-check.ts';

import { checkFields, checkLength, checkList, createReport, type Report } from './check-report.ts';
import { isRecord, type Json } from './json.ts';
import { LIMITS } from './limits.ts';

function checkBlock(report: Report, block: Json, pointer: string, totals: Totals, surface: Surface) {
  const type = String(block.type);
  const rule = BLOCK_RULES[type];
  if (!rule) return report.add(`${pointer}/type`, `unsupported type: ${type}`);
  if (!rule.surfaces.includes(surface)) return report.add(pointer, `block ${type} is not allowed in a ${surface}`);
  checkFields(report, block, pointer, ['type', 'block_id', ...rule.fields]);
  const id = block.block_id;
  if (id !== undefined) {
    if (typeof id === 'string') checkLength(report, id, `${pointer}/block_id`, LIMITS.blockId, 0);
    else report.add(`${pointer}/block_id`, 'must provide a string');
    if (typeof id === 'string' && totals.blockIds.has(id)) report.add(pointer, `block_id already exists: ${id}`);
    if (typeof id === 'string') totals.blockIds.add(id);
  }
  rule.check(report, block, pointer, totals);
}

/**
 * What Slack would refuse in a list of blocks, in Slack's words, each with a JSON pointer. Empty when there is nothing.
 *
 * `base` is the list's place in the request: `/blocks` for a message, `/view/blocks` for a view.
 */
export function checkBlocks(blocks: unknown, surface: Surface, base = '/blocks'): readonly string[] {
  const report = createReport();
  const totals: Totals = { tables: 0, charts: 0, blockIds: new Set() };
  const most = surface === 'message' ? LIMITS.messageBlocks : LIMITS.viewBlocks;
  const [owner, field] = [base.slice(0, base.lastIndexOf('/')), base.slice(base.lastIndexOf('/') + 1)];
  for (const { item, place } of checkList(report, { [field]: blocks }, field, owner, most, 0)) {
    checkBlock(report, item, place, totals, surface);
  }
  if (totals.tables > LIMITS.tableCharacters.max) {
    report.add(base, `tables must be less than ${LIMITS.tableCharacters.max + 1} characters together`);
  }
  if (totals.charts > LIMITS.chartsInMessage.max) {
    report.add(base, `no more than ${LIMITS.chartsInMessage.max} data_visualization blocks allowed`);
  }
  return report.problems;
}

/** Total characters of all texts in a list of blocks, as counted for `msg_blocks_too_long`. */
export function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + charactersIn(item), 0);
  return isRecord(value) ? charactersIn(Object.values(value)) : 0;
}
