import { h, svg } from './dom.js';

function bars() {
  const lines = [5, 10, 15].map((y) => svg('path', { d: `M3 ${y}h14` }));
  const fields = { viewBox: '0 0 20 20', width: 22, height: 22, stroke: 'currentColor', 'stroke-width': 1.8 };
  return svg('svg', { ...fields, 'stroke-linecap': 'round', 'aria-hidden': 'true' }, lines);
}

/** On a narrow page the sidebar folds away. `narrow.css` sets the width. */
export function createSidebarFold({ app, sidebar, cover, head }) {
  const button = () => head.querySelector('.menu-button');

  function set(isOpen) {
    app.classList.toggle('with-sidebar', isOpen);
    cover.hidden = !isOpen;
    button()?.setAttribute('aria-expanded', String(isOpen));
  }

  function open() {
    set(true);
    (sidebar.querySelector('.here') ?? sidebar.querySelector('a'))?.focus();
  }

  function close() {
    if (!app.classList.contains('with-sidebar')) return;
    set(false);
    button()?.focus();
  }

  cover.addEventListener('click', close);
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
  });
  // Tabbing out of the sidebar continues in the channel, which must then be visible.
  sidebar.addEventListener('focusout', (event) => {
    if (event.relatedTarget && !sidebar.contains(event.relatedTarget)) set(false);
  });
  return {
    close,
    /** The button that opens it, with the number of unread messages in other channels. */
    button: (unread) =>
      h(
        'button',
        {
          type: 'button',
          class: 'menu-button',
          'data-testid': 'menu-button',
          'aria-label': unread > 0 ? `Channels and people, ${unread} unread` : 'Channels and people',
          'aria-controls': 'sidebar',
          'aria-expanded': String(app.classList.contains('with-sidebar')),
          onclick: open,
        },
        bars(),
        unread > 0
          ? h('span', { class: 'count', 'aria-hidden': 'true' }, unread > 99 ? '99+' : String(unread))
          : undefined,
      ),
  };
}
