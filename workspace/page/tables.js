import { h } from './dom.js';
import { richText } from './rich-text.js';

function cell(tag, content, people, settings = {}) {
  const numeric = content?.type === 'raw_number';
  const align = settings.align ?? (numeric ? 'right' : 'left');
  const shown = content?.type === 'rich_text' ? richText(content, people) : (content?.text ?? '');
  return h(
    tag,
    { class: `align-${align}${settings.is_wrapped ? ' wraps' : ''}`, scope: tag === 'th' ? 'col' : undefined },
    shown,
  );
}

/** A table block: its first row is the head. */
export function table(block, people) {
  const [head = [], ...rows] = block.rows;
  const columns = block.column_settings ?? [];
  // A head stands over its column: numbers to the right.
  const headSettings = (column) =>
    columns[column] ?? { align: rows[0]?.[column]?.type === 'raw_number' ? 'right' : 'left' };
  return h(
    'div',
    { class: 'table-place' },
    h(
      'table',
      { class: 'table' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          head.map((content, column) => cell('th', content, people, headSettings(column))),
        ),
      ),
      h(
        'tbody',
        {},
        rows.map((row) =>
          h(
            'tr',
            {},
            row.map((content, column) => cell('td', content, people, columns[column])),
          ),
        ),
      ),
    ),
  );
}

function sortKey(content) {
  return content?.type === 'raw_number' ? content.value : String(content?.text ?? '').toLowerCase();
}

/** A data table block: sorted by its columns, a page at a time. */
export function dataTable(block, people) {
  const [head = [], ...all] = block.rows;
  const size = block.page_size ?? 5;
  const state = { page: 0, column: undefined, down: false };
  const place = h('div', { class: 'data-table' });

  function sorted() {
    const { column, down } = state;
    if (column === undefined) return all;
    const order = (a, b) =>
      sortKey(a[column]) < sortKey(b[column]) ? -1 : sortKey(a[column]) > sortKey(b[column]) ? 1 : 0;
    return [...all].sort((a, b) => (down ? order(b, a) : order(a, b)));
  }

  function headCell(content, column) {
    const mark = state.column === column ? (state.down ? ' ▼' : ' ▲') : '';
    const sort = () => {
      state.down = state.column === column && !state.down;
      [state.column, state.page] = [column, 0];
      draw();
    };
    const numeric = all[0]?.[column]?.type === 'raw_number';
    return h(
      'th',
      { scope: 'col', class: numeric ? 'align-right' : 'align-left' },
      h('button', { type: 'button', class: 'sort', onclick: sort }, `${content?.text ?? ''}${mark}`),
    );
  }

  function draw() {
    const pages = Math.max(1, Math.ceil(all.length / size));
    const rows = sorted().slice(state.page * size, (state.page + 1) * size);
    const turn = (by) => () => {
      state.page += by;
      draw();
    };
    place.replaceChildren(
      h(
        'div',
        { class: 'table-place' },
        h(
          'table',
          { class: 'table' },
          h('caption', {}, block.caption),
          h('thead', {}, h('tr', {}, head.map(headCell))),
          h(
            'tbody',
            {},
            rows.map((row) =>
              h(
                'tr',
                {},
                row.map((content) => cell('td', content, people)),
              ),
            ),
          ),
        ),
      ),
    );
    if (pages > 1) {
      const first = state.page * size + 1;
      place.append(
        h(
          'div',
          { class: 'pager' },
          h('span', {}, `${first}–${Math.min(first + size - 1, all.length)} of ${all.length}`),
          h(
            'button',
            { type: 'button', disabled: state.page === 0, onclick: turn(-1), 'aria-label': 'Previous page' },
            '‹',
          ),
          h(
            'button',
            { type: 'button', disabled: state.page === pages - 1, onclick: turn(1), 'aria-label': 'Next page' },
            '›',
          ),
        ),
      );
    }
  }

  draw();
  return place;
}
