import { describe, expect, it } from 'vitest';
import { readSince, Since } from '../../../src/core/since.ts';

describe('a moment in the past, as a person writes it', () => {
  it.each([
    ['2h', { agoMs: 7_200_000 }],
    ['3 days', { agoMs: 259_200_000 }],
    ['2026-11-20', { at: '2026-11-20T00:00' }],
    ['2026-11-20T09:00', { at: '2026-11-20T09:00' }],
    ['2026-11-20t09:00:30z', { at: '2026-11-20T09:00:30Z' }],
    ['2026-11-20T09:00:30.125Z', { at: '2026-11-20T09:00:30.125Z' }],
    ['2026-11-20T09:00-05:00', { at: '2026-11-20T09:00-05:00' }],
  ])('%s is read', (text, since) => {
    expect(readSince(text.split(' '))).toEqual(since);
    expect(Since.parse(since)).toEqual(since);
  });

  it.each(['', 'yesterday', '2h ago', '2026-11-20 09:00', '20.11.2026', '2026-11-20T9:00', '2026-11-20T09:00 EST'])(
    '%j is not',
    (text) => {
      expect(readSince(text.split(' '))).toBeNull();
    },
  );
});
