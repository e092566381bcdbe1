import { expect, it } from 'vitest';
import { mayMeanForeignTime } from '../../../src/core/foreign-time.ts';

it.each([
  ['pour 2 heures', true],
  ['2 STUNDEN', true],
  ['2 dias', true],
  ['2 días', true],
  ['demi-heure', true],
  ['hasta el viernes', true],
  ['2 new laptops', false],
  ['team of 5', false],
  ['minute steak', false],
  ['Heureka Ltd', false],
  ['', false],
])('%j mentions time in another language: %s', (text, is) => {
  expect(mayMeanForeignTime(text.split(' '))).toBe(is);
});
