import { fill, h } from './dom.js';
import { richText } from './rich-text.js';

/** The sort key of a cell. */
function sortKey(content) {
  if (content?.type === 'raw_number') return content.value;
  return content?.type === 'rich_text' ? JSON.stringify(content.elements) : (content?.text ?? '');
}

function inOrder(rows, { column, isDown }) {
  if (column === null) return rows;
  const sorted = rows.toSorted((one, other) => {
    const [a, b] = [sortKey(one[column]), sortKey(other[column])];
    return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
  });
  return isDown ? sorted.toReversed() : sorted;
}

/** A data table block: sortable header, row headers, and pages. */
export function dataTable(block, people) {
  const [head = [], ...rows] = block.rows;
  const size = block.page_size ?? 5;
  const headerColumn = block.row_header_column_index ?? 0;
  const pages = Math.ceil(rows.length / size);
  const place = h('div', { class: 'table-place', tabindex: '0', role: 'region', 'aria-label': block.caption });
  const view = { column: null, isDown: false, page: 0 };
  const show = (change) => {
    Object.assign(view, change);
    draw();
  };
  const sortBy = (column) => show({ column, isDown: view.column === column && !view.isDown, page: 0 });
  const headCell = (content, column) => {
    const sorted = view.column === column ? (view.isDown ? 'descending' : 'ascending') : 'none';
    return h(
      'th',
      { scope: 'col', 'aria-sort': sorted },
      h('button', { type: 'button', class: 'sort', onclick: () => sortBy(column) }, content.text),
    );
  };
  const bodyCell = (content, column) => {
    const shown = content.type === 'rich_text' ? richText(content, people) : content.text;
    const align = content.type === 'raw_number' ? 'align-right' : 'align-left wraps';
    return column === headerColumn ? h('th', { scope: 'row', class: align }, shown) : h('td', { class: align }, shown);
  };
  const turn = (words, by, isOff) =>
    h(
      'button',
      { type: 'button', class: 'button', disabled: isOff, onclick: () => show({ page: view.page + by }) },
      words,
    );
  function draw() {
    const shown = inOrder(rows, view).slice(view.page * size, (view.page + 1) * size);
    const table = h(
      'table',
      { class: 'table' },
      h('caption', {}, block.caption),
      h('thead', {}, h('tr', {}, head.map(headCell))),
      h(
        'tbody',
        {},
        shown.map((row) => h('tr', {}, row.map(bodyCell))),
      ),
    );
    const pager =
      pages > 1 &&
      h(
        'div',
        { class: 'pager' },
        turn('Previous', -1, view.page === 0),
        h('span', {}, `Page ${view.page + 1} of ${pages}`),
        turn('Next', 1, view.page === pages - 1),
      );
    fill(place, table, pager);
  }
  draw();
  return place;
}
