import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuiet, printQuiet, quietUntil, quietWords } from '../../../src/routing/quiet-hours.ts';
import { examples } from '../../support/examples.ts';

const everyDay = [0, 1, 2, 3, 4, 5, 6];
const night = { from: '22:00', to: '07:00', zone: 'Europe/Berlin', days: everyDay };
const end = (window: typeof night, now: string): string | null => {
  const ms = quietUntil(window, Date.parse(now));
  return ms === null ? null : new Date(ms).toISOString();
};

describe('quiet hours', () => {
  it.each([
    ['before they begin', '2026-11-20T20:59:59Z', null],
    ['from their first second', '2026-11-20T21:00:00Z', '2026-11-21T06:00:00.000Z'],
    ['over midnight', '2026-11-21T00:30:00Z', '2026-11-21T06:00:00.000Z'],
    ['not at their end', '2026-11-21T06:00:00Z', null],
    ['in summer, by the clock of the zone', '2026-07-01T20:00:00Z', '2026-07-02T05:00:00.000Z'],
    ['in the night that loses an hour', '2026-03-28T22:00:00Z', '2026-03-29T05:00:00.000Z'],
    ['in the night that repeats an hour', '2026-10-24T21:00:00Z', '2026-10-25T06:00:00.000Z'],
  ])('%s', (_when, now, until) => {
    expect(end(night, now)).toBe(until);
  });

  it('that end in the hour skipped in spring end after that hour', () => {
    expect(end({ ...night, to: '02:30' }, '2026-03-29T00:45:00Z')).toBe('2026-03-29T01:30:00.000Z');
  });

  it('that end in the hour repeated in autumn end the second time', () => {
    const early = { ...night, to: '02:30' };

    expect(end(early, '2026-10-25T00:45:00Z')).toBe('2026-10-25T01:30:00.000Z');
    expect(end(early, '2026-10-25T01:45:00Z')).toBeNull();
  });

  it('on weekdays begin on weekdays: Friday’s last into Saturday, and Sunday evening has none', () => {
    const weekdays = { ...night, days: [1, 2, 3, 4, 5] };

    expect(end(weekdays, '2026-11-21T05:00:00Z')).toBe('2026-11-21T06:00:00.000Z');
    expect(end(weekdays, '2026-11-22T22:00:00Z')).toBeNull();
  });

  it('that follow each other without a break count as one', () => {
    const weekend = { from: '00:00', to: '24:00', zone: 'Europe/Berlin', days: [0, 6] };

    expect(end(weekend, '2026-11-21T12:00:00Z')).toBe('2026-11-22T23:00:00.000Z');
  });
});

it('quiet hours are shown as on a clock, in the card service’s zone by its short name', () => {
  expect(quietWords({ ...night, zone: 'America/New_York' })).toBe('10:00 PM to 7:00 AM ET, daily');
  expect(quietWords({ ...night, from: '00:30', to: '12:00', days: [1, 3] })).toBe(
    '12:30 AM to 12:00 PM Europe/Berlin, Monday, Wednesday',
  );
  expect(quietWords({ ...night, from: '00:00', to: '24:00', days: [0, 6] })).toBe('all day Europe/Berlin, weekends');
});

describe('quiet hours typed by a person', () => {
  it.each([
    ['22:00-07:00', '22:00-07:00 America/New_York, daily', null],
    ['10pm-7am Europe/Berlin weekdays', '22:00-07:00 Europe/Berlin, weekdays', null],
    ['22:00–07:00 mon-fri', '22:00-07:00 America/New_York, weekdays', null],
    ['00:00-24:00 sat,sun UTC', '00:00-24:00 UTC, weekends', null],
    ['22:00-07:00 fri-sun', '22:00-07:00 America/New_York, sunday, friday, saturday', null],
    ['22:00 - 07:00 mon - fri ET', '22:00-07:00 America/New_York, weekdays', null],
    ['10 pm to 7 am EST mon to fri', '22:00-07:00 America/New_York, weekdays', null],
    ['hours 22:00-07:00', '22:00-07:00 America/New_York, daily', null],
    ['from 10pm to 7am', '22:00-07:00 America/New_York, daily', null],
    ['22:00-07:00 pdt', '22:00-07:00 America/Los_Angeles, daily', null],
    ['22:00-07:00 sat, sun', '22:00-07:00 America/New_York, weekends', null],
    ['22:00-07:00 mon tue wed', '22:00-07:00 America/New_York, monday, tuesday, wednesday', null],
    [
      '22:00-07:00 on weekdays and sat',
      '22:00-07:00 America/New_York, monday, tuesday, wednesday, thursday, friday, saturday',
      null,
    ],
    ['midnight-6am', '00:00-06:00 America/New_York, daily', null],
    ['midnight to midnight sat, sun', '00:00-24:00 America/New_York, weekends', null],
    ['24:00-06:00', '00:00-06:00 America/New_York, daily', null],
    ['10pm to midnight', '22:00-24:00 America/New_York, daily', null],
    ['noon-6pm', '12:00-18:00 America/New_York, daily', null],
    ['22-7am', '22:00-07:00 America/New_York, daily', null],
    ['9:00-12:00', '09:00-12:00 America/New_York, daily', null],
    ['10:00-07:00', '10:00-07:00 America/New_York, daily', null],
    ['19:00-7:00', '19:00-07:00 America/New_York, daily', null],
    ['00:30-7am', '00:30-07:00 America/New_York, daily', null],
    ['10pm-07:00', '22:00-07:00 America/New_York, daily', null],
    ['22:00-07:00 except declines over 500', '22:00-07:00 America/New_York, daily', 'declines over 500'],
    ['22:00-07:00 except for declines', '22:00-07:00 America/New_York, daily', 'declines'],
    ['6pm-9am, except declines', '18:00-09:00 America/New_York, daily', 'declines'],
    ['6pm-9am, weekdays', '18:00-09:00 America/New_York, weekdays', null],
    ['6pm to 9am, weekdays', '18:00-09:00 America/New_York, weekdays', null],
  ])('%s', (text, printed, except) => {
    const parsed = parseQuiet(text, 'America/New_York');

    if (!('window' in parsed)) throw new Error('it was not parsed');
    expect(printQuiet(parsed.window)).toBe(printed);
    expect(parsed.except).toBe(except);
  });

  it('are read as they are printed', () => {
    const times = fc.constantFrom('00:00', '06:30', '22:00', '23:59');
    const zones = fc.constantFrom('Europe/Berlin', 'America/New_York', 'UTC');
    const days = fc.subarray(everyDay, { minLength: 1 });
    fc.assert(
      fc.property(times, times, zones, days, (from, to, zone, listed) => {
        fc.pre(from !== to);
        const window = { from, to, zone, days: listed };
        expect(parseQuiet(printQuiet(window), 'Asia/Tokyo')).toEqual({ kind: 'hours', window, except: null });
      }),
      { numRuns: examples(100) },
    );
  });

  it.each([
    ['', /not a range of hours/],
    ['tonight', /“tonight” is not a range of hours/],
    ['22-7', /not a range of hours/],
    ['25:00-07:00', /not a range of hours/],
    ['12-6am', /In “12-6am”, is 12 am or pm\? Write for instance 10pm-7am, or 22:00-07:00\./],
    ['10 to 6am', /In “10-6am”, is 10 am or pm\?/],
    ['10:30-6:30am', /is 10:30 am or pm\?/],
    ['10-11pm', /is 10 am or pm\?/],
    ['10pm-7:00', /is 7:00 am or pm\?/],
    ['10-midnight', /In “10-midnight”, is 10 am or pm\? Write for instance/],
    ['11:30 to Midnight', /is 11:30 am or pm\?/],
    ['noon-10', /is 10 am or pm\?/],
    ['10:00-7:00', /In “10:00-7:00”, is 10:00 am or pm\? Write for instance 10pm-7am, or 22:00-07:00\./],
    ['10:30-6:30 weekdays', /is 10:30 am or pm\?/],
    ['12:00-6:00', /is 12:00 am or pm\?/],
    ['11:00-10:00', /is 11:00 am or pm\?/],
    ['midnight-midnight', /always/],
    ['22:00-22:00', /start and end at the same time/],
    ['00:00-24:00', /always/],
    ['22:00-07:00 Berlin', /“Berlin”.*time zone such as/],
    ['22:00-07:00 except', /Except what/],
    ['22:00-07:00 except for', /Except what/],
    ['off until monday', /“until monday” after “off”, which ends quiet hours for good/],
    ['None of your business', /“of your business” after “None”/],
    ['off except declines', /“except declines” after “off”/],
  ])('rejects %j as unclear', (text, why) => {
    const parsed = parseQuiet(text, 'UTC');

    expect('why' in parsed && parsed.why).toMatch(why);
  });

  it('are removed by off', () => {
    expect(parseQuiet('off', 'UTC')).toEqual({ kind: 'off' });
  });
});
