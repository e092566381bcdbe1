import { h } from './dom.js';
import { plain, textObject } from './mrkdwn.js';

/** Keeps Tab inside a dialog. */
export function trapFocus(dialog, event) {
  if (event.key !== 'Tab') return;
  const stops = [...dialog.querySelectorAll('button, input, textarea, select, a[href]')].filter(
    (node) => !node.disabled && node.offsetParent !== null,
  );
  const [first, last] = [stops[0], stops.at(-1)];
  if (event.shiftKey && document.activeElement === first) last?.focus();
  else if (!event.shiftKey && document.activeElement === last) first?.focus();
  else return;
  event.preventDefault();
}

/** Shows a confirm object's question. Resolves to whether the person confirmed. */
export function askConfirm(confirm, people) {
  const before = document.activeElement;
  return new Promise((resolve) => {
    const end = (yes) => () => {
      overlay.remove();
      before?.focus?.();
      resolve(yes);
    };
    const danger = confirm.style === 'danger';
    const yes = h(
      'button',
      {
        type: 'button',
        class: `button ${danger ? 'button-danger' : 'button-primary'}`,
        'data-testid': 'confirm-yes',
        onclick: end(true),
      },
      plain(confirm.confirm?.text ?? 'Yes'),
    );
    const no = h(
      'button',
      { type: 'button', class: 'button', 'data-testid': 'confirm-no', onclick: end(false) },
      plain(confirm.deny?.text ?? 'Cancel'),
    );
    const dialog = h(
      'div',
      {
        class: 'dialog dialog-small',
        role: 'alertdialog',
        'aria-modal': 'true',
        'aria-label': confirm.title?.text ?? 'Confirm',
        'data-testid': 'confirm',
      },
      h('div', { class: 'dialog-head' }, h('h2', {}, plain(confirm.title?.text ?? 'Are you sure?'))),
      h('div', { class: 'dialog-body' }, textObject(confirm.text, people)),
      h('div', { class: 'dialog-foot' }, no, yes),
    );
    const overlay = h('div', { class: 'overlay overlay-top' }, dialog);
    overlay.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Escape') end(false)();
      trapFocus(dialog, event);
    });
    document.body.append(overlay);
    yes.focus();
  });
}
