import { expect, it } from 'vitest';
import { directoryVerbs } from '../../../src/directory/verbs.ts';

const { read } = directoryVerbs.declines.command;

it('reads the typed words as an action of its verb', () => {
  expect(read(['4242', '30d'])).toMatchObject({
    verb: 'declines',
    target: { kind: 'words', words: ['4242'] },
    input: { details: '30d', page: 1 },
  });
});

it.each([
  [['4242', 'page', '2'], ['4242'], { details: '', page: 2 }],
  [['Jane', 'Page', '30d', 'page', '3'], ['Jane', 'Page'], { details: '30d', page: 3 }],
  [['Jane', 'Page'], ['Jane', 'Page'], { details: '', page: 1 }],
  [['4242', 'page', '0'], ['4242'], { details: '', page: 1 }],
])('reads the page at the end of %j', (typed, words, input) => {
  expect(read(typed)).toMatchObject({ target: { words }, input });
});

it.each(['400d', 'last week', 'since monday', 'today', 'for an hour', '1 month', 'six months'])(
  'reads %j as the period, not as part of a name',
  (said) => {
    expect(read(['4242', ...said.split(' ')])).toMatchObject({ target: { words: ['4242'] }, input: { details: said } });
  },
);

it.each([
  [['4242', '30'], ['4242'], '30'],
  [['card', '4242', '30', 'page', '2'], ['card', '4242'], '30'],
  [['<@U0JANE>', '30'], ['<@U0JANE>'], '30'],
  [['my', 'card', '30'], ['my', 'card'], '30'],
  [['4242', '2026-11-20'], ['4242'], '2026-11-20'],
  [['Jane', 'Doe', '2026-11-20'], ['Jane', 'Doe'], '2026-11-20'],
])('reads the number or day at the end of %j as the period, which is then asked about', (typed, words, details) => {
  expect(read(typed)).toMatchObject({ target: { words }, input: { details } });
});

it.each([['account 610'], ['EMP 7'], ['Team 30'], ['card 4242'], ['610']])(
  'reads the number at the end of “%s” as part of the card',
  (typed) => {
    expect(read(typed.split(' '))).toMatchObject({ target: { words: typed.split(' ') }, input: { details: '' } });
  },
);

it('explains the usage if the words cannot be read', () => {
  expect(read([])).toMatchObject({ kind: 'unclear', usage: expect.stringMatching(/^[a-z]/) });
});
