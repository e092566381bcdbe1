import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { BoundedMap } from '../../../src/core/bounded-map.ts';
import { examples } from '../../support/examples.ts';

it('drops the oldest entry when there are too many', () => {
  const map = new BoundedMap<string, number>(2);

  map.set('a', 1).set('b', 2).set('c', 3);

  expect([...map]).toEqual([
    ['b', 2],
    ['c', 3],
  ]);
});

it('counts an entry that is set again as the newest', () => {
  const map = new BoundedMap<string, number>(2);

  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4);

  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
});

/** A map with the entries 1 and 2, which is full, and how many iterators it has made since. */
function fullMap() {
  const map = new BoundedMap<number, number>(2);
  const keys = vi.spyOn(map, 'keys');
  map.set(1, 0).set(2, 0);
  return { map, iterators: () => keys.mock.calls.length };
}

it('finds the oldest entries with one iterator while only new entries are set', () => {
  const { map, iterators } = fullMap();
  expect(iterators()).toBe(0);

  for (let key = 3; key < 100; key += 1) map.set(key, 0);

  expect([iterators(), ...map.keys()].slice(0, 3)).toEqual([1, 98, 99]);
});

// An iterator that stands still keeps all tables that the map has replaced, with their values.
it.each<[string, (map: BoundedMap<number, number>) => unknown]>([
  ['an entry is set again', (map) => map.set(4, 1)],
  ['an entry is deleted', (map) => map.delete(4)],
  ['it is cleared', (map) => map.clear()],
])('keeps no iterator after %s', (_what, change) => {
  const { map, iterators } = fullMap();
  map.set(3, 0).set(4, 0);

  change(map);
  for (const key of [5, 6, 7, 8]) map.set(key, 0);

  expect(iterators()).toBe(2);
});

it('keeps the newest entries after any number of entries were set, deleted and cleared', () => {
  const step = fc.oneof(
    { weight: 20, arbitrary: fc.record({ kind: fc.constant('set' as const), key: fc.nat(12) }) },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('delete' as const), key: fc.nat(12) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const), key: fc.constant(0) }) },
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 300 }), (max, steps) => {
      const map = new BoundedMap<number, number>(max);
      let kept: [key: number, value: number][] = [];
      for (const [value, { kind, key }] of steps.entries()) {
        if (kind === 'clear') map.clear();
        else if (kind === 'delete') map.delete(key);
        else map.set(key, value);
        const others = kept.filter(([other]) => other !== key);
        kept = kind === 'clear' ? [] : kind === 'delete' ? others : [...others, [key, value] as [number, number]];
        kept = kept.slice(-max);

        expect([...map]).toEqual(kept);
      }
    }),
    { numRuns: examples(100) },
  );
});
