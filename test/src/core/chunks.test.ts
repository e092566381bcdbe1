import { expect, it } from 'vitest';
import { chunksOf } from '../../../src/core/chunks.ts';

it.each([
  [[], []],
  [[1, 2], [[1, 2]]],
  [
    [1, 2, 3, 4],
    [[1, 2, 3], [4]],
  ],
  [
    [1, 2, 3, 4, 5, 6],
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
  ],
])('%j in lists of at most three, in order', (items, expected) => {
  expect(chunksOf(items, 3)).toEqual(expected);
});
