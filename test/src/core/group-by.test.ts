import { expect, it } from 'vitest';
import { groupBy } from '../../../src/core/group-by.ts';

it('groups items by key, with keys and items in their original order', () => {
  const groups = groupBy(['anna', 'bob', 'alex', 'ben', 'ada'], (name) => name[0]);

  expect([...groups]).toEqual([
    ['a', ['anna', 'alex', 'ada']],
    ['b', ['bob', 'ben']],
  ]);
});
