import { describe, expect, it } from 'vitest';
import { approvalVerbs } from '../../../src/approvals/verbs.ts';
import type { Term } from '../../../src/card-api/rule-change.ts';
import { readTerm } from '../../../src/limits/read-term.ts';
import { atMost } from '../../../src/limits/term.ts';
import { clock } from '../../support/clock.ts';

const zone = 'America/New_York';

describe("parsing a holder's request", () => {
  it.each([
    ['300', [], 30_000, 'purchase', ''],
    ['300 2 days hotel', [], 30_000, 'duration', 'hotel'],
    ['4242 300', ['4242'], 30_000, 'purchase', ''],
    ['$300 4242 miles', [], 30_000, 'purchase', '4242 miles'],
    ['Jane Doe 84.10 for 2 days hotel', ['Jane', 'Doe'], 8410, 'duration', 'hotel'],
    ['4242 $1,250 until midnight', ['4242'], 125_000, 'day', ''],
    ['"Dock 3 North" 300', ['"Dock', '3', 'North"'], 30_000, 'purchase', ''],
  ])('%s', (text, words, amountCents, kind, reason) => {
    expect(approvalVerbs.ask.command.read(text.split(' '), clock)).toMatchObject({
      verb: 'ask',
      target: words.length === 0 ? { kind: 'own' } : { kind: 'words', words },
      input: { ask: { amountCents, term: { kind } } },
      reason,
    });
  });

  it.each(['', '4242', '0', 'Jane Doe', '300 for 9 lightyears', '300 for a while'])('%j', (text) => {
    const asked = approvalVerbs.ask.command.read(text.split(' ').filter(Boolean), clock);

    // A lone "4242" is an amount, since a card without an amount asks for nothing.
    expect(asked.kind).toBe(text === '4242' ? 'read' : 'unclear');
  });
});

describe('parsing the duration of a change', () => {
  it.each<[string, Term | null, string]>([
    ['for 4h team lunch', { kind: 'duration', ms: 4 * 3_600_000 }, 'team lunch'],
    ['For 2 days', { kind: 'duration', ms: 48 * 3_600_000 }, ''],
    ['until midnight', { kind: 'day', day: '2026-11-20' }, ''],
    ['until 2026-12-24 holidays', { kind: 'day', day: '2026-12-24' }, 'holidays'],
    ['for an hour lunch', { kind: 'duration', ms: 3_600_000 }, 'lunch'],
    ['two hours', { kind: 'duration', ms: 2 * 3_600_000 }, ''],
    ['2h', { kind: 'duration', ms: 2 * 3_600_000 }, ''],
    ['for a day', { kind: 'duration', ms: 24 * 3_600_000 }, ''],
    ['today', { kind: 'day', day: '2026-11-20' }, ''],
    ['for today trade show', { kind: 'day', day: '2026-11-20' }, 'trade show'],
    ['trade show tonight', { kind: 'day', day: '2026-11-20' }, 'trade show'],
    ['til midnight', { kind: 'day', day: '2026-11-20' }, ''],
    ['tomorrow 9am', { kind: 'until', at: '2026-11-21T14:00:00.000Z' }, ''],
    ['until thursday', { kind: 'day', day: '2026-11-26' }, ''],
    ['until May 9', { kind: 'day', day: '2027-05-09' }, ''],
    ['next week', { kind: 'day', day: '2026-11-29' }, ''],
    ['until next week', { kind: 'day', day: '2026-11-22' }, ''],
    ['permanently new role', { kind: 'permanent' }, 'new role'],
    ['always', { kind: 'permanent' }, ''],
    ['for the team lunch', null, 'for the team lunch'],
    ['lunch for the Friday crew', null, 'lunch for the Friday crew'],
    ['', null, ''],
  ])('reads %j', (text, term, rest) => {
    const read = readTerm(text.split(' ').filter(Boolean), clock);

    expect(read).toEqual({ term, rest: rest.split(' ').filter(Boolean) });
  });

  it('means the midnight on the card service’s clock that comes next when it is read', () => {
    const at = (now: string) => readTerm(['until', 'midnight'], { now: new Date(now), zone });

    // 11:30 PM and midnight, Eastern time.
    expect(at('2026-11-21T04:30:00Z')).toMatchObject({ term: { kind: 'day', day: '2026-11-20' } });
    expect(at('2026-11-21T05:00:00Z')).toMatchObject({ term: { kind: 'day', day: '2026-11-21' } });
  });

  it.each(['until friday', 'team lunch until friday', 'until fri 5pm team lunch', 'friday lunch'])(
    'asks on a Friday about %j, which may be today or a week later',
    (text) => {
      expect(readTerm(text.split(' '), clock)).toBe('Today is Friday. Instead of “Friday”, write “today” or “Nov 27”.');
    },
  );

  it('accepts a term that ends exactly at that time', () => {
    const anHourBefore = new Date('2026-11-21T04:00:00Z');
    const today: Term = { kind: 'day', day: '2026-11-20' };

    expect(atMost(today, 3_600_000, anHourBefore, zone)).toEqual(today);
  });

  it.each([
    ['for 4 lightyears', 'for 4 lightyears'],
    ['for 4 lightyears of lunch', 'for 4 lightyears'],
    ['until tomorrow-ish', 'until tomorrow-ish'],
    ['for a while', 'for a while'],
    ['for a few hours please', 'for a few'],
    ['for 3 months', 'for 3 months'],
    ['temporarily', 'temporarily'],
    ['next friday', 'next friday'],
    ['lunch for a while', 'for a while'],
    ['until 2026-11-19', 'until 2026-11-19'],
    ['until 2026-02-30', 'until 2026-02-30'],
    [`until ${'x'.repeat(50)}`, `until ${'x'.repeat(34)}`],
  ])('asks back about %j, and repeats only the words that it could not read', (text, said) => {
    expect(readTerm(text.split(' '), clock)).toMatch(new RegExp(`^“${said}” .*Write “`));
  });

  it.each(['for 400 days', '60 weeks', 'until Jan 5 2028', 'until 2027-11-22', 'lunch until 2030-01-01'])(
    'asks back about %j, which is longer than a year',
    (text) => {
      expect(readTerm(text.split(' '), clock)).toMatch(/^That is longer than a year/);
    },
  );

  it.each<[string, Term]>([
    ['for 366 days', { kind: 'duration', ms: 366 * 24 * 3_600_000 }],
    ['until 2027-11-21', { kind: 'day', day: '2027-11-21' }],
  ])('reads %j, the longest there is', (text, term) => {
    expect(readTerm(text.split(' '), clock)).toEqual({ term, rest: [] });
  });

  it.each(['by 2030-01-01', 'for 4h lunch until 2030-01-01', 'in 400 days'])(
    'asks back about %j instead of taking the time as a reason',
    (text) => {
      expect(readTerm(text.split(' '), clock)).toMatch(/^Is “/);
    },
  );

  it.each([
    'team lunch (until friday), client',
    'client visit (until tomorrow), client',
    'client visit …tonight, client',
    'client visit friday please',
    'client visit Friday 🙏',
    'revert friday - thanks!',
    'client visit 2026-12-01 in Denver',
    'Denver Dec 1 in Denver',
    'exp 12/1 in Denver',
    'visit this friday in Denver',
    'visit 17:00 in Denver',
    'EOB',
    'week-long',
    'weeklong',
    'halfday',
    'remaining week',
    'for minus 2 days',
    'lunch every 2 days',
    'year end party',
    'the Friday please',
    'lunch by the Friday crew',
    'visit the 2nd please',
    'visit 5th floor',
    'thanksgiving, with client',
    'for 4h, bis Freitag',
    'permanently lunch (until friday)',
    'friday lunch until monday',
    'client visit #until next week',
    'every time',
    'each time we order',
    'hotel every time',
    'regularly',
    'recurring',
    'ongoing',
    'recurring, ads',
    'ads always',
    'always hotel',
    'everytime',
    'all the time hotel',
    'on-going',
  ])('asks back about %j, whatever stands around the time', (text) => {
    expect(readTerm(text.split(' '), clock)).toMatch(/^Is “/);
  });

  it.each(['the 2nd laptop', 'lunch for the Friday crew', 'a 5th floor kitchen', '2nd attempt', 'support 24/7'])(
    'takes %j as a reason, also behind a time',
    (text) => {
      expect(readTerm(text.split(' '), clock)).toEqual({ term: null, rest: text.split(' ') });
      expect(readTerm(['for', '4h', ...text.split(' ')], clock)).toMatchObject({ rest: text.split(' ') });
    },
  );

  const timely = [
    'Black Friday ads',
    'happy hour',
    'Days Inn',
    'April Johnson onboarding',
    '10-15 seats',
    'INV 11/20',
    'month end close noise',
    'Sun Country Airlines',
    'day care',
    'Sunday brunch',
    'lunch, back friday',
    '- Black Friday ads',
    '"7th floor kitchen"',
    '“every Friday lunch”',
    'reason: 7th floor kitchen',
    "'before lunch' snacks",
  ];
  it.each(
    ['for 4h', 'until thursday', 'tomorrow 5pm', 'permanently'].flatMap((time) =>
      timely.map((reason) => [time, reason]),
    ),
  )('%s in front is the time, and what follows is the reason: %s', (time, reason) => {
    expect(readTerm(`${time} ${reason}`.split(' '), clock)).toMatchObject({ rest: reason.split(' ') });
  });

  it('takes an ordinal behind a length for the reason, and behind a day for its date', () => {
    expect(readTerm('for 4h 7th floor kitchen'.split(' '), clock)).toMatchObject({ rest: ['7th', 'floor', 'kitchen'] });
    expect(readTerm('until friday 7th floor kitchen'.split(' '), clock)).toBe(
      'Is “7th floor kitchen” part of the time? If it is the reason, quote it.',
    );
  });

  it.each(['"Black Friday ads" for 4h', 'reason: Black Friday ads for 4h'])('reads the time behind %s', (text) => {
    expect(readTerm(text.split(' '), clock)).toMatchObject({ term: { kind: 'duration' } });
  });

  it.each(['for 4h "until friday"', 'permanently “for 2 days”', 'permanently lunch "until friday"'])(
    'asks back about a second time in quotes: %s',
    (text) => {
      expect(readTerm(text.split(' '), clock)).toMatch(/^Is “/);
    },
  );

  const units = ['minute', 'hours', 'days', 'week', 'fortnight', 'month', 'quarter', 'year', 'decades'];
  it.each([
    ...units,
    ...units.flatMap((unit) => [`for ${unit}`, `single ${unit}`, `max ${unit}`, `${unit} max`, `only ${unit}`]),
    'then back',
    'when she is back',
    'daytime',
    'nighttime',
    'long-term',
    'month only please',
    'office hours',
    'business hours',
    'after hours',
    'end of project',
    'project end',
    'end of the conference',
    "trip's end",
    'hotel, end of assignment',
    'twice a week',
    'hotel twice a day',
    'three times a month',
  ])('asks back about %j, which says only when', (text) => {
    expect(readTerm(text.split(' '), clock)).toMatch(/^Is “/);
  });

  it.each([
    'taxi to the client then back',
    'business trip',
    'project',
    'end client dinner',
    'second laptop',
    'trip',
    'long-term rental car',
    'recurring subscription',
    'ongoing project',
    'on-going project',
    'clocks for each time zone',
    'every time-zone clock',
    'vendor that always ships late',
    'backup drive',
  ])('takes %j as a reason', (text) => {
    expect(readTerm(text.split(' '), clock)).toEqual({ term: null, rest: text.split(' ') });
  });
});
