import { afterEach, describe, expect, it } from 'vitest';
import {
  hadBegun,
  happenedSince,
  isTimeZone,
  localDate,
  localTime,
  readTimeZone,
  toInstant,
  toWallClock,
  toWallText,
} from '../../../src/core/service-time.ts';

const eastern = 'America/New_York';

const HALF_HOUR_MS = 1_800_000;
const DAY_MS = 86_400_000;
const FROM_MS = Date.UTC(2026, 0, 1);
const everyHalfHour = Array.from({ length: 35_040 }, (_, index) => FROM_MS + index * HALF_HOUR_MS);

/** Compares our conversion to and from the service's time with Intl's. */
function differences(instants: readonly number[]): string[] {
  const clock = new Intl.DateTimeFormat('en-CA', {
    timeZone: eastern,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  return instants.flatMap((ms) => {
    const wall = clock.format(ms).replace(', ', 'T');
    const instant = new Date(ms).toISOString();
    const written = toWallClock(new Date(ms), eastern);
    const read = toInstant(wall, eastern, new Date(ms + 1000).toISOString());
    return [
      ...(written === wall ? [] : [`${instant} was written as ${written}, not ${wall}`]),
      ...(Date.parse(read ?? '') === ms ? [] : [`${wall} was read as ${read}, not ${instant}`]),
    ];
  });
}

describe('a datetime with an offset', () => {
  it.each([
    ['2017-09-07T04:03:36.5738865-04:00', '2017-09-07T08:03:36.5738865Z'],
    ['2026-03-02T20:31:07+03:00', '2026-03-02T17:31:07.0000000Z'],
    ['2026-03-02T20:31:07Z', '2026-03-02T20:31:07.0000000Z'],
    ['2026-03-02T20:31:07z', '2026-03-02T20:31:07.0000000Z'],
    ['2026-03-02T20:31:07+0530', '2026-03-02T15:01:07.0000000Z'],
    ['2026-12-31T23:59:59.9999999-05:00', '2027-01-01T04:59:59.9999999Z'],
    ['2026-03-02T20:31:07.123456789Z', '2026-03-02T20:31:07.1234567Z'],
    ['2026-03-02 20:31:07 +00:00', '2026-03-02T20:31:07.0000000Z'],
    ['  2026-03-02T20:31:07Z  ', '2026-03-02T20:31:07.0000000Z'],
  ])('%s is %s', (text, instant) => {
    expect(toInstant(text, eastern)).toBe(instant);
  });
});

it('is no datetime if it is after the year 9999 in UTC, because its text would have five digits for the year', () => {
  expect(toInstant('9999-12-31T18:59:59', eastern)).toBe('9999-12-31T23:59:59.0000000Z');
  expect(toInstant('9999-12-31T19:00:00', eastern)).toBeNull();
  expect(toInstant('9999-12-31T23:59:00-00:01', eastern)).toBeNull();
  expect(toWallText('9999-12-31T23:59:00-00:01', eastern)).toBe('9999-12-31T23:59:00');
});

describe('a datetime without offset', () => {
  it.each([
    ['in winter', '2026-01-15T12:00:00', '2026-01-15T17:00:00.0000000Z'],
    ['in summer', '2026-07-15T12:00:00', '2026-07-15T16:00:00.0000000Z'],
    ['just before spring forward', '2026-03-08T01:59:59', '2026-03-08T06:59:59.0000000Z'],
    ['just after spring forward', '2026-03-08T03:00:00', '2026-03-08T07:00:00.0000000Z'],
    ['in the hour that spring skips', '2026-03-08T02:30:00', '2026-03-08T07:30:00.0000000Z'],
    ['just before fall back', '2026-11-01T00:59:59', '2026-11-01T04:59:59.0000000Z'],
    ['in the hour that autumn repeats', '2026-11-01T01:30:00', '2026-11-01T06:30:00.0000000Z'],
    ['just after fall back', '2026-11-01T02:00:00', '2026-11-01T07:00:00.0000000Z'],
    ['without seconds', '2026-07-15T12:00', '2026-07-15T16:00:00.0000000Z'],
    ['with milliseconds', '2026-07-15T12:00:00.124', '2026-07-15T16:00:00.1240000Z'],
    ['on a leap day', '2028-02-29T00:00:00', '2028-02-29T05:00:00.0000000Z'],
  ])('is Eastern wall clock %s', (_when, text, instant) => {
    expect(toInstant(text, eastern)).toBe(instant);
  });

  it.each([
    ['reported at once, before the clock went back', '01:30:00', '2026-11-01T05:30:01Z', '05:30:00'],
    ['reported at once, after the clock went back', '01:30:00', '2026-11-01T06:30:01Z', '06:30:00'],
    ['reported by a slightly slow clock', '01:30:00', '2026-11-01T06:29:55Z', '06:30:00'],
    ['reported half an hour later, before the later reading', '01:50:00', '2026-11-01T06:25:00Z', '05:50:00'],
    ['reported days later, which means standard time', '01:30:00', '2026-11-04T00:00:00Z', '06:30:00'],
    ['reported before either reading', '01:30:00', '2026-11-01T04:00:00Z', '05:30:00'],
  ])('in the repeated hour, %s', (_how, wall, sentAt, utc) => {
    expect(toInstant(`2026-11-01T${wall}`, eastern, sentAt)).toBe(`2026-11-01T${utc}.0000000Z`);
  });

  it('is read in the configured zone', () => {
    expect(toInstant('2026-07-15T12:00:00', 'UTC')).toBe('2026-07-15T12:00:00.0000000Z');
    expect(toInstant('2026-07-15T12:00:00', 'Asia/Kolkata')).toBe('2026-07-15T06:30:00.0000000Z');
    expect(toInstant('2026-07-15T12:00:00', 'America/Chicago')).toBe('2026-07-15T17:00:00.0000000Z');
  });
});

it('sorts as text, with and without a fraction', () => {
  const times = ['07', '07.0000001', '07.5', '07.57', '07.9999999', '08'];
  const instants = times.map((second) => toInstant(`2026-03-02T12:31:${second}`, eastern) ?? '');

  expect([...instants].sort()).toEqual(instants);
});

it.each([
  '',
  'now',
  '2026-03-02',
  '12:31:07',
  '2026-02-30T12:00:00',
  '2027-02-29T12:00:00',
  '2026-13-01T12:00:00',
  '2026-00-01T12:00:00',
  '2026-01-00T12:00:00',
  '2026-01-01T24:00:00',
  '2026-01-01T12:60:00',
  '2026-01-01T12:00:60',
  '0001-01-01T00:00:00',
  '2026-01-01T12:00:00+25:00',
  '2026-01-01T12:00:00 EST',
  '2026-1-1T1:00:00',
  '+002026-01-01T12:00:00Z',
  '2026-01-01T12:00:00.12345678901Z',
  '1772472667',
  '/Date(1772472667000)/',
])('%j is not a datetime', (text) => {
  expect(toInstant(text, eastern)).toBeNull();
});

it('knows which names are time zones', () => {
  expect(['America/New_York', 'UTC', 'Asia/Kolkata'].every(isTimeZone)).toBe(true);
  expect(['', 'Eastern', 'America/Nowhere', '../etc'].some(isTimeZone)).toBe(false);
});

it('formats an instant as wall clock time of the zone', () => {
  expect(toWallClock(new Date('2026-07-15T16:00:00.900Z'), eastern)).toBe('2026-07-15T12:00:00');
});

describe('every half hour of 2026 and 2027', () => {
  it('matches Intl', () => {
    expect(differences(everyHalfHour).slice(0, 10)).toEqual([]);
  });
});

describe('on a computer in', () => {
  const given = process.env.TZ;
  afterEach(() => {
    process.env.TZ = given;
  });
  const easternChanges = ['2026-03-08T07:00Z', '2026-11-01T06:00Z', '2027-03-14T07:00Z', '2027-11-07T06:00Z'];
  const offset = (ms: number): number => new Date(ms).getTimezoneOffset();
  /** Whether that computer or the service changes its clock within a day. */
  const isNearChange = (ms: number): boolean =>
    offset(ms - DAY_MS) !== offset(ms + DAY_MS) ||
    easternChanges.some((change) => Math.abs(Date.parse(change) - ms) < DAY_MS);

  it.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Tokyo'])(
    '%s, every half hour around a clock change and every thirteenth otherwise matches Intl',
    (hostZone) => {
      // Node re-reads its own zone whenever this variable is set.
      process.env.TZ = hostZone;
      expect(Intl.DateTimeFormat().resolvedOptions().timeZone).toBe(hostZone);

      const instants = everyHalfHour.filter((ms, index) => index % 13 === 0 || isNearChange(ms));

      expect(instants.length).toBeGreaterThan(3000);
      expect(differences(instants).slice(0, 10)).toEqual([]);
    },
  );
});

describe('a date and a time of day', () => {
  it('names the date in the zone', () => {
    expect(localDate(new Date('2026-11-21T04:59:00Z'), eastern)).toBe('2026-11-20');
    expect(localDate(new Date('2026-11-21T05:00:00Z'), eastern)).toBe('2026-11-21');
  });

  it.each([
    ['2026-11-20', '09:30', '2026-11-20T14:30:00Z'],
    // The end of a day is midnight of the next, also on the day that has 25 hours.
    ['2026-12-31', '24:00', '2027-01-01T05:00:00Z'],
    ['2026-11-01', '24:00', '2026-11-02T05:00:00Z'],
    ['2026-03-08', '02:30', '2026-03-08T07:30:00Z'],
    ['2026-11-01', '01:30', '2026-11-01T06:30:00Z'],
  ])('%s %s is %s', (date, time, instant) => {
    expect(localTime(date, time, eastern)).toBe(Date.parse(instant));
  });

  it('is no time when the date does not exist', () => {
    expect(localTime('2026-02-30', '09:30', eastern)).toBeNaN();
  });
});

it.each([
  ['EST', 'America/New_York'],
  ['et', 'America/New_York'],
  ['CDT', 'America/Chicago'],
  ['GMT', 'UTC'],
  ['utc', 'UTC'],
  ['MST', 'America/Phoenix'],
  ['hst', 'Pacific/Honolulu'],
  ['europe/berlin', 'Europe/Berlin'],
  ['Eastern', null],
  // Which country's zone they mean is uncertain: in old lists of zones, BST is Bangladesh's and AST Alaska's.
  ['BST', null],
  ['AST', null],
  ['IST', null],
  ['CET', 'Europe/Brussels'],
  ['Singapore', 'Asia/Singapore'],
  ['', null],
])('a person who types the time zone %j means %s', (word, zone) => {
  expect(readTimeZone(word)).toBe(zone);
});

it('a purchase in the very second of a moment happened since then: the service tells whole seconds', () => {
  const since = happenedSince(Date.parse('2026-11-20T15:00:07.900Z'));

  expect(since({ occurredAt: '2026-11-20T15:00:07Z' })).toBe(true);
  expect(since({ occurredAt: '2026-11-20T15:00:06Z' })).toBe(false);
});

it('takes a change that is reported up to a minute after a purchase as one that was there before', () => {
  const purchase = { occurredAt: '2026-11-20T14:14:00.0000000Z' };

  expect(hadBegun('2026-11-20T14:15:00.5000000Z', purchase)).toBe(true);
  expect(hadBegun('2026-11-20T14:15:01.0000000Z', purchase)).toBe(false);
});
