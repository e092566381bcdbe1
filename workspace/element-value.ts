import { isRecord, type Json, records } from './json.ts';

/** The options of an element, or of the app's answer for it. */
export function optionsOf(element: Json): Json[] {
  return records(element.options);
}

function pickOption(element: Json, wanted: unknown): Json {
  if (isRecord(wanted)) return wanted;
  const options = optionsOf(element);
  const found = options.find(({ value, text }) => value === wanted || (isRecord(text) && text.text === wanted));
  if (found) return found;
  if (element.type === 'external_select') {
    return { text: { type: 'plain_text', text: String(wanted), emoji: true }, value: String(wanted) };
  }
  throw new Error(
    `no option ${String(wanted)} in ${String(element.action_id)}: ${options.map((option) => option.value).join(', ')}`,
  );
}

/** Slack's field name for a picker's choice. */
const PICKED: Readonly<Record<string, string>> = {
  users_select: 'selected_user',
  conversations_select: 'selected_conversation',
};

/**
 * A person's input in the shape that Slack sends for the element's type.
 *
 * Accepts plain values: an option's value, a date, a text. An object for an input is used as it is.
 */
export function toElementValue(element: Json, given: unknown): Json {
  const type = String(element.type);
  if (isRecord(given) && given.type === type) return given;
  const isEmpty = given === null || given === '';
  const picked = PICKED[type];
  if (picked !== undefined) return { type, [picked]: isEmpty ? null : given };
  if (type.endsWith('_select')) return { type, selected_option: isEmpty ? null : pickOption(element, given) };
  return { type, [type === 'datepicker' ? 'selected_date' : 'value']: isEmpty ? null : given };
}

/** Whether nothing was entered. */
function isEmptyValue(value: Json | undefined): boolean {
  if (!value) return true;
  const held = Object.entries(value).filter(([field]) => field !== 'type');
  return held.every(
    ([, item]) => item === null || item === undefined || item === '' || (Array.isArray(item) && item.length === 0),
  );
}

/** What Slack itself rejects before it sends a form, in Slack's words. Undefined when the input is valid. */
export function inputFault(element: Json, value: Json | undefined, optional: boolean): string | undefined {
  if (isEmptyValue(value)) return optional ? undefined : 'Please complete this required field.';
  const entered = value?.value;
  if (typeof entered !== 'string') return undefined;
  const [shortest, longest] = [Number(element.min_length ?? 0), Number(element.max_length ?? 3000)];
  if (element.type === 'plain_text_input' && entered.length < shortest)
    return `Please enter at least ${shortest} characters.`;
  if (element.type === 'plain_text_input' && entered.length > longest)
    return `Please enter no more than ${longest} characters.`;
  return undefined;
}
