import { entered } from './dispatch.js';
import { h } from './dom.js';
import { plain } from './mrkdwn.js';
import { openPopup } from './popup.js';

function toChoice(option) {
  return {
    value: option.value,
    label: plain(option.text.text),
    description: option.description?.text,
    option,
    words: option.text.text,
  };
}

function onWire(element, choice) {
  return element.type === 'external_select' ? { type: element.type, selected_option: choice.option } : choice.value;
}

/** A select menu with its own options or the app's. */
export function select(element, block, host) {
  const external = element.type === 'external_select';
  const initial = element.initial_option ? toChoice(element.initial_option) : undefined;
  let chosen = host.held(block, element)?.choice ?? initial;
  const least = element.min_query_length ?? 3;
  const label = h('span', { class: 'select-label' });
  const control = h(
    'button',
    {
      type: 'button',
      class: 'select',
      'aria-haspopup': 'listbox',
      'aria-expanded': 'false',
      'data-action-id': element.action_id,
      'data-block-id': block.block_id,
    },
    label,
    h('span', { class: 'select-arrow', 'aria-hidden': 'true' }, '⌄'),
  );
  const show = () => {
    label.classList.toggle('placeholder', !chosen);
    if (chosen) label.replaceChildren(...chosen.label.map((node) => (node.cloneNode ? node.cloneNode(true) : node)));
    else label.replaceChildren(element.placeholder?.text ?? 'Choose an option');
  };
  async function find(query) {
    if (external)
      return (await host.suggest({ actionId: element.action_id, blockId: block.block_id, value: query })).map(toChoice);
    const all = (element.options ?? []).map(toChoice);
    return query === '' ? all : all.filter(({ words }) => words.toLowerCase().includes(query.toLowerCase()));
  }
  async function picked(choice) {
    const before = host.held(block, element)?.choice ?? initial;
    chosen = choice;
    show();
    host.remember(block, element, { choice });
    const sent = await entered(host, block, element, control, onWire(element, choice));
    if (!sent) {
      chosen = before;
      show();
    }
  }
  control.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' || control.getAttribute('aria-expanded') === 'true') return;
    event.preventDefault();
    control.click();
  });
  control.addEventListener('click', () =>
    openPopup(control, {
      find,
      search: external || element.options.length > 8,
      hint: (query) =>
        external && query.length < least ? `Type at least ${least} character${least === 1 ? '' : 's'}` : undefined,
      picked,
      chosen: (choice) => chosen?.value === choice.value,
    }),
  );
  show();
  return control;
}
