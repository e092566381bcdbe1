import { expect, it } from 'vitest';
import { closest, isMisspelt } from '../../../src/core/closest.ts';

const words = ['block', 'unblock', 'show', 'limit', 'mute'];

it.each([
  ['blok', 'block'],
  ['LIMTI', 'limit'],
  ['unblok', 'unblock'],
  ['shwo', 'show'],
  ['whos', null],
  ['shw', 'show'],
  ['frobnicate', null],
  ['', null],
  ['x'.repeat(5000), null],
])('%j probably means %s', (typed, word) => {
  expect(closest(typed, words)).toBe(word);
});

it.each([
  ['horus', true],
  ['hurs', true],
  ['hoours', true],
  ['hours', false],
  ['tours', false],
  ['houses', false],
  ['dya', true],
  ['dad', false],
  ['da', false],
  ['', false],
])('%j is misspelled: %s', (typed, is) => {
  expect(isMisspelt(typed, ['hours', 'day'])).toBe(is);
});
