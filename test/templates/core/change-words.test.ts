import { expect, it } from 'vitest';
import { changeWords, sentences } from '../../../templates/core/change-words.ts';

it.each([
  ['daily limit $150.00', 'daily limit $400.00', 'Daily limit $150.00 → $400.00'],
  ['daily limit $150.00', 'no daily limit', 'Daily limit $150.00 → no daily limit'],
  ['active', 'blocked', 'Active → blocked'],
  ['daily limit $150.00', 'daily limit $150.00', 'Daily limit $150.00'],
  ['daily limit', 'daily limit $150.00', 'Daily limit → daily limit $150.00'],
  [
    'daily limit $150.00; no weekly limit',
    'daily limit $400.00; weekly limit $900.00',
    'Daily limit $150.00 → $400.00; no weekly limit → $900.00',
  ],
  ['a; b', 'c', 'A; b → c'],
])('%s, then %s', (before, after, words) => {
  expect(changeWords(before, after)).toBe(words);
});

it('joins parts as sentences, each with one full stop', () => {
  expect(sentences('daily limit $1.00 → $2.00', null, ' ', 'Back by itself.', 'It says: “Do not honor”', 'why?')).toBe(
    'Daily limit $1.00 → $2.00. Back by itself. It says: “Do not honor”. Why?',
  );
});
