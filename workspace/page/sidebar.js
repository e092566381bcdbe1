import { avatar } from './avatar.js';
import { fill, h } from './dom.js';
import { icon } from './icons.js';
import { themeSwitch } from './theme.js';

function channelLink(id, name, sign, store) {
  const unread = store.unread.get(id) ?? 0;
  const here = store.place === id;
  return h(
    'a',
    {
      class: `channel-link${here ? ' here' : ''}${unread > 0 && !here ? ' unread' : ''}`,
      href: store.address(id),
      'data-channel-id': id,
      'aria-current': here ? 'page' : undefined,
      onclick: (event) => {
        event.preventDefault();
        store.go(id);
      },
    },
    h('span', { class: 'channel-sign', 'aria-hidden': 'true' }, sign),
    h('span', { class: 'channel-name' }, name),
    unread > 0 && !here ? h('span', { class: 'count', 'aria-label': `${unread} unread` }, String(unread)) : undefined,
  );
}

function userSwitcher(store) {
  const people = store.users.filter((user) => !user.isBot);
  const options = people.map((user) =>
    h(
      'option',
      { value: user.id, selected: user.id === store.me },
      `${user.realName}${user.roleHint ? ` (${user.roleHint})` : ''}${user.isStranger ? ' (other company)' : ''}`,
    ),
  );
  return h(
    'label',
    { class: 'switcher' },
    avatar(store.people.user(store.me), true),
    h(
      'span',
      { class: 'switcher-words' },
      h('small', {}, 'You are'),
      h(
        'select',
        {
          'data-testid': 'user-switcher',
          'aria-label': 'You are',
          onchange: (event) => store.become(event.currentTarget.value),
        },
        options,
      ),
    ),
  );
}

/** Identifies the focused control, because each message elsewhere redraws the sidebar. */
function focusOf(node) {
  const { activeElement: active } = document;
  if (!node.contains(active)) return undefined;
  const { channelId, testid } = active.dataset;
  return channelId ? `[data-channel-id="${CSS.escape(channelId)}"]` : testid && `[data-testid="${CSS.escape(testid)}"]`;
}

/** The left side: workspace, channels, the app, and the current viewer. */
export function drawSidebar(node, store) {
  const sign = (channel) => (channel.isPrivate ? icon('lock', 15) : '#');
  const shown = store.channels.filter((channel) => !channel.directUser && !channel.isArchived);
  const direct = store.channels.find((channel) => channel.directUser === store.me);
  const focus = focusOf(node);
  fill(
    node,
    h('div', { class: 'team' }, h('strong', {}, store.team.name), h('small', {}, 'Local: nothing leaves this machine')),
    h(
      'div',
      { class: 'sidebar-scroll' },
      h('div', { class: 'sidebar-heading' }, 'Channels'),
      shown.map((channel) => channelLink(channel.id, channel.name, sign(channel), store)),
      h('div', { class: 'sidebar-heading' }, 'Apps'),
      channelLink('home', `${store.app.name} Home`, h('img', { class: 'tiny', src: 'bell.svg', alt: '' }), store),
      direct
        ? channelLink(
            direct.id,
            `${store.app.name} messages`,
            h('img', { class: 'tiny', src: 'bell.svg', alt: '' }),
            store,
          )
        : undefined,
    ),
    userSwitcher(store),
    themeSwitch(),
  );
  if (focus) node.querySelector(focus)?.focus();
}
