import { h, svg } from './dom.js';

const COLORS = [
  '#1264a3',
  '#e8912d',
  '#2eb67d',
  '#8f4899',
  '#e01e5a',
  '#36c5f0',
  '#616061',
  '#b58105',
  '#0b6e62',
  '#c25b3f',
  '#5865a8',
  '#7a9c2e',
];
const [WIDTH, HEIGHT] = [520, 244];
const EDGE = { left: 52, right: 12, top: 12, bottom: 58 };
/** Labels below the axis: as wide as their slot, at most three lines. */
const LABEL = { perCharacter: 5.6, lineHeight: 13, lines: 3 };

function niceTop(value) {
  const power = 10 ** Math.floor(Math.log10(value || 1));
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((top) => top >= value) ?? value;
}

function shortNumber(value) {
  return new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}

function legend(names) {
  return h(
    'div',
    { class: 'legend' },
    names.map((name, index) => h('span', {}, h('i', { style: `background:${COLORS[index % COLORS.length]}` }), name)),
  );
}

/** Wraps words into lines of this length, and visibly truncates the rest. */
function wrapped(text, room) {
  const lines = [];
  for (const word of text.split(' ')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && longer.length <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  const shown = lines.slice(0, LABEL.lines).map((line) => (line.length > room ? `${line.slice(0, room - 1)}…` : line));
  if (lines.length > LABEL.lines) shown[LABEL.lines - 1] = `${shown[LABEL.lines - 1].replace(/…$/, '')}…`;
  return shown;
}

/** Positions of the grid lines: counts have no halves. */
function ticks(top) {
  const parts = [0, 0.25, 0.5, 0.75, 1].map((part) => part * top);
  if (parts.every(Number.isInteger) || top > 10) return parts;
  const step = Math.ceil(top / 5);
  return Array.from({ length: Math.ceil(top / step) + 1 }, (_, i) => i * step);
}

function axes(top, categories, x) {
  const y = (value) => HEIGHT - EDGE.bottom - (value / top) * (HEIGHT - EDGE.top - EDGE.bottom);
  const lines = ticks(top).flatMap((value) => [
    svg('line', { x1: EDGE.left, x2: WIDTH - EDGE.right, y1: y(value), y2: y(value) }),
    svg('text', { x: EDGE.left - 6, y: y(value) + 4, 'text-anchor': 'end', class: 'tick' }, shortNumber(value)),
  ]);
  const every = Math.ceil(categories.length / 10);
  const room = Math.floor((((WIDTH - EDGE.left - EDGE.right) / categories.length) * every) / LABEL.perCharacter);
  const labels = categories.flatMap((name, index) =>
    index % every === 0
      ? wrapped(name, Math.max(4, room)).map((line, row) => {
          const top = HEIGHT - EDGE.bottom + 16 + row * LABEL.lineHeight;
          return svg('text', { x: x(index), y: top, 'text-anchor': 'middle', class: 'tick' }, line);
        })
      : [],
  );
  return { y, nodes: [...lines, ...labels] };
}

function bars(chart, x, y, slot) {
  const width = Math.min(36, (slot * 0.7) / chart.series.length);
  return chart.series.flatMap((series, row) =>
    series.data.map(({ label, value }) => {
      const index = chart.axis_config.categories.indexOf(label);
      const left = x(index) - (width * chart.series.length) / 2 + row * width;
      const bar = svg('rect', {
        x: left + 1,
        y: y(value),
        width: width - 2,
        height: y(0) - y(value),
        rx: 2,
        fill: COLORS[row % COLORS.length],
      });
      bar.append(svg('title', {}, `${series.name}, ${label}: ${value}`));
      return bar;
    }),
  );
}

/** A data visualization block as SVG. */
export function chart(block) {
  const data = block.chart;
  const { categories, x_label: xLabel, y_label: yLabel } = data.axis_config;
  const top = niceTop(Math.max(...data.series.flatMap((series) => series.data.map(({ value }) => value)), 0));
  const slot = (WIDTH - EDGE.left - EDGE.right) / categories.length;
  const x = (index) => EDGE.left + slot * (index + 0.5);
  const { y, nodes } = axes(top, categories, x);
  const marks = bars(data, x, y, slot);
  return h(
    'figure',
    { class: 'chart' },
    h('figcaption', {}, block.title),
    yLabel ? h('div', { class: 'axis-label' }, yLabel) : undefined,
    svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': block.title }, nodes, marks),
    xLabel ? h('div', { class: 'axis-label centered' }, xLabel) : undefined,
    data.series.length > 1 ? legend(data.series.map(({ name }) => name)) : undefined,
  );
}
