import { h } from './dom.js';
import { richText } from './rich-text.js';

function cell(tag, content, people, settings = {}) {
  const align = settings.align ?? 'left';
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
  return h(
    'div',
    // Wide tables scroll in their own frame, also with the keyboard.
    { class: 'table-place', tabindex: '0', role: 'region', 'aria-label': 'Table' },
    h(
      'table',
      { class: 'table' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          head.map((content, column) => cell('th', content, people, columns[column])),
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
