import { describe, expect, it } from 'vitest';
import { DEFAULT_ZONE } from '../../../src/core/installation.ts';
import { momentOf, readSince } from '../../../src/core/since.ts';
import { recoveryLine } from '../../../templates/recovery/recovery-line.ts';
import { shown } from '../shown.ts';

const line = {
  from: '2026-11-20T10:00:00.123Z',
  to: '2026-11-20T12:00:00.456Z',
  state: 'done',
  done: 1,
  recovered: 0,
  unsent: 0,
  unreadable: 0,
  statuses: 0,
} as const;

it('says after a failure from when to repeat it, as recover reads it, not later than it looked itself', () => {
  const { text } = recoveryLine({ ...line, state: 'failed' });
  const [, since = ''] = /`npm run recover -- --since (\S+)`/.exec(text) ?? [];

  expect(momentOf(readSince([since]) ?? { agoMs: 1 }, line.to, DEFAULT_ZONE)).toBe('2026-11-20T10:00:00.000Z');
});

describe('the result', () => {
  const wordsOf = (counts: Partial<Record<'recovered' | 'unsent' | 'unreadable' | 'statuses', number>>): string => {
    const { text, blocks } = recoveryLine({ ...line, ...counts });
    return `${text}\n${shown(blocks)}`.replaceAll(/<!date[^|]*\|([^>]*)>/g, '$1');
  };

  it('speaks of no alerts when nothing could be recovered', () => {
    const words = wordsOf({ unreadable: 1 });

    expect(words).toContain('1 event was missed');
    expect(words).toContain('0 recovered. 1 could not be read, and is in quarantine: `npm run replay -- list`.');
    expect(words).not.toMatch(/alert|late/);
  });

  it('never says that nothing was missed of what nobody can look up', () => {
    for (const counts of [{}, { unreadable: 1 }, { recovered: 1 }]) {
      expect(wordsOf(counts)).toContain('Shipments and virtual card orders cannot be fetched afterwards, nor statuses');
      expect(wordsOf(counts)).not.toMatch(/nothing/i);
    }
    expect(recoveryLine({ ...line, state: 'running', done: 0.5 }).text).toContain('No missed event found so far.');
  });

  it('speaks of one event as one', () => {
    expect(wordsOf({ recovered: 1, statuses: 1 })).toMatch(/Its alert is marked as late\.\nOf these, 1 card changed/);
  });

  it.each([
    [
      { recovered: 3, unsent: 2 },
      '2 of them are of a kind of which no webhook has arrived in 30 days: perhaps it has no address.',
    ],
    [{ recovered: 3, unsent: 1 }, '1 of them is of a kind of which'],
    [{ recovered: 2, unsent: 2 }, 'All recovered ones are of a kind of which'],
    [{ recovered: 1, unsent: 1 }, 'It is of a kind of which'],
  ])('says how many are of kinds that may have no address: %j', (counts, words) => {
    expect(wordsOf(counts)).toContain(words);
    expect(wordsOf({ ...counts, unsent: 0 })).not.toContain('of a kind');
  });

  it('names what was posted and what is in quarantine', () => {
    const words = wordsOf({ recovered: 3, unreadable: 2, statuses: 2 });

    expect(words).toContain('5 events were missed');
    expect(words).toContain('Their alerts are marked as late.');
    expect(words, 'kinds may have no channel').not.toContain('in their channels');
    expect(words).toContain('2 could not be read, and are in quarantine');
    expect(words).toContain('Of these, 2 cards changed status without a webhook.');
  });
});
