import { avatar } from './avatar.js';
import { blocks } from './blocks.js';
import { fullDate, timeOfDay } from './dates.js';
import { h, safeUrl } from './dom.js';
import { emoji } from './emoji.js';
import { icon } from './icons.js';
import { mrkdwn } from './mrkdwn.js';
import { send } from './workspace-api.js';

/** Input and errors in messages, kept while they are redrawn. */
const held = new Map();
const failures = new Map();

function heldKey(message, block, element) {
  return `${message.ts} ${block.block_id} ${element.action_id}`;
}

/** Handles the elements of a message. */
function messageHost(message, store, redraw) {
  const base = { user: store.me, message: { channel: message.channel, ts: message.ts } };
  const inputs = () => {
    const prefix = `${message.ts} `;
    const own = [...held].filter(([key, entry]) => key.startsWith(prefix) && entry.value !== undefined);
    return Object.fromEntries(own.map(([key, entry]) => [key.split(' ').slice(2).join(' '), entry.value]));
  };
  return {
    key: message.ts,
    surface: 'message',
    people: store.people,
    held: (block, element) => held.get(heldKey(message, block, element)),
    remember: (block, element, entry) =>
      held.set(heldKey(message, block, element), { ...held.get(heldKey(message, block, element)), ...entry }),
    change: (block, element, value) =>
      held.set(heldKey(message, block, element), { ...held.get(heldKey(message, block, element)), value }),
    async act(deed, action) {
      failures.delete(message.ts);
      const outcome = await send(deed, { ...base, ...action, inputs: inputs() });
      if (!outcome.ok)
        failures.set(
          message.ts,
          outcome.timedOut
            ? 'The app did not respond within 3 seconds.'
            : `The app could not be reached: ${outcome.error}`,
        );
      if (!outcome.ok) redraw(message.ts);
    },
    suggest: async (action) => (await send('suggest', { ...base, ...action })).options ?? [],
  };
}

function files(message) {
  return (message.files ?? []).map((file) =>
    h(
      'a',
      { class: 'file', href: safeUrl(file.url_private), download: file.name, 'data-testid': 'file' },
      h(
        'span',
        { class: 'file-icon', 'aria-hidden': 'true' },
        (file.name ?? '?').split('.').at(-1).slice(0, 4).toUpperCase(),
      ),
      h(
        'span',
        {},
        h('strong', {}, file.title ?? file.name),
        h('small', {}, `${file.name} · ${new Intl.NumberFormat('en-US').format(file.size)} bytes · Download`),
      ),
    ),
  );
}

function reactions(message) {
  if (!message.reactions?.length) return undefined;
  return h(
    'div',
    { class: 'reactions' },
    message.reactions.map(({ name, count }) =>
      h('span', { class: 'reaction', title: `:${name}:` }, emoji(name) ?? `:${name}:`, h('small', {}, String(count))),
    ),
  );
}

function attachments(message, host) {
  return (message.attachments ?? []).map((attachment) =>
    h(
      'div',
      {
        class: 'attachment',
        style: /^#?[0-9a-f]{6}$/i.test(attachment.color ?? '')
          ? `border-color:#${attachment.color.replace('#', '')}`
          : '',
      },
      attachment.title ? h('strong', {}, attachment.title) : undefined,
      attachment.text ? mrkdwn(attachment.text, host.people) : undefined,
      blocks(attachment.blocks, host),
    ),
  );
}

function threadBar(message, store) {
  if (!message.reply_count) return undefined;
  const words = `${message.reply_count} ${message.reply_count === 1 ? 'reply' : 'replies'}`;
  const who = (message.reply_users ?? []).slice(0, 3).map((id) => avatar(store.people.user(id), true));
  return h(
    'button',
    { type: 'button', class: 'thread-bar', 'data-testid': 'thread-bar', onclick: () => store.openThread(message.ts) },
    who,
    h('strong', {}, words),
    h('small', {}, 'View thread'),
  );
}

function heading(message, author, store) {
  const app = message.bot_id !== undefined;
  const date = Number(message.ts) * 1000;
  return h(
    'div',
    { class: 'message-head' },
    h('strong', { class: 'author' }, app ? store.app.name : (author?.realName ?? message.username ?? message.user)),
    app ? h('span', { class: 'badge' }, 'APP') : undefined,
    h('time', { class: 'when', title: fullDate(date, store.people.zone) }, timeOfDay(date, store.people.zone)),
  );
}

/** The app's message shortcuts, which Slack shows behind the three dots. */
function shortcuts(message, store) {
  return store.messageShortcuts.map(({ callbackId, name }) =>
    h(
      'button',
      {
        type: 'button',
        class: 'shortcut-button',
        'data-testid': 'message-shortcut',
        'data-callback-id': callbackId,
        title: name,
        'aria-label': name,
        onclick: () => {
          const { channel, ts } = message;
          void send('shortcut', { user: store.me, callbackId, message: { channel, ts } });
        },
      },
      icon('info', 18),
    ),
  );
}

/** One message. `options.compact` omits the author, `options.thread` the bar below. */
export function messageNode(message, store, options = {}) {
  const author = store.people.user(message.user);
  const host = messageHost(message, store, store.redrawMessage);
  const only = message.ephemeralUser !== undefined;
  const edited = message.edited
    ? h('span', { class: 'edited', title: 'This message was changed' }, ' (edited)')
    : undefined;
  const drawn = blocks(message.blocks, host);
  // If the message ends with small print, the mark goes into it; otherwise below.
  const smallPrint = edited && drawn.at(-1)?.querySelector('.block-context');
  smallPrint?.append(edited);
  const body = message.blocks?.length
    ? [drawn, edited && !smallPrint ? h('div', {}, edited) : undefined]
    : h('div', { class: 'text' }, mrkdwn(message.text, store.people), edited);
  const failure = failures.get(message.ts);
  const reply =
    only || options.thread
      ? undefined
      : h(
          'button',
          {
            type: 'button',
            class: 'reply-button',
            'data-testid': 'reply',
            title: 'Reply in thread',
            'aria-label': 'Reply in thread',
            onclick: () => store.openThread(message.thread_ts ?? message.ts),
          },
          icon('reply', 18),
        );
  return h(
    'article',
    {
      class: `message${store.pointed === message.ts ? ' pointed' : ''}${only ? ' only-you' : ''}${options.compact ? ' compact' : ''}`,
      'data-testid': 'message',
      'data-ts': message.ts,
      'data-channel': message.channel,
      'data-ephemeral': only ? 'true' : undefined,
      tabindex: '-1',
    },
    only ? h('div', { class: 'only-you-line' }, icon('eye', 14), 'Only visible to you') : undefined,
    h(
      'div',
      { class: 'message-side' },
      options.compact
        ? h(
            'time',
            { class: 'when-small' },
            timeOfDay(Number(message.ts) * 1000, store.people.zone).replace(/ [AP]M/, ''),
          )
        : avatar(message.bot_id ? undefined : (author ?? { id: message.user, realName: message.username ?? '?' })),
    ),
    h(
      'div',
      { class: 'message-main' },
      options.compact ? undefined : heading(message, author, store),
      body,
      attachments(message, host),
      files(message),
      failure
        ? h(
            'div',
            { class: 'failure', role: 'alert', 'data-testid': 'delivery-failed' },
            icon('warning', 14),
            ` ${failure}`,
          )
        : undefined,
      reactions(message),
      options.thread ? undefined : threadBar(message, store),
    ),
    only ? undefined : shortcuts(message, store),
    reply,
  );
}
