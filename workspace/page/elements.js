import { dispatch } from './dispatch.js';
import { h, safeUrl } from './dom.js';
import { datePicker, textInput } from './inputs.js';
import { plain } from './mrkdwn.js';
import { select } from './selects.js';

function button(element, block, host) {
  const style = element.style ? ` button-${element.style}` : '';
  const press = async (event) => {
    const control = event.currentTarget;
    const sent = await dispatch(host, block, element, control, 'press', element.value);
    const address = safeUrl(element.url);
    if (sent && address) window.open(address, '_blank', 'noopener');
  };
  return h(
    'button',
    {
      type: 'button',
      class: `button${style}`,
      'data-action-id': element.action_id,
      'data-block-id': block.block_id,
      'aria-label': element.accessibility_label,
      onclick: press,
    },
    h('span', { class: 'button-text' }, plain(element.text?.text ?? '', element.text?.emoji !== false)),
  );
}

const pickerOption = (value, text) => ({ value, text: { type: 'plain_text', text } });

/** A menu of all people. */
function peoplePicker(element, block, host) {
  const options = host.people.users().map(({ id, realName }) => pickerOption(id, realName));
  return select({ ...element, options }, block, host);
}

/** A menu of the channels; may start with the current one. */
function channelPicker(element, block, host) {
  const options = host.people.channels().map(({ id, name }) => pickerOption(id, `#${name}`));
  const current = element.default_to_current_conversation && options.find(({ value }) => value === host.place);
  if (current && host.held(block, element) === undefined) host.change(block, element, current.value);
  return select({ ...element, options, ...(current && { initial_option: current }) }, block, host);
}

const ELEMENTS = {
  button,
  static_select: select,
  external_select: select,
  users_select: peoplePicker,
  conversations_select: channelPicker,
  plain_text_input: textInput,
  datepicker: datePicker,
};

/** A block element as a control. `host` decides what happens with it: see `message.js` and `modal.js`. */
export function element(data, block, host) {
  return ELEMENTS[data.type]?.(data, block, host) ?? h('span', { class: 'unknown' }, `[${data.type}]`);
}
