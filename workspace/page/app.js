import { createComposer } from './composer.js';
import { fill, h } from './dom.js';
import { icon } from './icons.js';
import { drawMessages, drawThread, isAtBottom } from './message-list.js';
import { createModal, homeNode } from './modal.js';
import { mrkdwn } from './mrkdwn.js';
import { closePopup } from './popup.js';
import { drawSidebar } from './sidebar.js';
import { createSidebarFold } from './sidebar-fold.js';
import { store } from './store.js';
import { applyTheme } from './theme.js';
import { listen, load, send } from './workspace-api.js';

const $ = (id) => document.getElementById(id);
const asked = new URLSearchParams(location.search);
applyTheme();
const fold = createSidebarFold({
  app: $('app'),
  sidebar: $('sidebar'),
  cover: $('sidebar-cover'),
  head: $('channel-head'),
});

Object.assign(store, {
  go(place) {
    const unread = store.unread.get(place) ?? 0;
    store.firstUnread =
      unread > 0
        ? store
            .messagesOf(place)
            .filter(({ thread_ts, ts }) => !thread_ts || thread_ts === ts)
            .at(-unread)?.ts
        : undefined;
    store.unread.delete(place);
    [store.place, store.thread, store.pointed] = [place, undefined, undefined];
    history.replaceState(null, '', store.address(place));
    drawPlace();
    toNewest();
    fold.close();
    if (place === 'home') void send('home', { user: store.me });
  },
  async become(user) {
    store.me = user;
    localStorage.setItem('user', user);
    store.unread.clear();
    // The next person sees nothing of the last one, and can type at once.
    store.messages.clear();
    store.thread = refreshing = undefined;
    drawPlace();
    // Its links still belong to the last person.
    $('sidebar').inert = true;
    await start().finally(() => {
      $('sidebar').inert = false;
    });
  },
  openThread(ts) {
    store.thread = ts;
    drawThreadPane();
  },
  redrawMessage(ts) {
    store.stale.add(ts);
    if (store.place !== 'home') drawMessages($('scroll'), store);
    if (store.thread) drawThread($('thread-body'), store, store.thread);
  },
});

/** Scrolls to the newest message and follows new ones. App Home starts at the top. */
function toNewest() {
  store.pointed = undefined;
  $('scroll').scrollTop = store.place === 'home' ? 0 : $('scroll').scrollHeight;
  $('newest').hidden = true;
}

$('newest').addEventListener('click', toNewest);
$('scroll').addEventListener('scroll', () => {
  if (isAtBottom($('scroll'))) $('newest').hidden = true;
});
// Makes arrow keys scroll it in every browser.
$('scroll').tabIndex = 0;
// Someone who scrolls has read the linked message.
function goOn() {
  store.pointed = undefined;
}
for (const type of ['wheel', 'touchmove', 'keydown']) $('scroll').addEventListener(type, goOn, { passive: true });

const modal = createModal($('overlay'), store);

function drawHead() {
  const channel = store.people.channel(store.place);
  const sign = channel?.isPrivate ? icon('lock', 17) : '#';
  const name =
    store.place === 'home'
      ? `${store.app.name}`
      : channel?.directUser
        ? store.app.name
        : [sign, ` ${channel?.name ?? ''}`];
  const unread = [...store.unread.values()].reduce((sum, count) => sum + count, 0);
  fill(
    $('channel-head'),
    fold.button(unread),
    h('h1', {}, name),
    store.place === 'home' ? h('span', { class: 'tab' }, 'Home') : undefined,
    channel?.isExtShared ? h('span', { class: 'badge badge-shared' }, 'Shared with another company') : undefined,
    channel?.topic ? h('span', { class: 'topic' }, mrkdwn(channel.topic, store.people)) : undefined,
    channel && !channel.directUser
      ? h('span', { class: 'member-count', title: 'Members' }, icon('people', 15), ` ${channel.members}`)
      : undefined,
  );
  const missing = channel && !channel.botIsMember;
  $('notice').hidden = !missing;
  $('notice').textContent = missing ? `${store.app.name} is not in this channel: it cannot post here.` : '';
}

function drawThreadPane() {
  const pane = $('thread');
  pane.hidden = store.thread === undefined;
  $('app').classList.toggle('with-thread', !pane.hidden);
  if (pane.hidden) return fill(pane);
  const close = h(
    'button',
    { type: 'button', class: 'dialog-x', 'aria-label': 'Close thread', onclick: () => store.openThread(undefined) },
    '✕',
  );
  fill(
    pane,
    h('header', { class: 'thread-head' }, h('h2', {}, 'Thread'), h('span', {}, store.placeName()), close),
    h('div', { class: 'thread-body', id: 'thread-body' }),
    createComposer(store, { threadTs: store.thread }),
  );
  drawThread($('thread-body'), store, store.thread);
}

let composerOf;

function drawPlace() {
  drawSidebar($('sidebar'), store);
  drawHead();
  drawThreadPane();
  document.title = `${store.placeName()} · ${store.team.name}`;
  const scroll = $('scroll');
  scroll.replaceChildren();
  if (store.place === 'home') {
    fill(scroll, homeNode(store.home, store));
    composerOf = undefined;
    return fill($('composer-place'));
  }
  drawMessages(scroll, store);
  // Keep a draft, unless it was for another place or written as another person.
  if (composerOf === `${store.me} ${store.place}`) return;
  composerOf = `${store.me} ${store.place}`;
  fill($('composer-place'), createComposer(store));
}

function onMessage({ kind, message }) {
  const known = store.messages.has(message.ts);
  if (kind === 'deleted') store.messages.delete(message.ts);
  else store.messages.set(message.ts, message);
  store.stale.add(message.ts);
  const elsewhere = message.channel !== store.place;
  const reply = message.thread_ts && message.thread_ts !== message.ts;
  if (kind === 'posted' && !known && elsewhere && !reply && message.user !== store.me) {
    store.unread.set(message.channel, (store.unread.get(message.channel) ?? 0) + 1);
    drawSidebar($('sidebar'), store);
    drawHead();
  }
  // Show answers to the viewer at once, wherever they had scrolled to.
  const mine = kind === 'posted' && !reply && (message.user === store.me || message.ephemeralUser === store.me);
  if (!elsewhere && store.place !== 'home') {
    drawMessages($('scroll'), store, { toBottom: mine });
    if (kind === 'posted' && !reply && !isAtBottom($('scroll'))) $('newest').hidden = false;
  }
  if (!elsewhere && store.thread && (message.thread_ts === store.thread || message.ts === store.thread))
    drawThread($('thread-body'), store, store.thread);
}

/** Changes since the state was asked for, which may lack them. Undefined: the state is here. */
let since;
/** The last time that the state was asked for. */
let refreshing;

function onChange(change) {
  const isPart = ['message', 'modal', 'home'].includes(change.type);
  if (!isPart) return void refresh();
  if (since) return since.push(change);
  if (change.type === 'message') return onMessage(change);
  if (change.type === 'modal') {
    closePopup();
    store.modal = change.modal;
    return modal.show(change.modal);
  }
  store.home = change.home;
  if (store.place === 'home') fill($('scroll'), homeNode(store.home, store));
}

/** Loads and draws everything. If it is asked for again meanwhile, only what was loaded last is drawn. */
function refresh() {
  since = [];
  const loaded = load(store.me).then((state) => (loaded === refreshing ? show(state) : refreshing));
  refreshing = loaded;
  return loaded;
}

function show(state) {
  const { users, groups, channels, commands, messageShortcuts, globalShortcuts, team, app } = state;
  Object.assign(store, {
    users,
    groups,
    channels,
    commands,
    messageShortcuts,
    globalShortcuts,
    team,
    app,
    modal: state.modal,
    home: state.home,
  });
  store.messages = new Map(state.messages.map((message) => [message.ts, message]));
  const known = channels.some(({ id }) => id === store.place) || store.place === 'home';
  if (!known) store.place = channels.find(({ directUser }) => !directUser)?.id ?? 'home';
  const scroll = $('scroll');
  const readAt = scroll.hasChildNodes() && known && !isAtBottom(scroll) ? scroll.scrollTop : undefined;
  const { pointed } = store;
  drawPlace();
  toNewest();
  // A new channel in the sidebar must not move what someone is reading.
  if (readAt !== undefined) {
    scroll.scrollTop = readAt;
    $('newest').hidden = false;
  }
  store.pointed = pointed;
  modal.show(store.modal);
  const missed = since;
  since = undefined;
  for (const change of missed) onChange(change);
}

let stopListening;

async function start() {
  stopListening?.();
  if (!store.me || !store.users.some(({ id }) => id === store.me)) {
    const { users } = await load(store.me);
    const people = users.filter(({ isBot, isStranger }) => !isBot && !isStranger);
    if (!users.some(({ id, isBot }) => id === store.me && !isBot)) store.me = people[0]?.id ?? '';
  }
  await new Promise((resolve) => {
    stopListening = listen(store.me, onChange, () => void refresh().then(resolve));
  });
  history.replaceState(null, '', store.address(store.place) + (asked.has('ts') ? `&ts=${asked.get('ts')}` : ''));
  if (store.place === 'home') void send('home', { user: store.me });
}

document.addEventListener('click', (event) => {
  const mention = event.target.closest?.('a.mention[data-channel-id]');
  if (!mention) return;
  event.preventDefault();
  if (store.people.channel(mention.dataset.channelId)) store.go(mention.dataset.channelId);
});

await start();
const target = asked.get('ts') ? document.querySelector(`[data-ts="${CSS.escape(asked.get('ts'))}"]`) : undefined;
if (target) {
  store.pointed = asked.get('ts');
  target.classList.add('pointed');
  target.scrollIntoView({ block: 'center' });
}
document.body.dataset.ready = 'true';
