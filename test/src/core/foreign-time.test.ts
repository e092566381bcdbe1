import { expect, it } from 'vitest';
import { mayMeanForeignTime } from '../../../src/core/foreign-time.ts';

it.each([
  ['pour 2 heures', true],
  ['pour deux jours', true],
  ["jusqu'à demain", true],
  ['für 2 Stunden', true],
  ['für eine Woche Messe', true],
  ['nur 3 Tage', true],
  ['bis Freitag', true],
  ['por 2 horas', true],
  ['por 3 días', true],
  ['hasta mañana', true],
  ['per 2 ore', true],
  ['voor 2 uur', true],
  ['in zwei Tagen', true],
  ['due ore', true],
  ['twee uur', true],
  ['deux h', true],
  ['2 STUNDEN', true],
  ['2 dias', true],
  ['2 días', true],
  ['demi-heure', true],
  ['hasta el viernes', true],
  ['2 new laptops', false],
  ['team of 5', false],
  ['minute steak', false],
  ['in due time', false],
  ['iron ore samples', false],
  ['Horace and Bisson visit', false],
  ['una mesa nueva', false],
  ['Heureka Ltd', false],
  ['', false],
])('%j mentions time in another language: %s', (text, is) => {
  expect(mayMeanForeignTime(text.split(' '))).toBe(is);
});
