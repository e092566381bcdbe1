import { expect, it } from 'vitest';
import { windowEnd } from '../../../src/limits/limit-window.ts';

it.each([
  ['daily', 'a Friday morning', '2026-11-20T14:14:00Z', '2026-11-21T05:00:00.000Z'],
  ['daily', 'late in the evening, when UTC has the next day', '2026-11-21T04:59:59.999Z', '2026-11-21T05:00:00.000Z'],
  ['daily', 'midnight itself: the new window', '2026-11-21T05:00:00Z', '2026-11-22T05:00:00.000Z'],
  ['daily', 'the night before clocks go forward', '2026-03-08T04:59:00Z', '2026-03-08T05:00:00.000Z'],
  ['daily', 'the day of 23 hours', '2026-03-08T05:00:00Z', '2026-03-09T04:00:00.000Z'],
  ['daily', 'the night before clocks go back', '2026-11-01T03:59:00Z', '2026-11-01T04:00:00.000Z'],
  ['daily', 'the day of 25 hours, in the hour that comes twice', '2026-11-01T06:30:00Z', '2026-11-02T05:00:00.000Z'],
  ['daily', 'the last day of a leap February', '2028-02-29T12:00:00Z', '2028-03-01T05:00:00.000Z'],
  ['weekly', 'a Friday', '2026-11-20T14:14:00Z', '2026-11-22T05:00:00.000Z'],
  ['weekly', 'a Saturday evening', '2026-11-22T04:59:59Z', '2026-11-22T05:00:00.000Z'],
  ['weekly', 'a Sunday: a whole week', '2026-11-22T05:00:00Z', '2026-11-29T05:00:00.000Z'],
  ['weekly', 'the week in which clocks go back', '2026-10-28T12:00:00Z', '2026-11-01T04:00:00.000Z'],
  ['monthly', 'the month in which clocks go back', '2026-11-01T04:30:00Z', '2026-12-01T05:00:00.000Z'],
  ['monthly', 'the month in which clocks go forward', '2026-03-02T12:00:00Z', '2026-04-01T04:00:00.000Z'],
  ['monthly', 'December', '2026-12-31T12:00:00Z', '2027-01-01T05:00:00.000Z'],
  ['yearly', 'any day', '2026-07-01T12:00:00Z', '2027-01-01T05:00:00.000Z'],
  ['yearly', 'New Year’s Eve, when UTC has the next year', '2027-01-01T04:59:00Z', '2027-01-01T05:00:00.000Z'],
] as const)('a %s window that runs on %s ends at Eastern midnight', (period, _when, instant, end) => {
  expect(windowEnd(period, instant)).toBe(end);
});

it('a lifetime limit never starts anew, a single purchase has no window, and what is no time has no end', () => {
  expect(windowEnd('lifetime', '2026-11-20T14:14:00Z')).toBeNull();
  expect(windowEnd('transaction', '2026-11-20T14:14:00Z')).toBeNull();
  expect(windowEnd('daily', 'yesterday')).toBeNull();
});

it('reads times with more fraction digits than a clock has', () => {
  expect(windowEnd('daily', '2026-11-20T14:14:00.1234567Z')).toBe('2026-11-21T05:00:00.000Z');
});
