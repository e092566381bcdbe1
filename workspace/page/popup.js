import { fill, h } from './dom.js';

let open;

/** Closes the open list, if any. */
export function closePopup() {
  open?.();
}

function place(node, anchor) {
  const box = anchor.getBoundingClientRect();
  const height = node.offsetHeight;
  const above = box.bottom + height + 8 > window.innerHeight && box.top > height + 8;
  node.style.left = `${Math.max(8, Math.min(box.left, window.innerWidth - node.offsetWidth - 8))}px`;
  node.style.top = above ? `${box.top - height - 4}px` : `${box.bottom + 4}px`;
  node.style.minWidth = `${Math.max(box.width, 180)}px`;
}

/**
 * Opens a list of options below a control.
 * `find(query)` returns the options. `search` says whether there is a search field.
 */
export function openPopup(anchor, { find, search, hint, picked, chosen = () => false }) {
  const again = open?.anchor === anchor;
  closePopup();
  if (again) return;
  const list = h('div', { class: 'popup-list', role: 'listbox' });
  const field = search
    ? h('input', {
        class: 'popup-search',
        type: 'text',
        placeholder: 'Search',
        'data-testid': 'popup-search',
        'aria-label': 'Search',
      })
    : undefined;
  const popup = h('div', { class: 'popup', 'data-testid': 'popup' }, field, list);
  let turn = 0;

  async function refresh() {
    turn += 1;
    const mine = turn;
    const query = field?.value ?? '';
    if (hint?.(query)) return fill(list, h('div', { class: 'popup-hint' }, hint(query)));
    const wait = setTimeout(() => fill(list, h('div', { class: 'popup-hint' }, 'Loading…')), 150);
    const options = await find(query);
    clearTimeout(wait);
    if (mine !== turn) return;
    fill(list, options.length === 0 ? h('div', { class: 'popup-hint' }, 'No matches') : options.map(optionNode));
    place(popup, anchor);
  }

  function optionNode(option) {
    const pick = async () => {
      await picked(option);
      close();
      anchor.focus();
    };
    return h(
      'button',
      {
        type: 'button',
        role: 'option',
        class: 'popup-option',
        'data-value': option.value,
        'aria-selected': String(chosen(option)),
        onclick: pick,
      },
      h('span', { class: 'popup-check' }, chosen(option) ? '✓' : ''),
      h('span', {}, h('span', {}, option.label), option.description ? h('small', {}, option.description) : undefined),
    );
  }

  function onKey(event) {
    const options = [...list.querySelectorAll('button')];
    const at = options.indexOf(document.activeElement);
    if (event.key === 'Escape') {
      event.stopPropagation();
      close();
      anchor.focus();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const next = event.key === 'ArrowDown' ? at + 1 : at - 1;
      (next < 0 && field ? field : options[Math.max(0, Math.min(next, options.length - 1))])?.focus();
    } else if (event.key === 'Home' || event.key === 'End') {
      if (document.activeElement === field) return;
      event.preventDefault();
      options.at(event.key === 'Home' ? 0 : -1)?.focus();
    } else if (event.key === 'Tab') {
      // Continue from the control, not from the end of the page, where the list is.
      close();
      anchor.focus();
    } else if (event.key === 'Enter' && document.activeElement === field) {
      event.preventDefault();
      options[0]?.click();
    }
  }

  function outside(event) {
    if (!popup.contains(event.target) && !anchor.contains(event.target)) close();
  }

  function close() {
    popup.remove();
    document.removeEventListener('pointerdown', outside, true);
    anchor.setAttribute('aria-expanded', 'false');
    open = undefined;
  }

  popup.addEventListener('keydown', onKey);
  let typing;
  field?.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(refresh, 120);
  });
  document.addEventListener('pointerdown', outside, true);
  document.body.append(popup);
  anchor.setAttribute('aria-expanded', 'true');
  open = Object.assign(close, { anchor });
  place(popup, anchor);
  void refresh().then(() => {
    place(popup, anchor);
    (field ?? list.querySelector('button'))?.focus();
  });
}
