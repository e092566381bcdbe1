import { expect, it } from 'vitest';
import { createCursor, tokensOf, Unreadable } from '../../../src/routing/filter-cursor.ts';

it.each([
  ['declines over 1,250', ['declines', 'over', '1,250']],
  ['category 5812,5813', ['category', '5812', ',', '5813']],
  ['group:"Field  Ops"', ['group', 'Field Ops']],
  ['not (>500)', ['not', '(', '>', '500', ')']],
])('splits %j', (text, expected) => {
  expect(tokensOf(text).map((token) => token.text)).toEqual(expected);
});

it('takes only what is not in quotes for a word of the language', () => {
  const cursor = createCursor(tokensOf('"Over" OVER'));

  expect([cursor.word(), cursor.word(1), cursor.word(2)]).toEqual(['', 'over', '']);
});

it('names the word that it cannot read', () => {
  const cursor = createCursor(tokensOf('frobs'));

  expect(() => cursor.fail('a kind')).toThrow(new Unreadable('I do not understand “frobs” here: I expected a kind.'));
  cursor.advance();
  expect(() => cursor.fail('a kind')).toThrow('Something is missing at the end: I expected a kind.');
});
