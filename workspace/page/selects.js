import { dispatch, entered } from './dispatch.js';
import { h, safeUrl } from './dom.js';
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

function staticChoices(element) {
  if (!element.option_groups) return (element.options ?? []).map(toChoice);
  return element.option_groups.flatMap((group) => [{ heading: group.label.text }, ...group.options.map(toChoice)]);
}

function peopleChoices(element, people) {
  if (element.type.includes('users')) {
    return people.users().map((user) => ({
      value: user.id,
      label: user.realName,
      description: `@${user.name}`,
      words: `${user.realName} ${user.name}`,
    }));
  }
  return people.channels().map((channel) => ({ value: channel.id, label: `# ${channel.name}`, words: channel.name }));
}

const INITIAL = ['initial_option', 'initial_user', 'initial_channel', 'initial_conversation'];

function initialChoices(element, people) {
  if (element.initial_options) return element.initial_options.map(toChoice);
  const lists = ['initial_users', 'initial_channels', 'initial_conversations'].flatMap((field) => element[field] ?? []);
  const single = INITIAL.map((field) => element[field]).filter(Boolean);
  return [...single, ...lists].map((one) =>
    typeof one === 'string'
      ? (peopleChoices(element, people).find(({ value }) => value === one) ?? { value: one, label: one })
      : toChoice(one),
  );
}

function onWire(element, choices, many) {
  if (element.type.includes('external')) {
    const options = choices.map(({ option }) => option);
    return many
      ? { type: element.type, selected_options: options }
      : { type: element.type, selected_option: options[0] ?? null };
  }
  const values = choices.map(({ value }) => value);
  return many ? values : (values[0] ?? null);
}

/** A select menu, single or multiple, with options of its own, of the workspace, or of the app. */
export function select(element, block, host) {
  const many = element.type.startsWith('multi_');
  const external = element.type.includes('external');
  let chosen = host.held(block, element)?.choices ?? initialChoices(element, host.people);
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
    label.replaceChildren();
    label.classList.toggle('placeholder', chosen.length === 0);
    if (chosen.length === 0) label.append(element.placeholder?.text ?? (many ? 'Choose some' : 'Choose an option'));
    for (const [index, { label: shown }] of chosen.entries())
      label.append(
        ...(index > 0 ? [', '] : []),
        ...[shown].flat().map((node) => (node.cloneNode ? node.cloneNode(true) : node)),
      );
  };
  async function find(query) {
    if (external)
      return (await host.suggest({ actionId: element.action_id, blockId: block.block_id, value: query })).map(toChoice);
    const all = element.options || element.option_groups ? staticChoices(element) : peopleChoices(element, host.people);
    return query === '' ? all : all.filter(({ words }) => words?.toLowerCase().includes(query.toLowerCase()));
  }
  async function picked(choice) {
    const known = chosen.some(({ value }) => value === choice.value);
    if (many) chosen = known ? chosen.filter(({ value }) => value !== choice.value) : [...chosen, choice];
    else chosen = [choice];
    const before = host.held(block, element)?.choices ?? initialChoices(element, host.people);
    show();
    host.remember(block, element, { choices: chosen });
    const sent = await entered(host, block, element, control, onWire(element, chosen, many));
    if (!sent) {
      chosen = before;
      show();
    }
    return many;
  }
  control.addEventListener('click', () =>
    openPopup(control, {
      find,
      search: external || (element.options?.length ?? 99) > 8,
      hint: (query) =>
        external && query.length < least ? `Type at least ${least} character${least === 1 ? '' : 's'}` : undefined,
      picked,
      chosen: (choice) => chosen.some(({ value }) => value === choice.value),
    }),
  );
  show();
  return control;
}

/** An overflow menu. */
export function overflow(element, block, host) {
  const control = h(
    'button',
    {
      type: 'button',
      class: 'button overflow',
      'aria-label': 'More actions',
      'aria-haspopup': 'listbox',
      'data-action-id': element.action_id,
      'data-block-id': block.block_id,
    },
    '⋯',
  );
  const picked = async (choice) => {
    const address = safeUrl(choice.option.url);
    if (address) window.open(address, '_blank', 'noopener');
    await dispatch(host, block, element, control, 'select', choice.value);
    return false;
  };
  control.addEventListener('click', () =>
    openPopup(control, { find: () => Promise.resolve(element.options.map(toChoice)), search: false, picked }),
  );
  return control;
}
