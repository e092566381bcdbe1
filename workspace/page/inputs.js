import { dispatch, entered } from './dispatch.js';
import { h } from './dom.js';
import { textObject } from './mrkdwn.js';

/** Checkboxes or radio buttons. */
export function choices(kind) {
  return (element, block, host) => {
    const held = host.held(block, element);
    const initial =
      kind === 'radio' ? [element.initial_option?.value] : (element.initial_options ?? []).map(({ value }) => value);
    const before = held?.values ?? initial;
    const name = `${host.key}-${block.block_id}-${element.action_id}`;
    const group = h('div', {
      class: 'choices',
      role: kind === 'radio' ? 'radiogroup' : 'group',
      'data-action-id': element.action_id,
    });
    const changed = () => {
      const values = [...group.querySelectorAll('input:checked')].map((input) => input.value);
      host.remember(block, element, { values });
      return entered(host, block, element, group, kind === 'radio' ? (values[0] ?? null) : values);
    };
    for (const option of element.options) {
      const input = h('input', {
        type: kind,
        name,
        value: option.value,
        checked: before.includes(option.value),
        onchange: changed,
      });
      const text = h(
        'span',
        {},
        textObject(option.text, host.people),
        option.description ? h('small', {}, textObject(option.description, host.people)) : undefined,
      );
      group.append(h('label', { class: 'choice' }, input, text));
    }
    return group;
  };
}

/** A field to type in. */
export function typed(type) {
  return (element, block, host) => {
    const long = element.type === 'plain_text_input' && element.multiline;
    const held = host.held(block, element);
    const control = h(long ? 'textarea' : 'input', {
      class: 'text-input',
      type: long ? undefined : type,
      rows: long ? 4 : undefined,
      placeholder: element.placeholder?.text,
      maxlength: element.max_length,
      'data-action-id': element.action_id,
      'data-block-id': block.block_id,
      inputmode: element.type === 'number_input' ? 'decimal' : undefined,
      value: held?.text ?? element.initial_value ?? '',
    });
    control.addEventListener('input', () => {
      host.remember(block, element, { text: control.value });
      host.change(block, element, control.value);
    });
    control.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || long || !block.dispatch_action) return;
      event.preventDefault();
      void dispatch(host, block, element, control, 'select', control.value);
    });
    return control;
  };
}

/** A field for a date or a time. */
export function picker(type, field) {
  return (element, block, host) => {
    const held = host.held(block, element);
    const seconds =
      field === 'initial_date_time' && element[field]
        ? new Date(element[field] * 1000).toISOString().slice(0, 16)
        : undefined;
    const control = h('input', {
      class: 'text-input date-input',
      type,
      'data-action-id': element.action_id,
      'data-block-id': block.block_id,
      value: held?.text ?? seconds ?? element[field] ?? '',
    });
    control.addEventListener('change', () => {
      host.remember(block, element, { text: control.value });
      const value =
        type === 'datetime-local' && control.value ? Math.floor(Date.parse(control.value) / 1000) : control.value;
      void entered(host, block, element, control, value);
    });
    return control;
  };
}
