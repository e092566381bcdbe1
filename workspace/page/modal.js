import { avatar } from './avatar.js';
import { blocks } from './blocks.js';
import { trapFocus } from './confirm.js';
import { fill, h } from './dom.js';
import { icon } from './icons.js';
import { plain } from './mrkdwn.js';
import { send } from './workspace-api.js';

/** Handles the elements of a view: kept for the submission, or sent immediately. */
function viewHost(view, store, form) {
  const key = (block, element) => `${block.block_id} ${element.action_id}`;
  return {
    key: view.id,
    surface: view.type,
    people: store.people,
    place: store.place,
    errors: form.errors,
    held: (block, element) => form.held.get(key(block, element)),
    remember: (block, element, entry) =>
      form.held.set(key(block, element), { ...form.held.get(key(block, element)), ...entry }),
    change: (_block, element, value) => form.values.set(element.action_id, value),
    async act(deed, action) {
      const outcome = await send(deed, { user: store.me, viewId: view.id, ...action });
      form.failure = outcome.ok
        ? undefined
        : outcome.timedOut
          ? 'The app did not respond within 3 seconds.'
          : outcome.error;
      if (form.failure) form.redraw();
    },
    suggest: async (action) => (await send('suggest', { user: store.me, viewId: view.id, ...action })).options ?? [],
  };
}

/** Draws the user's open modal and keeps it up to date. */
export function createModal(overlay, store) {
  let form = { id: undefined };

  function fresh(view) {
    return {
      id: view.id,
      values: new Map(),
      held: new Map(),
      errors: {},
      failure: undefined,
      busy: false,
      redraw: () => show(view),
    };
  }

  async function submit(view) {
    if (form.busy) return;
    form.busy = true;
    show(view);
    const mine = form;
    const outcome = await send('submit', { user: store.me, viewId: view.id, values: Object.fromEntries(mine.values) });
    mine.busy = false;
    mine.errors = outcome.errors ?? {};
    const trouble = outcome.timedOut
      ? 'We had some trouble connecting: the app did not respond within 3 seconds.'
      : `We had some trouble connecting: ${outcome.error}`;
    mine.failure = outcome.ok || outcome.errors ? undefined : trouble;
    if (form === mine && store.modal?.id === mine.id) show(store.modal);
  }

  const close = (view, all) => send('close', { user: store.me, viewId: view.id, all });

  function show(view) {
    if (!view) {
      form = { id: undefined };
      return fill(overlay);
    }
    const same = form.id === view.id;
    if (!same) form = fresh(view);
    form.redraw = () => show(view);
    const focused = same ? document.activeElement?.dataset?.actionId : undefined;
    const host = viewHost(view, store, form);
    const send_ = h(
      'button',
      {
        type: 'submit',
        class: `button button-primary${form.busy ? ' busy' : ''}`,
        disabled: form.busy,
        'data-testid': 'modal-submit',
      },
      plain(view.submit?.text ?? 'Submit'),
    );
    const dialog = h(
      'form',
      {
        class: 'dialog',
        role: 'dialog',
        'aria-modal': 'true',
        'aria-label': view.title?.text,
        'data-testid': 'modal',
        'data-view-id': view.id,
        'data-callback-id': view.callback_id,
        novalidate: true,
        onsubmit: (event) => {
          event.preventDefault();
          void submit(view);
        },
      },
      h(
        'div',
        { class: 'dialog-head' },
        avatar(undefined, true),
        h('h2', {}, plain(view.title?.text ?? '')),
        h(
          'button',
          { type: 'button', class: 'dialog-x', 'aria-label': 'Close', onclick: () => close(view, true) },
          '✕',
        ),
      ),
      h(
        'div',
        { class: 'dialog-body' },
        form.failure
          ? h(
              'div',
              { class: 'failure', role: 'alert', 'data-testid': 'delivery-failed' },
              icon('warning', 14),
              ` ${form.failure}`,
            )
          : undefined,
        blocks(view.blocks, host),
      ),
      h(
        'div',
        { class: 'dialog-foot' },
        h(
          'button',
          { type: 'button', class: 'button', 'data-testid': 'modal-close', onclick: () => close(view, false) },
          plain(view.close?.text ?? (view.submit ? 'Cancel' : 'Close')),
        ),
        view.submit ? send_ : undefined,
      ),
    );
    const cover = h('div', { class: 'overlay' }, dialog);
    cover.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') void close(view, false);
      trapFocus(dialog, event);
    });
    fill(overlay, cover);
    const fault = dialog.querySelector('.has-fault input, .has-fault textarea, .has-fault .select');
    const wanted = focused ? dialog.querySelector(`[data-action-id="${CSS.escape(focused)}"]`) : undefined;
    (
      fault ??
      wanted ??
      dialog.querySelector('.dialog-body input, .dialog-body textarea, .dialog-body .select') ??
      dialog.querySelector('button.button')
    )?.focus();
  }

  return { show };
}

const homeForms = new Map();

/** The user's App Home. */
export function homeNode(view, store) {
  if (!view) return h('div', { class: 'home-empty' }, `${store.app.name} has not published a Home tab for you yet.`);
  if (!homeForms.has(view.id))
    homeForms.set(view.id, { values: new Map(), held: new Map(), errors: {}, redraw: () => undefined });
  return h(
    'div',
    { class: 'home', 'data-testid': 'home', 'data-view-id': view.id },
    blocks(view.blocks, viewHost(view, store, homeForms.get(view.id))),
  );
}
