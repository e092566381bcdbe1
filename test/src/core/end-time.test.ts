import { describe, expect, it } from 'vitest';
import { readEnd } from '../../../src/core/end-time.ts';

/** A Friday, 9:14 in New York. */
const clock = { now: new Date('2026-11-20T14:14:00Z'), zone: 'America/New_York' };

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
  ])('%s', (text, endsAt, words) => {
    expect(readEnd(text.split(' '), clock)).toEqual({ endsAt: new Date(endsAt), words });
  });

  it.each([
    '',
    'until',
    'until later',
    'until Feb 30',
    'until 2026-02-31',
    'until 2026-11-19',
    'until 25:00',
    'for ever',
    'until 5',
  ])('%j is none', (text) => {
    expect(readEnd(text.split(' '), clock)).toBeNull();
  });
});
