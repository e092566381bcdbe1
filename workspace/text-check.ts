import { checkFields, checkLength, checkList, checkString, checkWord, type Report } from './check-report.ts';
import { isRecord, type Json } from './json.ts';
import { LIMITS, type Limit } from './limits.ts';

/** The allowed text types: plain text only, mrkdwn only, or either. */
type TextKind = 'plain_text' | 'mrkdwn' | 'any';

/** A text object in a field. https://docs.slack.dev/reference/block-kit/composition-objects/text-object */
export function checkText(
  report: Report,
  owner: Json,
  field: string,
  pointer: string,
  rule: { limit: Limit; kind?: TextKind; required?: boolean },
) {
  const value = owner[field];
  if (value === undefined || value === null) {
    if (rule.required) report.add(pointer, `missing required field: ${field}`);
    return;
  }
  checkTextObject(report, value, `${pointer}/${field}`, rule.limit, rule.kind ?? 'any');
}

/** A text object on its own. */
export function checkTextObject(report: Report, value: unknown, place: string, limit: Limit, kind: TextKind = 'any') {
  if (!isRecord(value)) return report.add(place, 'must provide an object');
  const type = value.type;
  if (kind !== 'any' && type !== kind) return report.add(place, `must be of type ${kind}`);
  if (type !== 'plain_text' && type !== 'mrkdwn') return report.add(`${place}/type`, 'must be plain_text or mrkdwn');
  if (typeof value.text !== 'string') return report.add(place, 'missing required field: text');
  checkLength(report, value.text, `${place}/text`, limit);
  checkFields(report, value, place, ['type', 'text', type === 'plain_text' ? 'emoji' : 'verbatim']);
}

/** A confirmation dialog in the field `confirm`. https://docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object */
export function checkConfirm(report: Report, owner: Json, pointer: string) {
  if (owner.confirm === undefined) return;
  const place = `${pointer}/confirm`;
  const confirm = owner.confirm;
  if (!isRecord(confirm)) return report.add(place, 'must provide an object');
  checkFields(report, confirm, place, ['title', 'text', 'confirm', 'deny', 'style']);
  checkText(report, confirm, 'title', place, { limit: LIMITS.confirmTitle, kind: 'plain_text', required: true });
  checkText(report, confirm, 'text', place, { limit: LIMITS.confirmText, required: true });
  checkText(report, confirm, 'confirm', place, { limit: LIMITS.confirmButton, kind: 'plain_text', required: true });
  checkText(report, confirm, 'deny', place, { limit: LIMITS.confirmButton, kind: 'plain_text', required: true });
  checkWord(report, confirm, 'style', place, ['primary', 'danger']);
}

/** Limits for the options of one kind of element. */
interface OptionRule {
  limit: Limit;
  min?: number;
}

/** One option object. https://docs.slack.dev/reference/block-kit/composition-objects/option-object */
function checkOption(report: Report, option: Json, place: string) {
  const kind = 'plain_text';
  // Only the options of overflow menus, which no template uses, have a url.
  checkFields(report, option, place, ['text', 'value', 'description']);
  checkText(report, option, 'text', place, { limit: LIMITS.optionText, kind, required: true });
  checkString(report, option, 'value', place, LIMITS.optionValue, true);
  checkText(report, option, 'description', place, { limit: LIMITS.optionDescription, kind });
}

/** An element's options: their number, and that values are unique. */
export function checkOptions(report: Report, owner: Json, field: string, pointer: string, rule: OptionRule) {
  const values = new Set<unknown>();
  for (const { item, place } of checkList(report, owner, field, pointer, rule.limit, rule.min ?? 1)) {
    checkOption(report, item, place);
    if (values.has(item.value)) report.add(place, `option value already exists: ${String(item.value)}`);
    values.add(item.value);
  }
}

/** The initial option must exactly match one of the options. */
export function checkInitialOption(report: Report, owner: Json, pointer: string) {
  const initial = owner.initial_option;
  if (initial === undefined) return;
  const options = Array.isArray(owner.options) ? owner.options : [];
  const same = JSON.stringify(initial);
  if (!options.some((option) => JSON.stringify(option) === same)) {
    report.add(`${pointer}/initial_option`, 'must exactly match one of the provided options');
  }
}
