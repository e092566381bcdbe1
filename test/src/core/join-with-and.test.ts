import { expect, it } from 'vitest';
import { joinWithAnd } from '../../../src/core/join-with-and.ts';

it.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a and b'],
  [['a', 'b', 'c'], 'a, b, and c'],
])('joins %j', (words, text) => {
  expect(joinWithAnd(words)).toBe(text);
});
