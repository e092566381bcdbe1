import { checkBlocks } from './block-limits.ts';
import { checkBoolean, checkFields, checkString, checkWord, createReport } from './check-report.ts';
import { type Json, records } from './json.ts';
import { LIMITS } from './limits.ts';
import { checkText } from './text-check.ts';

const FIELDS = [
  'type',
  'title',
  'blocks',
  'close',
  'submit',
  'private_metadata',
  'callback_id',
  'clear_on_close',
  'notify_on_close',
  'external_id',
];

/** What Slack would refuse in a view, in Slack's words, each with a JSON pointer. Empty when there is nothing. */
export function checkView(view: Json): readonly string[] {
  const report = createReport();
  const at = '/view';
  checkWord(report, view, 'type', at, ['modal', 'home'], true);
  const modal = view.type === 'modal';
  checkFields(report, view, at, modal ? FIELDS : ['type', 'blocks', 'private_metadata', 'callback_id', 'external_id']);
  if (modal) {
    checkText(report, view, 'title', at, { limit: LIMITS.viewTitle, kind: 'plain_text', required: true });
    checkText(report, view, 'submit', at, { limit: LIMITS.viewSubmit, kind: 'plain_text' });
    checkText(report, view, 'close', at, { limit: LIMITS.viewClose, kind: 'plain_text' });
    const inputs = records(view.blocks).some((block) => block.type === 'input');
    if (inputs && !view.submit)
      report.add(`${at}/submit`, 'submit is required when an input block is within the blocks');
  }
  checkBoolean(report, view, 'clear_on_close', at);
  checkBoolean(report, view, 'notify_on_close', at);
  checkString(report, view, 'private_metadata', at, LIMITS.privateMetadata);
  checkString(report, view, 'callback_id', at, LIMITS.callbackId);
  checkString(report, view, 'external_id', at, LIMITS.callbackId);
  if (!Array.isArray(view.blocks)) report.add(at, 'missing required field: blocks');
  return [...report.problems, ...checkBlocks(view.blocks, modal ? 'modal' : 'home', `${at}/blocks`)];
}
