import { checkBoolean, checkLength, checkString, checkUrl, checkWord, type Report } from './check-report.ts';
import { isRecord, type Json, words } from './json.ts';
import { LIMITS } from './limits.ts';
import { checkConfirm, checkInitialOption, checkOptionGroups, checkOptions, checkText } from './text-check.ts';

/** Where an element may stand. */
export type ElementPlace = 'section' | 'actions' | 'input' | 'context' | 'context_actions' | 'card';

interface ElementRule {
  places: readonly ElementPlace[];
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

function button(report: Report, element: Json, pointer: string) {
  plain(report, element, 'text', pointer, LIMITS.buttonText, true);
  checkString(report, element, 'value', pointer, LIMITS.buttonValue);
  checkUrl(report, element, 'url', pointer, LIMITS.buttonUrl);
  checkString(report, element, 'accessibility_label', pointer, LIMITS.accessibilityLabel);
  checkWord(report, element, 'style', pointer, ['primary', 'danger']);
}

function staticSelect(report: Report, element: Json, pointer: string) {
  plain(report, element, 'placeholder', pointer);
  if (element.option_groups === undefined)
    checkOptions(report, element, 'options', pointer, { limit: LIMITS.selectOptions });
  else if (element.options === undefined) checkOptionGroups(report, element, pointer);
  else report.add(pointer, 'only one of options and option_groups is allowed');
  checkInitialOption(report, element, pointer);
}

function externalSelect(report: Report, element: Json, pointer: string) {
  plain(report, element, 'placeholder', pointer);
  const least = element.min_query_length;
  if (least !== undefined && (!Number.isInteger(least) || Number(least) < 0)) {
    report.add(`${pointer}/min_query_length`, 'must be a whole number, 0 or more');
  }
}

function choices(limit: typeof LIMITS.radioOptions): ElementRule['check'] {
  return (report, element, pointer) => {
    checkOptions(report, element, 'options', pointer, { limit, kind: 'any' });
    checkInitialOption(report, element, pointer);
  };
}

function placeholder(report: Report, element: Json, pointer: string) {
  plain(report, element, 'placeholder', pointer);
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

function numberInput(report: Report, element: Json, pointer: string) {
  placeholder(report, element, pointer);
  if (typeof element.is_decimal_allowed !== 'boolean')
    report.add(pointer, 'missing required field: is_decimal_allowed');
  for (const field of ['initial_value', 'min_value', 'max_value']) {
    const value = element[field];
    if (value === undefined) continue;
    if (typeof value !== 'string' || value === '' || Number.isNaN(Number(value))) {
      report.add(`${pointer}/${field}`, 'must be a number written as a string');
    }
  }
}

function datePicker(report: Report, element: Json, pointer: string) {
  placeholder(report, element, pointer);
  const date = element.initial_date;
  if (date !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(words(date))) {
    report.add(`${pointer}/initial_date`, 'must be a date in the format YYYY-MM-DD');
  }
}

function timePicker(report: Report, element: Json, pointer: string) {
  placeholder(report, element, pointer);
  const time = element.initial_time;
  if (time !== undefined && !/^([01]\d|2[0-3]):[0-5]\d$/.test(words(time))) {
    report.add(`${pointer}/initial_time`, 'must be a time in the format HH:mm');
  }
}

function feedback(report: Report, element: Json, pointer: string) {
  for (const field of ['positive_button', 'negative_button']) {
    const part = element[field];
    if (!isRecord(part)) report.add(pointer, `missing required field: ${field}`);
    else {
      plain(report, part, 'text', `${pointer}/${field}`, LIMITS.buttonText, true);
      checkString(report, part, 'value', `${pointer}/${field}`, LIMITS.buttonValue, true);
    }
  }
}

function iconButton(report: Report, element: Json, pointer: string) {
  checkWord(report, element, 'icon', pointer, ['trash'], true);
  plain(report, element, 'text', pointer, LIMITS.buttonText, true);
  checkString(report, element, 'value', pointer, LIMITS.buttonValue);
}

/** An image element or the image part of a block. */
export function checkImage(report: Report, element: Json, pointer: string) {
  checkString(report, element, 'alt_text', pointer, LIMITS.imageAlt, true);
  if ((element.image_url === undefined) === (element.slack_file === undefined)) {
    report.add(pointer, 'must have exactly one of image_url and slack_file');
  }
  checkUrl(report, element, 'image_url', pointer, LIMITS.url);
}

function fileInput(report: Report, element: Json, pointer: string) {
  const files = element.max_files;
  if (files !== undefined && (!Number.isInteger(files) || Number(files) < 1 || Number(files) > LIMITS.inputFiles.max)) {
    report.add(`${pointer}/max_files`, `must be from 1 to ${LIMITS.inputFiles.max}`);
  }
}

const ELEMENTS: Record<string, ElementRule> = {
  button: { places: ['section', 'actions', 'card'], check: button },
  workflow_button: { places: ['section', 'actions'], check: button },
  overflow: {
    places: ['section', 'actions'],
    check: (report, element, pointer) =>
      checkOptions(report, element, 'options', pointer, { limit: LIMITS.overflowOptions, urls: true }),
  },
  static_select: { places: EVERYWHERE, check: staticSelect },
  multi_static_select: { places: EVERYWHERE, check: staticSelect },
  external_select: { places: EVERYWHERE, check: externalSelect },
  multi_external_select: { places: EVERYWHERE, check: externalSelect },
  users_select: { places: EVERYWHERE, check: placeholder },
  multi_users_select: { places: EVERYWHERE, check: placeholder },
  conversations_select: { places: EVERYWHERE, check: placeholder },
  multi_conversations_select: { places: EVERYWHERE, check: placeholder },
  channels_select: { places: EVERYWHERE, check: placeholder },
  multi_channels_select: { places: EVERYWHERE, check: placeholder },
  checkboxes: { places: EVERYWHERE, check: choices(LIMITS.checkboxOptions) },
  radio_buttons: { places: EVERYWHERE, check: choices(LIMITS.radioOptions) },
  datepicker: { places: EVERYWHERE, check: datePicker },
  timepicker: { places: EVERYWHERE, check: timePicker },
  datetimepicker: { places: ['actions', 'input'], check: () => undefined },
  plain_text_input: { places: ['input'], check: textInput },
  email_text_input: { places: ['input'], check: placeholder },
  url_text_input: { places: ['input'], check: placeholder },
  number_input: { places: ['input'], check: numberInput },
  file_input: { places: ['input'], check: fileInput },
  rich_text_input: { places: ['actions', 'input'], check: placeholder },
  image: { places: ['section', 'context', 'card'], check: checkImage },
  feedback_buttons: { places: ['context_actions'], check: feedback },
  icon_button: { places: ['context_actions'], check: iconButton },
};

/** One block element in its place. `actionIds` are those already used in the block. */
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
  rule.check(report, element, pointer);
  checkConfirm(report, element, pointer);
  const id = element.action_id;
  if (id === undefined) return;
  if (typeof id !== 'string') return report.add(`${pointer}/action_id`, 'must provide a string');
  checkLength(report, id, `${pointer}/action_id`, LIMITS.actionId);
  if (actionIds.has(id)) report.add(pointer, `action_id \`${id}\` already exists in this block`);
  actionIds.add(id);
}
