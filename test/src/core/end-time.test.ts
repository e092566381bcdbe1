import { describe, expect, it } from 'vitest';
import { endOf, isPlainlyTime, readCertainEnd, readEnd } from '../../../src/core/end-time.ts';
import { clock } from '../../support/clock.ts';

describe('an end that people type', () => {
  it.each([
    ['3 days trade show', '2026-11-23T14:14:00.000Z', 2],
    ['for 4h', '2026-11-20T18:14:00.000Z', 2],
    ['until 5pm', '2026-11-20T22:00:00.000Z', 2],
    ['until 9:00', '2026-11-21T14:00:00.000Z', 2],
    ['until midnight', '2026-11-21T05:00:00.000Z', 2],
    ['until noon', '2026-11-20T17:00:00.000Z', 2],
    ['until today', '2026-11-21T05:00:00.000Z', 2],
    ['until tomorrow 17:30 then', '2026-11-21T22:30:00.000Z', 3],
    ['until friday', '2026-11-28T05:00:00.000Z', 2],
    ['until Mon 8am', '2026-11-23T13:00:00.000Z', 3],
    ['until 2026-12-24', '2026-12-25T05:00:00.000Z', 2],
    ['until May 9 conference', '2027-05-10T04:00:00.000Z', 3],
    ['until 24th December', '2026-12-25T05:00:00.000Z', 3],
    ['until Nov 20', '2026-11-21T05:00:00.000Z', 3],
    ['until Nov 19', '2027-11-20T05:00:00.000Z', 3],
    ['until May 9, 2028', '2028-05-10T04:00:00.000Z', 4],
    ['until 5/9', '2027-05-10T04:00:00.000Z', 2],
    ['until 12/24/2026', '2026-12-25T05:00:00.000Z', 2],
    ['for an hour', '2026-11-20T15:14:00.000Z', 3],
    ['for two hours', '2026-11-20T16:14:00.000Z', 3],
    ['half an hour', '2026-11-20T14:44:00.000Z', 3],
    ['1h30m', '2026-11-20T15:44:00.000Z', 1],
    ['for a day', '2026-11-21T14:14:00.000Z', 3],
    ['today', '2026-11-21T05:00:00.000Z', 1],
    ['for today', '2026-11-21T05:00:00.000Z', 2],
    ['tonight', '2026-11-21T05:00:00.000Z', 1],
    ['for the rest of the day', '2026-11-21T05:00:00.000Z', 6],
    ['til midnight', '2026-11-21T05:00:00.000Z', 2],
    ['tomorrow 9am', '2026-11-21T14:00:00.000Z', 2],
    ['tomorrow at 9 am', '2026-11-21T14:00:00.000Z', 4],
    ['this week', '2026-11-23T05:00:00.000Z', 2],
    ['this month', '2026-12-01T05:00:00.000Z', 2],
    ['until the end of the month', '2026-12-01T05:00:00.000Z', 6],
    ['for rest of month', '2026-12-01T05:00:00.000Z', 4],
    ['for the rest of this month', '2026-12-01T05:00:00.000Z', 6],
    ['until eom', '2026-12-01T05:00:00.000Z', 2],
    ['next week', '2026-11-30T05:00:00.000Z', 2],
    ['until next week', '2026-11-23T05:00:00.000Z', 3],
    ['through next week', '2026-11-30T05:00:00.000Z', 3],
    ['the weekend', '2026-11-23T05:00:00.000Z', 2],
    ['through the weekend', '2026-11-23T05:00:00.000Z', 3],
    ['until the weekend', '2026-11-21T05:00:00.000Z', 3],
    ['until the weekend is over', '2026-11-23T05:00:00.000Z', 5],
    ['until the weekend ends', '2026-11-23T05:00:00.000Z', 4],
    ['until next week is over', '2026-11-30T05:00:00.000Z', 5],
    ['until next week ends', '2026-11-30T05:00:00.000Z', 4],
    ['until the weekend over budget', '2026-11-21T05:00:00.000Z', 3],
  ])('%s', (text, endsAt, words) => {
    const read = readEnd(text.split(' '), clock);

    expect(read).toMatchObject({ kind: 'end', words });
    expect(read.kind === 'end' ? endOf(read.end, clock)?.toISOString() : null).toBe(endsAt);
  });

  it.each([
    ['Monday', '2026-11-16T14:14:00Z', '2026-11-23T05:00:00.000Z'],
    ['Saturday', '2026-11-21T14:14:00Z', '2026-11-23T05:00:00.000Z'],
    ['Sunday, its last day', '2026-11-22T14:14:00Z', '2026-11-23T05:00:00.000Z'],
    ['Monday again', '2026-11-23T14:14:00Z', '2026-11-30T05:00:00.000Z'],
  ])('“this week” on a %s ends with its Sunday', (_day, now, endsAt) => {
    const then = { ...clock, now: new Date(now) };
    const read = readEnd(['this', 'week'], then);

    expect(read.kind === 'end' ? endOf(read.end, then)?.toISOString() : null).toBe(endsAt);
  });

  it.each(['permanently', 'forever', 'for ever', 'permanent'])('%s never ends', (text) => {
    expect(readEnd(text.split(' '), clock)).toMatchObject({ kind: 'end', end: { kind: 'permanent' } });
  });

  it.each([
    'until',
    'until later',
    'until Feb 30',
    'until 2026-02-31',
    'until 2026-11-19',
    'until 25:00',
    'until 5',
    'for 4 lightyears',
    'for a while',
    'a few hours',
    'for 3 months',
    'next friday',
    'next frday',
    'up to the weekend',
    'up to next week',
    'this wendesday',
    'tomorrowish',
    'temporarily',
  ])('%j is unclear', (text) => {
    expect(readEnd(text.split(' '), clock).kind).toBe('unclear');
  });

  it('says that a past day has passed', () => {
    expect(readEnd(['until', '2026-11-19'], clock)).toMatchObject({ why: expect.stringContaining('has passed') });
  });

  it.each(['until 11/19', 'until Nov 19 5pm', 'through Aug 20'])(
    'asks whether %j, which has passed, is of next year',
    (text) => {
      expect(readCertainEnd(text.split(' '), clock)).toEqual({
        kind: 'unclear',
        why: `“${text}” has passed. If you mean 2027, write the year.`,
      });
    },
  );

  it('asks just after New Year about a day of last year, with the year that it would be of', () => {
    const newYear = { ...clock, now: new Date('2027-01-02T15:00:00.000Z') };
    expect(readCertainEnd(['until', '12/28'], newYear)).toMatchObject({
      why: '“until 12/28” has passed. If you mean 2027, write the year.',
    });
  });

  it.each(['until friday', 'fri', 'through friday', 'until friday 5pm', 'noon friday'])(
    'asks on a Friday whether %j is today or a week later',
    (text) => {
      expect(readCertainEnd(text.split(' '), clock)).toEqual({
        kind: 'unclear',
        why: 'Today is Friday. Instead of “Friday”, write “today” or “Nov 27”.',
      });
      for (const day of ['today', 'Nov 27'])
        expect(readCertainEnd(text.replace(/fri(day)?/, day).split(' '), clock).kind, day).toBe('end');
    },
  );

  it.each(['until May 9', 'until 11/19/2027', 'until Aug 19', 'until Nov 20', 'until monday', 'until friday 9am'])(
    'does not ask about %j, which is ahead',
    (text) => {
      expect(readCertainEnd(text.split(' '), clock).kind).toBe('end');
    },
  );

  it.each(['', 'for the team lunch', 'lunch', 'for Dan', 'march expenses', 'a team lunch', '2 monitors'])(
    '%j is not about time',
    (text) => {
      expect(readEnd(text.split(' '), clock).kind).toBe('none');
    },
  );

  it.each([
    ['until later', true],
    ['for 4h', true],
    ['tonight', true],
    ['for a while', true],
    ['friday lunch', false],
    ['for 12 people', false],
    ['May conference', false],
  ])('%j is clearly about time among other words: %s', (text, is) => {
    expect(isPlainlyTime(text.split(' '), clock)).toBe(is);
  });
});

it.each([
  ['until May 9 2026', '“until May 9 2026” has passed'],
  ['tomorrow 25:00', 'is not a time I can read'],
  ['until friday at 25:00', 'is not a time I can read'],
])('quotes the complete unreadable part of %j', (said, why) => {
  expect(readEnd(said.split(' '), clock)).toMatchObject({ kind: 'unclear', why: expect.stringContaining(why) });
});
