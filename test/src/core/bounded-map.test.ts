import { expect, it } from 'vitest';
import { BoundedMap } from '../../../src/core/bounded-map.ts';

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
