import { expect, it } from 'vitest';
import { readBirthDate } from '../../../src/virtual-cards/order.ts';

const now = new Date('2026-11-20T15:00:00Z');

it.each([
  ['1991-04-30', '1991-04-30'],
  ['04/30/1991', '1991-04-30'],
  ['4/3/1991', '1991-04-03'],
  ['04-30-1991', '1991-04-30'],
  ['2000-02-29', '2000-02-29'],
])('%s is the day %s', (text, date) => {
  expect(readBirthDate(text, now)).toBe(date);
});

it.each(['', '30/04/1991', '02/30/1991', '2001-02-29', '04/30/91', '2026-11-21', '1900-01-01', 'April 30, 1991'])(
  '“%s” is no date of birth',
  (text) => {
    expect(readBirthDate(text, now)).toBeNull();
  },
);
