import { expect, it } from 'vitest';
import { groupBy } from '../../../src/core/group-by.ts';

it('puts together what has the same key, keys and items in the order in which they came', () => {
  const groups = groupBy(['anna', 'bob', 'alex', 'ben', 'ada'], (name) => name[0]);

  expect([...groups]).toEqual([
    ['a', ['anna', 'alex', 'ada']],
    ['b', ['bob', 'ben']],
  ]);
});
