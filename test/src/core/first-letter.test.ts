import { expect, it } from 'vitest';
import { lowerFirst } from '../../../src/core/first-letter.ts';

it.each([
  ['Over the daily limit', 'over the daily limit'],
  ['A wrong PIN', 'a wrong PIN'],
  ['USPS, 94001118', 'USPS, 94001118'],
  ['FedEx, 7712', 'FedEx, 7712'],
  ['I do not understand it', 'I do not understand it'],
  ['It is over', 'it is over'],
  ['', ''],
])('%j continues a sentence as %j', (title, continued) => {
  expect(lowerFirst(title)).toBe(continued);
});
