import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { DEFAULT_COMMAND, DEFAULT_ZONE, useInstallation } from '../../../src/core/installation.ts';
import { toWallClock } from '../../../src/core/service-time.ts';
import { windowEnd } from '../../../src/limits/limit-window.ts';

it.each([
  ['daily', 'a Friday morning', '2026-11-20T14:14:00Z', '2026-11-21T05:00:00.000Z'],
  [
    'daily',
    'late in the evening, when UTC is already on the next day',
    '2026-11-21T04:59:59.999Z',
    '2026-11-21T05:00:00.000Z',
  ],
  ['daily', 'exactly midnight: the new window', '2026-11-21T05:00:00Z', '2026-11-22T05:00:00.000Z'],
  ['daily', 'the night before clocks go forward', '2026-03-08T04:59:00Z', '2026-03-08T05:00:00.000Z'],
  ['daily', 'the 23-hour day', '2026-03-08T05:00:00Z', '2026-03-09T04:00:00.000Z'],
  ['daily', 'the night before clocks go back', '2026-11-01T03:59:00Z', '2026-11-01T04:00:00.000Z'],
  ['daily', 'the 25-hour day, in the repeated hour', '2026-11-01T06:30:00Z', '2026-11-02T05:00:00.000Z'],
  ['daily', 'the last day of a leap February', '2028-02-29T12:00:00Z', '2028-03-01T05:00:00.000Z'],
  ['weekly', 'a Friday', '2026-11-20T14:14:00Z', '2026-11-22T05:00:00.000Z'],
  ['weekly', 'a Saturday evening', '2026-11-22T04:59:59Z', '2026-11-22T05:00:00.000Z'],
  ['weekly', 'a Sunday: a full week', '2026-11-22T05:00:00Z', '2026-11-29T05:00:00.000Z'],
  ['weekly', 'the week in which clocks go back', '2026-10-28T12:00:00Z', '2026-11-01T04:00:00.000Z'],
  ['monthly', 'the month in which clocks go back', '2026-11-01T04:30:00Z', '2026-12-01T05:00:00.000Z'],
  ['monthly', 'the month in which clocks go forward', '2026-03-02T12:00:00Z', '2026-04-01T04:00:00.000Z'],
  ['monthly', 'December', '2026-12-31T12:00:00Z', '2027-01-01T05:00:00.000Z'],
  ['yearly', 'any day', '2026-07-01T12:00:00Z', '2027-01-01T05:00:00.000Z'],
  [
    'yearly',
    'New Year’s Eve, when UTC is already in the next year',
    '2027-01-01T04:59:00Z',
    '2027-01-01T05:00:00.000Z',
  ],
] as const)('a %s window in progress on %s ends at Eastern midnight', (period, _when, instant, end) => {
  expect(windowEnd(period, instant)).toBe(end);
});

afterEach(() => useInstallation({ command: DEFAULT_COMMAND, serviceZone: DEFAULT_ZONE }));

/** Whether a window of each kind begins on the given local date. */
const begins = {
  daily: () => true,
  weekly: (day: string) => new Date(`${day}T00:00Z`).getUTCDay() === 0,
  monthly: (day: string) => day.endsWith('-01'),
  yearly: (day: string) => day.endsWith('-01-01'),
} as const;

it.each(['Asia/Tokyo', 'Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Adelaide', 'Pacific/Auckland', 'UTC'])(
  'with CARD_SERVICE_TIMEZONE=%s every window ends at the first local midnight that begins the next one',
  (zone) => {
    useInstallation({ command: DEFAULT_COMMAND, serviceZone: zone });
    const periods = fc.constantFrom('daily', 'weekly', 'monthly', 'yearly');
    const instants = fc.date({ min: new Date('2025-01-01'), max: new Date('2029-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(periods, instants, (period, instant) => {
        const end = windowEnd(period, instant.toISOString()) ?? '';
        const [day = '', time] = toWallClock(new Date(end), zone).split('T');
        expect(time).toBe('00:00:00');
        expect(begins[period](day)).toBe(true);
        // No day between tomorrow and that midnight begins a window.
        const today = toWallClock(instant, zone).slice(0, 10);
        const between: string[] = [];
        for (let ms = Date.parse(today) + 86_400_000; ms < Date.parse(day); ms += 86_400_000)
          between.push(new Date(ms).toISOString().slice(0, 10));
        expect(day > today).toBe(true);
        expect(between.filter(begins[period])).toEqual([]);
      }),
      { numRuns: 200 },
    );
  },
);

it('a lifetime limit never resets, a single purchase has no window, and an invalid time has no end', () => {
  expect(windowEnd('lifetime', '2026-11-20T14:14:00Z')).toBeNull();
  expect(windowEnd('transaction', '2026-11-20T14:14:00Z')).toBeNull();
  expect(windowEnd('daily', 'yesterday')).toBeNull();
});

it('reads times with more fraction digits than a Date holds', () => {
  expect(windowEnd('daily', '2026-11-20T14:14:00.1234567Z')).toBe('2026-11-21T05:00:00.000Z');
});
