import { isRecord, type Json, records, words } from './json.ts';

/** The options of an element, those in groups included. */
export function optionsOf(element: Json): Json[] {
  return [...records(element.options), ...records(element.option_groups).flatMap((group) => records(group.options))];
}

function pickOption(element: Json, wanted: unknown): Json {
  if (isRecord(wanted)) return wanted;
  const options = optionsOf(element);
  const found = options.find((option) => option.value === wanted);
  if (found) return found;
  if (String(element.type).includes('external')) {
    return { text: { type: 'plain_text', text: String(wanted), emoji: true }, value: String(wanted) };
  }
  throw new Error(
    `no option ${String(wanted)} in ${String(element.action_id)}: ${options.map((option) => option.value).join(', ')}`,
  );
}

function pickOptions(element: Json, wanted: unknown): Json[] {
  return (Array.isArray(wanted) ? wanted : [wanted]).map((one) => pickOption(element, one));
}

const FIELDS: Record<string, string> = {
  users_select: 'selected_user',
  multi_users_select: 'selected_users',
  channels_select: 'selected_channel',
  multi_channels_select: 'selected_channels',
  conversations_select: 'selected_conversation',
  multi_conversations_select: 'selected_conversations',
  datepicker: 'selected_date',
  timepicker: 'selected_time',
  datetimepicker: 'selected_date_time',
};

/**
 * What a person entered, in the shape Slack sends it for the element's type.
 *
 * Plain values suffice: an option's value, a date, a user id, a text. An object for an input is taken as it is.
 */
export function toElementValue(element: Json, given: unknown): Json {
  const type = String(element.type);
  if (isRecord(given) && given.type === type) return given;
  switch (type) {
    case 'static_select':
    case 'external_select':
    case 'radio_buttons':
    case 'overflow':
      return { type, selected_option: given === null || given === '' ? null : pickOption(element, given) };
    case 'multi_static_select':
    case 'multi_external_select':
    case 'checkboxes':
      return { type, selected_options: given === null || given === '' ? [] : pickOptions(element, given) };
    default: {
      const field = FIELDS[type];
      if (field === undefined) return { type, value: given === '' ? null : given };
      return { type, [field]: given === '' ? null : given };
    }
  }
}

/** Whether nothing was entered. */
export function isEmptyValue(value: Json | undefined): boolean {
  if (!value) return true;
  const held = Object.entries(value).filter(([field]) => field !== 'type');
  return held.every(
    ([, item]) => item === null || item === undefined || item === '' || (Array.isArray(item) && item.length === 0),
  );
}

/** What Slack itself refuses before it sends a form, in its words; undefined when all is well. */
export function inputFault(element: Json, value: Json | undefined, optional: boolean): string | undefined {
  if (isEmptyValue(value)) return optional ? undefined : 'Please complete this required field.';
  const entered = value?.value;
  if (typeof entered !== 'string') return undefined;
  const [shortest, longest] = [Number(element.min_length ?? 0), Number(element.max_length ?? 3000)];
  if (element.type === 'plain_text_input' && entered.length < shortest)
    return `Please enter at least ${shortest} characters.`;
  if (element.type === 'plain_text_input' && entered.length > longest)
    return `Please enter no more than ${longest} characters.`;
  return element.type === 'number_input' ? numberFault(element, entered) : undefined;
}

function numberFault(element: Json, entered: string): string | undefined {
  const number = Number(entered);
  if (entered.trim() === '' || !Number.isFinite(number)) return 'Please enter a number.';
  if (element.is_decimal_allowed !== true && !Number.isInteger(number)) return 'Please enter a whole number.';
  if (element.min_value !== undefined && number < Number(element.min_value))
    return `Please enter ${words(element.min_value)} or more.`;
  if (element.max_value !== undefined && number > Number(element.max_value))
    return `Please enter ${words(element.max_value)} or less.`;
  return undefined;
}
