import { dispatch } from './dispatch.js';
import { h, safeUrl } from './dom.js';
import { choices, picker, typed } from './inputs.js';
import { plain } from './mrkdwn.js';
import { overflow, select } from './selects.js';

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

function iconButton(element, block, host) {
  const press = (event) => dispatch(host, block, element, event.currentTarget, 'press', element.value);
  return h(
    'button',
    {
      type: 'button',
      class: 'icon-button',
      'data-action-id': element.action_id,
      title: element.text?.text,
      'aria-label': element.text?.text,
      onclick: press,
    },
    '✕',
  );
}

function feedback(element, block, host) {
  const one = (part, sign) =>
    h(
      'button',
      {
        type: 'button',
        class: 'icon-button',
        'data-action-id': element.action_id,
        'aria-label': part.accessibility_label ?? part.text.text,
        title: part.text.text,
        onclick: (event) => dispatch(host, block, element, event.currentTarget, 'press', part.value),
      },
      sign,
    );
  return h('span', {}, one(element.positive_button, '👍'), one(element.negative_button, '👎'));
}

function image(element) {
  const source = element.image_url ?? element.slack_file?.url;
  return h('img', {
    class: 'image-element',
    src: safeUrl(source) ?? '',
    alt: element.alt_text,
    title: element.alt_text,
  });
}

const ELEMENTS = {
  button,
  workflow_button: button,
  icon_button: iconButton,
  feedback_buttons: feedback,
  overflow,
  image,
  static_select: select,
  external_select: select,
  users_select: select,
  channels_select: select,
  conversations_select: select,
  multi_static_select: select,
  multi_external_select: select,
  multi_users_select: select,
  multi_channels_select: select,
  multi_conversations_select: select,
  checkboxes: choices('checkbox'),
  radio_buttons: choices('radio'),
  plain_text_input: typed('text'),
  number_input: typed('text'),
  email_text_input: typed('email'),
  url_text_input: typed('url'),
  datepicker: picker('date', 'initial_date'),
  timepicker: picker('time', 'initial_time'),
  datetimepicker: picker('datetime-local', 'initial_date_time'),
};

/** One block element as a control. `host` says what becomes of it: see `message.js` and `modal.js`. */
export function element(data, block, host) {
  return ELEMENTS[data.type]?.(data, block, host) ?? h('span', { class: 'unknown' }, `[${data.type}]`);
}
