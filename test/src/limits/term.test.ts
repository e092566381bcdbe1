import { describe, expect, it } from 'vitest';
import type { Term } from '../../../src/card-api/rule-change.ts';
import { atMost, endOfTerm, hasPassed, termWords } from '../../../src/limits/term.ts';

const zone = 'America/New_York';
const from = new Date('2026-11-20T15:00:00Z');

describe('the end of a term', () => {
  it.each<[Term, string | null]>([
    [{ kind: 'permanent' }, null],
    [{ kind: 'purchase' }, '2026-11-20T15:15:00.000Z'],
    [{ kind: 'duration', ms: 3_600_000 }, '2026-11-20T16:00:00.000Z'],
    [{ kind: 'day', day: '2026-11-20' }, '2026-11-21T05:00:00.000Z'],
    [{ kind: 'until', at: '2026-11-21T14:00:00.000Z' }, '2026-11-21T14:00:00.000Z'],
    // Daylight saving time: the day ends an hour earlier in UTC.
    [{ kind: 'day', day: '2027-07-04' }, '2027-07-05T04:00:00.000Z'],
  ])('%j', (term, end) => {
    expect(endOfTerm(term, from, zone)?.toISOString() ?? null).toBe(end);
  });

  it.each<[Term, Term]>([
    [{ kind: 'permanent' }, { kind: 'duration', ms: 3_600_000 }],
    [{ kind: 'purchase' }, { kind: 'purchase' }],
    [
      { kind: 'duration', ms: 3_600_000 },
      { kind: 'duration', ms: 3_600_000 },
    ],
    [
      { kind: 'day', day: '2026-11-20' },
      { kind: 'duration', ms: 3_600_000 },
    ],
  ])('%j for an hour at most: %j', (term, expected) => {
    expect(atMost(term, 3_600_000, from, zone)).toEqual(expected);
  });
});

describe('a term that has passed', () => {
  it.each<[Term, boolean]>([
    [{ kind: 'day', day: '2026-11-19' }, true],
    [{ kind: 'day', day: '2026-11-20' }, false],
    [{ kind: 'until', at: '2026-11-20T15:00:00.000Z' }, true],
    [{ kind: 'until', at: '2026-11-20T15:00:00.001Z' }, false],
    [{ kind: 'duration', ms: 1 }, false],
    [{ kind: 'purchase' }, false],
    [{ kind: 'permanent' }, false],
  ])('%j: %j', (term, expected) => {
    expect(hasPassed(term, from, zone)).toBe(expected);
  });
});

describe('a term in words', () => {
  it.each<[Term, string]>([
    [{ kind: 'permanent' }, 'permanently'],
    [{ kind: 'purchase' }, 'for one purchase only, at most 15 minutes'],
    [{ kind: 'duration', ms: 4 * 3_600_000 }, 'for 4 hours'],
    [{ kind: 'day', day: '2026-12-24' }, 'to the end of Dec 24, 2026, Eastern time'],
    [{ kind: 'until', at: '2026-11-21T14:00:00.000Z' }, 'until Nov 21, 2026, 9:00 AM ET'],
  ])('describes %j as “%s”', (term, words) => {
    expect(termWords(term)).toBe(words);
  });
});
