import { dayHeading, sameDay } from './dates.js';
import { h } from './dom.js';
import { messageNode } from './message.js';

const NEAR_BOTTOM_PX = 80;
const COMPACT_SECONDS = 300;

function follows(before, message) {
  if (!before || before.bot_id || message.bot_id || message.ephemeralUser || before.ephemeralUser) return false;
  return before.user === message.user && Number(message.ts) - Number(before.ts) < COMPACT_SECONDS;
}

function inChannel(message) {
  return (
    !message.thread_ts ||
    message.thread_ts === message.ts ||
    message.subtype === 'thread_broadcast' ||
    (message.ephemeralUser && !message.thread_ts)
  );
}

/** Whether the newest message is visible, or nearly. */
export function isAtBottom(scroll) {
  return scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < NEAR_BOTTOM_PX;
}

/** What has the keyboard focus inside a message, because the message may be redrawn. */
function focusOf(scroll) {
  const active = document.activeElement;
  const message = scroll.contains(active) ? active.closest('[data-testid=message]') : undefined;
  if (!message) return undefined;
  const { actionId } = active.closest('[data-action-id]')?.dataset ?? {};
  return { active, ts: message.dataset.ts, actionId };
}

/** Restores the keyboard focus to the same control, or else to its message. */
function restoreFocus(scroll, before) {
  if (!before || before.active.isConnected) return;
  const message = scroll.querySelector(`[data-testid=message][data-ts="${CSS.escape(before.ts)}"]`);
  const same = before.actionId && message?.querySelector(`[data-action-id="${CSS.escape(before.actionId)}"]`);
  (same || message)?.focus({ preventScroll: true });
}

/** The messages of a channel, oldest first, with a line for each day and one above new messages. */
export function drawMessages(scroll, store, { toBottom = false } = {}) {
  const atBottom = toBottom || (isAtBottom(scroll) && store.pointed === undefined);
  const focus = focusOf(scroll);
  const known = new Map([...scroll.querySelectorAll('[data-testid=message]')].map((node) => [node.dataset.ts, node]));
  const messages = store.messagesOf(store.place).filter(inChannel);
  const nodes = [];
  let before;
  for (const message of messages) {
    const date = Number(message.ts) * 1000;
    const newDay = !before || !sameDay(Number(before.ts) * 1000, date, store.people.zone);
    if (newDay)
      nodes.push(
        h('hr', { class: 'day-line' }),
        h('div', { class: 'day' }, h('span', {}, dayHeading(date, store.people.zone))),
      );
    if (store.firstUnread === message.ts)
      nodes.push(h('div', { class: 'new-line', 'data-testid': 'new-messages' }, h('span', {}, 'New')));
    const old = known.get(message.ts);
    const fresh =
      old && !store.stale.has(message.ts)
        ? old
        : messageNode(message, store, { compact: !newDay && follows(before, message) });
    nodes.push(fresh);
    before = message;
  }
  store.stale.clear();
  if (nodes.length === 0)
    nodes.push(h('div', { class: 'empty' }, h('strong', {}, store.placeName()), 'No messages yet.'));
  // Unchanged nodes stay in the page, so that a control under the pointer keeps its focus.
  const keep = new Set(nodes);
  for (const node of [...scroll.childNodes]) if (!keep.has(node)) node.remove();
  for (const [index, node] of nodes.entries())
    if (scroll.childNodes[index] !== node) scroll.insertBefore(node, scroll.childNodes[index] ?? null);
  restoreFocus(scroll, focus);
  if (atBottom) scroll.scrollTop = scroll.scrollHeight;
}

/** A thread in the right pane. */
export function drawThread(body, store, root) {
  const all = store.messagesOf(store.place);
  const parent = all.find(({ ts }) => ts === root);
  const replies = all.filter(({ ts, thread_ts }) => thread_ts === root && ts !== root);
  const count = replies.filter(({ ephemeralUser }) => !ephemeralUser).length;
  const words = `${count} ${count === 1 ? 'reply' : 'replies'}`;
  body.replaceChildren(
    ...(parent ? [messageNode(parent, store, { thread: true })] : []),
    h('div', { class: 'reply-line' }, h('span', {}, words)),
    ...replies.map((message) => messageNode(message, store, { thread: true })),
  );
  body.scrollTop = body.scrollHeight;
}
