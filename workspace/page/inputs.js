import { dispatch, entered } from './dispatch.js';
import { h } from './dom.js';

/** A text field. */
export function textInput(element, block, host) {
  const held = host.held(block, element);
  const control = h(element.multiline ? 'textarea' : 'input', {
    class: 'text-input',
    type: element.multiline ? undefined : 'text',
    rows: element.multiline ? 4 : undefined,
    placeholder: element.placeholder?.text,
    maxlength: element.max_length,
    'data-action-id': element.action_id,
    'data-block-id': block.block_id,
    value: held?.text ?? element.initial_value ?? '',
  });
  control.addEventListener('input', () => {
    host.remember(block, element, { text: control.value });
    host.change(block, element, control.value);
  });
  control.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || element.multiline || !block.dispatch_action) return;
    event.preventDefault();
    void dispatch(host, block, element, control, 'select', control.value);
  });
  return control;
}

/** A date field. */
export function datePicker(element, block, host) {
  const held = host.held(block, element);
  const control = h('input', {
    class: 'text-input date-input',
    type: 'date',
    'data-action-id': element.action_id,
    'data-block-id': block.block_id,
    value: held?.text ?? element.initial_date ?? '',
  });
  control.addEventListener('change', () => {
    host.remember(block, element, { text: control.value });
    void entered(host, block, element, control, control.value);
  });
  return control;
}
