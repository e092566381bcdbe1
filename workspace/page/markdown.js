import { h, link } from './dom.js';
import { plain } from './mrkdwn.js';

function inline(text) {
  const nodes = [];
  const pattern =
    /(\*\*(.+?)\*\*|__(.+?)__|\*([^*\s][^*]*?)\*|_([^_\s][^_]*?)_|~~(.+?)~~|`([^`]+)`|\[([^\]]+)\]\(([^)\s]+)\))/;
  let rest = text;
  for (let match = pattern.exec(rest); match; match = pattern.exec(rest)) {
    nodes.push(...plain(rest.slice(0, match.index)));
    const [whole, , strong, strong2, em, em2, strike, code, label, address] = match;
    if (strong ?? strong2) nodes.push(h('strong', {}, inline(strong ?? strong2)));
    else if (em ?? em2) nodes.push(h('em', {}, inline(em ?? em2)));
    else if (strike) nodes.push(h('s', {}, inline(strike)));
    else if (code) nodes.push(h('code', {}, code));
    else nodes.push(link(address, inline(label)));
    rest = rest.slice(match.index + whole.length);
  }
  return [...nodes, ...plain(rest)];
}

function table(lines) {
  const cells = (line) =>
    line
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => cell.trim());
  const [head, , ...rows] = lines;
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
          cells(head).map((cell) => h('th', {}, inline(cell))),
        ),
      ),
      h(
        'tbody',
        {},
        rows.map((row) =>
          h(
            'tr',
            {},
            cells(row).map((cell) => h('td', {}, inline(cell))),
          ),
        ),
      ),
    ),
  );
}

const KINDS = [
  {
    test: /^#{1,6}\s+/,
    make: (lines) => lines.map((line) => h('div', { class: 'md-heading' }, inline(line.replace(/^#{1,6}\s+/, '')))),
  },
  {
    test: /^\s*[-*+]\s+/,
    make: (lines) =>
      h(
        'ul',
        {},
        lines.map((line) => h('li', {}, inline(line.replace(/^\s*[-*+]\s+/, '')))),
      ),
  },
  {
    test: /^\s*\d+\.\s+/,
    make: (lines) =>
      h(
        'ol',
        {},
        lines.map((line) => h('li', {}, inline(line.replace(/^\s*\d+\.\s+/, '')))),
      ),
  },
  {
    test: /^>\s?/,
    make: (lines) => h('blockquote', {}, inline(lines.map((line) => line.replace(/^>\s?/, '')).join('\n'))),
  },
  {
    test: /^\|.*\|$/,
    make: (lines) => (lines.length > 2 ? table(lines) : lines.map((line) => h('div', {}, inline(line)))),
  },
  { test: /^(---+|\*\*\*+)$/, make: () => h('hr', { class: 'block-divider' }) },
  { test: /./, make: (lines) => h('p', {}, inline(lines.join('\n'))) },
];

/** Standard Markdown as nodes, for the markdown block. */
export function markdown(text) {
  return String(text)
    .split(/```\w*\n([\s\S]+?)\n?```/)
    .flatMap((part, index) => {
      if (index % 2 === 1) return h('pre', {}, part);
      const nodes = [];
      let group = { kind: undefined, lines: [] };
      const flush = () => {
        if (group.kind) nodes.push(group.kind.make(group.lines));
        group = { kind: undefined, lines: [] };
      };
      for (const line of part.split('\n')) {
        const kind = KINDS.find(({ test }) => test.test(line));
        if (kind !== group.kind) flush();
        if (kind) group = { kind, lines: [...group.lines, line] };
      }
      flush();
      return nodes;
    });
}
