import fc from 'fast-check';
import { expect, it } from 'vitest';
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
