import { svg } from './dom.js';

/** Drawn here, because not every machine has a font with emoji. */
const PATHS = {
  lock: ['M5.5 9V6.500a4.500 4.500 0 0 1 9 0V9', 'M4.500 9h11v7.500h-11z'],
  people: [
    'M8 9.500a2.800 2.800 0 1 0 0-5.600 2.800 2.800 0 0 0 0 5.600z',
    'M2.500 16c.3-3 2.500-4.500 5.500-4.500s5.200 1.500 5.500 4.500',
    'M13 4.300a2.600 2.600 0 0 1 0 5',
    'M14.500 11.800c1.900.6 2.900 2 3 4.200',
  ],
  eye: [
    'M1.800 10S4.800 4.800 10 4.800 18.200 10 18.200 10 15.200 15.200 10 15.200 1.800 10 1.800 10z',
    'M10 12.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z',
  ],
  reply: ['M3 4.500h14v9.500h-7l-3.500 3v-3H3z', 'M6.500 8h7', 'M6.500 10.700h4.500'],
  send: ['M3 16.500 17.500 10 3 3.500l1.500 5.300L11 10l-6.500 1.200z'],
  warning: ['M10 3 2.300 16.500h15.400z', 'M10 8v4', 'M10 14.200v.3'],
  info: ['M10 17.500a7.500 7.500 0 1 0 0-15 7.500 7.500 0 0 0 0 15z', 'M10 9v5', 'M10 6.300v.3'],
};

/** A small line drawing in the color of the surrounding text. */
export function icon(name, size = 16) {
  const paths = PATHS[name].map((d) => svg('path', { d }));
  const fields = {
    viewBox: '0 0 20 20',
    width: size,
    height: size,
    fill: name === 'send' ? 'currentColor' : 'none',
    stroke: 'currentColor',
    'stroke-width': 1.6,
    'stroke-linejoin': 'round',
    'stroke-linecap': 'round',
    'aria-hidden': 'true',
    class: 'icon',
  };
  return svg('svg', fields, paths);
}
