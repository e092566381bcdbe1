import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MESSAGE_SIZE_MAX, MESSAGE_TEXT_MAX } from '../../../src/slack/limits.ts';
import { type Digest, digest } from '../../../templates/digests/digest.ts';
import { charactersIn, checkBlocks } from '../../../workspace/block-limits.ts';
import { examples } from '../../support/examples.ts';
import { card } from '../fixtures.ts';
import { shown } from '../shown.ts';

const facts: Digest = {
  kind: 'weekly',
  from: '2026-11-09T14:00:00Z',
  to: '2026-11-16T14:00:00Z',
  count: 12,
  before: 8,
  cents: 123_450,
  reasons: [
    { code: 'decline.rule.velocity', name: 'Over the daily limit', count: 9, before: 4 },
    { code: 'decline.card.pin', name: 'Wrong PIN', count: 3, before: 4 },
  ],
  merchants: [{ name: 'Blue Bottle Coffee', count: 7, before: 0 }],
  groups: [{ name: 'Field team', count: 12, before: 8 }],
  inactive: [card],
};

describe('a digest', () => {
  it('says in one sentence what the page shows', () => {
    expect(digest(facts, 'private').text).toBe(
      'Declines of the last week: 12 declines, $1,234.50, 4 more than the week before (8). Most often: Over the daily limit, 9 times. 1 card waits to be activated.',
    );
  });

  it('shows each number as a bar, in words, and beside the one before', () => {
    const read = shown(digest(facts, 'direct').blocks);

    expect(read).toContain('▰▰▰▰▰▰▰▰▰▰ *9* · Over the daily limit (4)');
    expect(read).toContain('▰▰▰▱▱▱▱▱▱▱ *3* · Wrong PIN (4)');
    expect(read).toContain('/card activate 1212');
  });

  it.each(['public', 'private'] as const)('names no PIN in a %s channel', (place) => {
    expect(JSON.stringify(digest(facts, place))).not.toMatch(/PIN/);
  });

  it('of a quiet day is short', () => {
    const quiet = {
      ...facts,
      kind: 'daily' as const,
      count: 0,
      before: 0,
      reasons: [],
      merchants: [],
      groups: [],
      inactive: [],
    };
    const { text, blocks } = digest(quiet, 'private');

    expect(text).toBe('Declines of the last day: Nothing was declined, as many as the day before (0).');
    expect(blocks).toHaveLength(3);
  });

  it('fits whatever names there are', () => {
    const words = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.constantFrom('', '<!channel>', 'x'.repeat(5000), '&'.repeat(5000)),
    );
    fc.assert(
      fc.property(words, fc.integer({ min: 0, max: 60 }), (name, size) => {
        const rows = Array.from({ length: size }, (_, i) => ({ name, code: name, count: size - i, before: i }));
        const named = { ...card, holder: name, last4: name };
        const some = { reasons: rows, merchants: rows, groups: rows, inactive: Array(size).fill(named) };
        const { text, blocks } = digest({ ...facts, ...some }, 'public');

        expect(checkBlocks(blocks, 'message')).toEqual([]);
        expect(charactersIn(blocks)).toBeLessThan(MESSAGE_SIZE_MAX);
        expect(text.length).toBeLessThanOrEqual(MESSAGE_TEXT_MAX);
      }),
      { numRuns: examples(20) },
    );
  });
});
