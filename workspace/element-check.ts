import {
  checkBoolean,
  checkFields,
  checkLength,
  checkString,
  checkUrl,
  checkWord,
  type Report,
} from './check-report.ts';
import { type Json, words } from './json.ts';
import { LIMITS } from './limits.ts';
import { checkConfirm, checkInitialOption, checkOptions, checkText } from './text-check.ts';

/** Where an element is allowed. */
type ElementPlace = 'section' | 'actions' | 'input';

interface ElementRule {
  places: readonly ElementPlace[];
  /** Besides type and action_id. */
  fields: readonly string[];
  check(report: Report, element: Json, pointer: string): void;
}

const EVERYWHERE = ['section', 'actions', 'input'] as const;

function plain(
  report: Report,
  element: Json,
  field: string,
  pointer: string,
  limit = LIMITS.placeholder,
  required = false,
) {
  checkText(report, element, field, pointer, { limit, kind: 'plain_text', required });
}

function placeholder(report: Report, element: Json, pointer: string) {
  plain(report, element, 'placeholder', pointer);
}

function button(report: Report, element: Json, pointer: string) {
  plain(report, element, 'text', pointer, LIMITS.buttonText, true);
  checkString(report, element, 'value', pointer, LIMITS.buttonValue);
  checkUrl(report, element, 'url', pointer, LIMITS.buttonUrl);
  checkString(report, element, 'accessibility_label', pointer, LIMITS.accessibilityLabel);
  checkWord(report, element, 'style', pointer, ['primary', 'danger']);
}

function staticSelect(report: Report, element: Json, pointer: string) {
  placeholder(report, element, pointer);
  checkOptions(report, element, 'options', pointer, { limit: LIMITS.selectOptions });
  checkInitialOption(report, element, pointer);
}

function externalSelect(report: Report, element: Json, pointer: string) {
  placeholder(report, element, pointer);
  const least = element.min_query_length;
  if (least !== undefined && (!Number.isInteger(least) || Number(least) < 0)) {
    report.add(`${pointer}/min_query_length`, 'must be a whole number, 0 or more');
  }
}

function conversationsSelect(report: Report, element: Json, pointer: string) {
  placeholder(report, element, pointer);
  checkBoolean(report, element, 'default_to_current_conversation', pointer);
}

function textInput(report: Report, element: Json, pointer: string) {
  placeholder(report, element, pointer);
  checkBoolean(report, element, 'multiline', pointer);
  for (const field of ['min_length', 'max_length']) {
    const value = element[field];
    if (value === undefined) continue;
    const least = field === 'min_length' ? 0 : 1;
    if (!Number.isInteger(value) || Number(value) < least || Number(value) > LIMITS.inputLength.max) {
      report.add(`${pointer}/${field}`, `must be a whole number from ${least} to ${LIMITS.inputLength.max}`);
    }
  }
  checkString(report, element, 'initial_value', pointer, LIMITS.inputLength);
}

function datePicker(report: Report, element: Json, pointer: string) {
  placeholder(report, element, pointer);
  const date = element.initial_date;
  if (date !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(words(date))) {
    report.add(`${pointer}/initial_date`, 'must be a date in the format YYYY-MM-DD');
  }
}

const OF_EVERY_MENU = ['placeholder', 'confirm', 'focus_on_load'];

/**
 * The elements that Cardbell's messages use, from https://docs.slack.dev/reference/block-kit/block-elements. All other
 * types are refused.
 */
const ELEMENTS: Record<string, ElementRule> = {
  button: {
    places: ['section', 'actions'],
    fields: ['text', 'value', 'url', 'style', 'confirm', 'accessibility_label'],
    check: button,
  },
  static_select: { places: EVERYWHERE, fields: [...OF_EVERY_MENU, 'options', 'initial_option'], check: staticSelect },
  external_select: {
    places: EVERYWHERE,
    fields: [...OF_EVERY_MENU, 'initial_option', 'min_query_length'],
    check: externalSelect,
  },
  users_select: { places: EVERYWHERE, fields: [...OF_EVERY_MENU, 'initial_user'], check: placeholder },
  conversations_select: {
    places: EVERYWHERE,
    fields: [...OF_EVERY_MENU, 'initial_conversation', 'default_to_current_conversation'],
    check: conversationsSelect,
  },
  datepicker: { places: EVERYWHERE, fields: [...OF_EVERY_MENU, 'initial_date'], check: datePicker },
  plain_text_input: {
    places: ['input'],
    fields: ['placeholder', 'focus_on_load', 'multiline', 'min_length', 'max_length', 'initial_value'],
    check: textInput,
  },
};

/** Checks a block element in its place. `actionIds` are those already used in the block. */
export function checkElement(
  report: Report,
  element: Json,
  pointer: string,
  place: ElementPlace,
  actionIds: Set<string>,
) {
  const rule = ELEMENTS[String(element.type)];
  if (!rule) return report.add(`${pointer}/type`, `unsupported type: ${String(element.type)}`);
  if (!rule.places.includes(place))
    return report.add(pointer, `element ${String(element.type)} is not allowed in ${place}`);
  checkFields(report, element, pointer, ['type', 'action_id', ...rule.fields]);
  rule.check(report, element, pointer);
  checkConfirm(report, element, pointer);
  const id = element.action_id;
  if (id === undefined) return;
  if (typeof id !== 'string') return report.add(`${pointer}/action_id`, 'must provide a string');
  checkLength(report, id, `${pointer}/action_id`, LIMITS.actionId);
  if (actionIds.has(id)) report.add(pointer, `action_id \`${id}\` already exists in this block`);
  actionIds.add(id);
}
