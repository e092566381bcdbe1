import { fill, h } from './dom.js';
import { icon } from './icons.js';
import { send } from './workspace-api.js';

/** The field for writing messages and commands. */
export function createComposer(store, { threadTs } = {}) {
  const list = h('div', { class: 'suggestions', role: 'listbox', hidden: true });
  const field = h('textarea', {
    class: 'composer-field',
    rows: 1,
    'data-testid': threadTs ? 'thread-composer' : 'composer',
    'aria-label': 'Message',
  });
  const button = h(
    'button',
    { type: 'button', class: 'composer-send', 'data-testid': 'composer-send', 'aria-label': 'Send', title: 'Send' },
    icon('send', 17),
  );
  const trouble = h('div', { class: 'failure', role: 'alert', hidden: true });
  let chosen = 0;

  function matches() {
    const typed = field.value;
    if (threadTs || !/^\/\S*$/.test(typed)) return [];
    const found = store.commands.filter((command) => command.startsWith(typed));
    return found.length === 1 && found[0] === typed ? [] : found.sort();
  }

  function suggest() {
    const found = matches();
    chosen = Math.min(chosen, Math.max(0, found.length - 1));
    list.hidden = found.length === 0;
    list.replaceChildren(
      ...found.map((command, index) =>
        h(
          'button',
          {
            type: 'button',
            role: 'option',
            class: 'suggestion',
            'aria-selected': String(index === chosen),
            onclick: () => take(command),
          },
          h('img', { class: 'tiny', src: 'bell.svg', alt: '' }),
          h('strong', {}, command),
          h('small', {}, store.app.name),
        ),
      ),
    );
    field.style.height = 'auto';
    field.style.height = `${Math.min(field.scrollHeight, 160)}px`;
    button.classList.toggle('ready', field.value.trim() !== '');
  }

  function take(command) {
    field.value = `${command} `;
    suggest();
    field.focus();
  }

  async function submit() {
    const typed = field.value.trim();
    if (typed === '') return;
    field.value = '';
    trouble.hidden = true;
    suggest();
    const [, command, text = ''] = /^(\/\S+)\s*([\s\S]*)$/.exec(typed) ?? [];
    const base = { user: store.me, channel: store.place };
    // Slack accepts no commands in threads, where a slash is just a character.
    const outcome =
      command && !threadTs
        ? await send('command', { ...base, command, text })
        : await send('say', { ...base, text: escaped(typed), threadTs });
    if (outcome.ok || outcome.status !== undefined) return;
    trouble.hidden = false;
    fill(trouble, icon('warning', 14), ` ${outcome.error}`);
  }

  /** Typed text is plain text: only the app may use Slack's markup in angle brackets. */
  function escaped(text) {
    return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  }

  field.addEventListener('input', suggest);
  button.addEventListener('click', () => void submit());
  field.addEventListener('keydown', (event) => {
    const found = matches();
    if (found.length > 0 && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      chosen = (chosen + (event.key === 'ArrowDown' ? 1 : found.length - 1)) % found.length;
      suggest();
    } else if (found.length > 0 && event.key === 'Tab') {
      event.preventDefault();
      take(found[chosen]);
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      if (found.length > 0 && found[chosen] !== field.value) take(found[chosen]);
      else void submit();
    } else if (event.key === 'Escape') list.hidden = true;
  });
  /** The app's global shortcuts, which Slack shows behind the plus. */
  function shortcutButton({ callbackId, name: label }) {
    return h(
      'button',
      {
        type: 'button',
        class: 'composer-shortcut',
        'data-testid': 'global-shortcut',
        onclick: () => void send('shortcut', { user: store.me, callbackId }),
      },
      label,
    );
  }
  const name = () => (threadTs ? 'Reply…' : `Message ${store.placeName()}`);
  field.placeholder = name();
  return h(
    'div',
    { class: 'composer' },
    list,
    trouble,
    h(
      'div',
      { class: 'composer-box' },
      field,
      h(
        'div',
        { class: 'composer-bar' },
        h('small', {}, threadTs ? '' : 'Type / for commands'),
        store.globalShortcuts.map(shortcutButton),
        button,
      ),
    ),
  );
}
