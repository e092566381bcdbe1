import { describe, expect, it } from 'vitest';
import { nextDue, periodBefore, periodBeforeThat, periodsUntil } from '../../../src/digests/schedule-store.ts';

const at = (weekday: number | null, hour: number, minute: number, zone: string) => ({
  weekday,
  hour,
  minute,
  zone,
  isMonthly: false,
});
const shown = ({ fromMs, toMs, date }: { fromMs: number; toMs: number; date: string }) => [
  new Date(fromMs).toISOString(),
  new Date(toMs).toISOString(),
  date,
];

describe('the period of a digest', () => {
  const newYork = at(null, 9, 0, 'America/New_York');

  it.each([
    // A minute before nine, at nine, late in the evening.
    ['2026-11-20T13:59:00Z', '2026-11-18T14:00:00.000Z', '2026-11-19T14:00:00.000Z', '2026-11-19'],
    ['2026-11-20T14:00:00Z', '2026-11-19T14:00:00.000Z', '2026-11-20T14:00:00.000Z', '2026-11-20'],
    ['2026-11-21T04:30:00Z', '2026-11-19T14:00:00.000Z', '2026-11-20T14:00:00.000Z', '2026-11-20'],
  ])('of a day at %s', (now, from, to, date) => {
    expect(shown(periodBefore(newYork, new Date(now)))).toEqual([from, to, date]);
  });

  it('is an hour shorter or longer when the clock changes', () => {
    const spring = periodBefore(newYork, new Date('2026-03-08T14:00:00Z'));
    const autumn = periodBefore(newYork, new Date('2026-11-01T15:00:00Z'));

    expect((spring.toMs - spring.fromMs) / 3_600_000).toBe(23);
    expect((autumn.toMs - autumn.fromMs) / 3_600_000).toBe(25);
  });

  it('exists if spring skips its hour, and exists once if autumn repeats it', () => {
    const early = at(null, 2, 30, 'America/New_York');

    expect(shown(periodBefore(early, new Date('2026-03-08T12:00:00Z')))).toEqual([
      '2026-03-07T07:30:00.000Z',
      '2026-03-08T07:30:00.000Z',
      '2026-03-08',
    ]);
    const late = at(null, 1, 30, 'America/New_York');
    expect(periodBefore(late, new Date('2026-11-01T05:45:00Z')).date).toBe('2026-10-31');
    expect(periodBefore(late, new Date('2026-11-01T06:45:00Z')).date).toBe('2026-11-01');
  });

  it('of a week starts where the previous one ended', () => {
    const monday = at(1, 9, 15, 'Asia/Kathmandu');
    const week = periodBefore(monday, new Date('2026-11-20T12:00:00Z'));

    expect(shown(week)).toEqual(['2026-11-09T03:30:00.000Z', '2026-11-16T03:30:00.000Z', '2026-11-16']);
    expect(periodBeforeThat(monday, week).toMs).toBe(week.fromMs);
    expect(new Date(nextDue(monday, new Date('2026-11-20T12:00:00Z'), 0)).toISOString()).toBe(
      '2026-11-23T03:30:00.000Z',
    );
  });

  it('starts and ends on a quarter hour, like the decline counts, so that no decline is missed', () => {
    const fivePast = at(null, 9, 5, 'America/New_York');
    const day = periodBefore(fivePast, new Date('2026-11-20T14:05:00Z'));

    expect(shown(day)).toEqual(['2026-11-19T14:00:00.000Z', '2026-11-20T14:00:00.000Z', '2026-11-20']);
    expect(new Date(day.dueMs).toISOString()).toBe('2026-11-20T14:05:00.000Z');
    expect(periodBeforeThat(fivePast, day).toMs).toBe(day.fromMs);
    const [untilNow, before] = periodsUntil('daily', new Date('2026-11-20T14:05:00Z'), 'UTC');
    expect([untilNow.fromMs, untilNow.toMs].map((ms) => new Date(ms).toISOString())).toEqual([
      '2026-11-19T14:00:00.000Z',
      '2026-11-20T14:05:00.000Z',
    ]);
    expect([before.fromMs, before.toMs]).toEqual([untilNow.fromMs - 86_400_000, untilNow.fromMs]);
  });

  it('of a month is the calendar month in its zone, whenever the digest is due', () => {
    const monthly = { ...at(null, 9, 0, 'America/New_York'), isMonthly: true };
    const october = periodBefore(monthly, new Date('2026-11-20T12:00:00Z'));

    expect(shown(october)).toEqual(['2026-10-01T04:00:00.000Z', '2026-11-01T04:00:00.000Z', '2026-11-01']);
    expect(new Date(october.dueMs).toISOString()).toBe('2026-11-01T14:00:00.000Z');
    expect(shown(periodBeforeThat(monthly, october))).toEqual([
      '2026-09-01T04:00:00.000Z',
      '2026-10-01T04:00:00.000Z',
      '2026-10-01',
    ]);
    expect(periodBefore(monthly, new Date('2026-11-01T13:59:00Z')).date).toBe('2026-10-01');
    expect(new Date(nextDue(monthly, new Date('2027-01-31T12:00:00Z'), 0)).toISOString()).toBe(
      '2027-02-01T14:00:00.000Z',
    );
  });

  it('is not due again if a digest has shown all of it', () => {
    const monthly = { ...at(null, 17, 0, 'UTC'), isMonthly: true };
    const shownToMs = Date.parse('2026-11-01T00:00:00Z');

    expect(new Date(nextDue(monthly, new Date('2026-11-01T10:00:00Z'), 0)).toISOString()).toBe(
      '2026-11-01T17:00:00.000Z',
    );
    expect(new Date(nextDue(monthly, new Date('2026-11-01T10:00:00Z'), shownToMs)).toISOString()).toBe(
      '2026-12-01T17:00:00.000Z',
    );
  });

  it('up to now is the last day, the last week or the calendar month', () => {
    const until = (kind: 'daily' | 'weekly' | 'monthly') =>
      periodsUntil(kind, new Date('2026-11-20T12:00:00Z'), 'UTC').map(({ fromMs, toMs }) =>
        [fromMs, toMs].map((ms) => new Date(ms).toISOString().slice(0, 13)),
      );

    expect(until('daily')).toEqual([
      ['2026-11-19T12', '2026-11-20T12'],
      ['2026-11-18T12', '2026-11-19T12'],
    ]);
    expect(until('weekly')[1]).toEqual(['2026-11-06T12', '2026-11-13T12']);
    expect(until('monthly')).toEqual([
      ['2026-11-01T00', '2026-11-20T12'],
      ['2026-10-01T00', '2026-11-01T00'],
    ]);
  });
});
