import { askConfirm } from './confirm.js';
import { h, safeUrl } from './dom.js';
import { plain, textObject } from './mrkdwn.js';
import { openPopup } from './popup.js';

/** Sends an action while its control shows that it is under way. Resolves to whether it went out. */
async function dispatch(host, block, element, control, deed, value) {
  if (element.confirm && !(await askConfirm(element.confirm, host.people))) return false;
  control.classList.add('busy');
  control.setAttribute('aria-busy', 'true');
  control.disabled = true;
  try {
    await host.act(deed, { actionId: element.action_id, blockId: block.block_id, value });
  } finally {
    control.classList.remove('busy');
    control.removeAttribute('aria-busy');
    control.disabled = false;
  }
  return true;
}

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

/** A value that a person chose or typed: kept in a form, sent at once elsewhere. */
function entered(host, block, element, control, value) {
  host.change(block, element, value);
  const form = block.type === 'input' && !block.dispatch_action;
  if (!form) return dispatch(host, block, element, control, 'select', value);
  return Promise.resolve(true);
}

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

function select(element, block, host) {
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

function overflow(element, block, host) {
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

function choices(kind) {
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

function typed(type) {
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

function picker(type, field) {
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
