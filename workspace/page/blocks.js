import { chart } from './charts.js';
import { h } from './dom.js';
import { element } from './elements.js';
import { plain, textObject } from './mrkdwn.js';
import { dataTable } from './tables.js';

function section(block, host) {
  const long = (block.text?.text.length ?? 0) > 700 && !block.expand;
  const text = block.text
    ? h('div', { class: `section-text${long ? ' clamped' : ''}` }, textObject(block.text, host.people))
    : undefined;
  const more = long
    ? h(
        'button',
        {
          type: 'button',
          class: 'show-more',
          onclick: (event) => {
            text.classList.remove('clamped');
            event.currentTarget.remove();
          },
        },
        'See more',
      )
    : undefined;
  const fields = block.fields
    ? h(
        'div',
        { class: 'fields' },
        block.fields.map((field) => h('div', { class: 'field' }, textObject(field, host.people))),
      )
    : undefined;
  const accessory = block.accessory
    ? h('div', { class: 'accessory' }, element(block.accessory, block, host))
    : undefined;
  return h('div', { class: 'block-section' }, h('div', { class: 'section-body' }, text, more, fields), accessory);
}

function context(block, host) {
  return h(
    'div',
    { class: 'block-context' },
    block.elements.map((part) => h('span', {}, textObject(part, host.people))),
  );
}

function input(block, host) {
  const fault = host.errors?.[block.block_id];
  const optional = block.optional ? h('span', { class: 'optional' }, ' (optional)') : undefined;
  return h(
    'div',
    { class: `block-input${fault ? ' has-fault' : ''}`, 'data-block-id': block.block_id },
    h('label', { class: 'input-label' }, plain(block.label.text), optional, element(block.element, block, host)),
    fault ? h('div', { class: 'fault', role: 'alert', 'data-testid': 'input-error' }, fault) : undefined,
    block.hint ? h('div', { class: 'hint' }, plain(block.hint.text)) : undefined,
  );
}

const BLOCKS = {
  section,
  context,
  input,
  header: (block) => h('h3', { class: 'block-header' }, plain(block.text.text)),
  divider: () => h('hr', { class: 'block-divider' }),
  actions: (block, host) =>
    h(
      'div',
      { class: 'block-actions' },
      block.elements.map((part) => element(part, block, host)),
    ),
  data_table: (block, host) => dataTable(block, host.people),
  data_visualization: (block) => chart(block),
};

/** Renders blocks like Slack. */
export function blocks(list, host) {
  return (list ?? []).map((block) =>
    h(
      'div',
      { class: 'block', 'data-block-type': block.type },
      BLOCKS[block.type]?.(block, host) ?? h('span', { class: 'unknown' }, `[${block.type}]`),
    ),
  );
}
