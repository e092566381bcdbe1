import { expect, it } from 'vitest';
import { isZone, wordsRead, zoneWords } from '../../../src/core/zone-words.ts';
import { clock } from '../../support/clock.ts';

it.each([
  ['ET', 1],
  ['Eastern time', 2],
  ['America/New_York', 1],
  ['GMT+1 lunch', 1],
  ['lunch', 0],
  ['and/or', 0],
])('%j begins with a time zone of %i words', (text, words) => {
  expect(zoneWords(text.split(' '))).toBe(words);
});

it.each([
  ['ET', true],
  ['EDT', true],
  ['eastern time', true],
  ['America/New_York', true],
  ['PT', false],
  ['UTC', false],
])('%s is the zone of New York: %s', (typed, is) => {
  expect(isZone(typed, clock)).toBe(is);
});

it('counts the words that match at the beginning', () => {
  expect(wordsRead(/^at most /, ['at', 'most', '4h'])).toBe(2);
  expect(wordsRead(/^at most /, ['4h'])).toBe(0);
});
