import { describe, expect, it } from 'vitest';
import { formatDuration, readDuration } from '../../../src/core/duration.ts';

const HOUR = 3_600_000;

describe('durations that people type', () => {
  it.each<[string, number, number]>([
    ['4h', 4 * HOUR, 1],
    ['90m lunch', 1.5 * HOUR, 1],
    ['2 days trip', 48 * HOUR, 2],
    ['1.5 hours', 1.5 * HOUR, 2],
    ['1w', 168 * HOUR, 1],
    ['30 MIN', HOUR / 2, 2],
  ])('%s', (text, ms, words) => {
    expect(readDuration(text.split(' '))).toEqual({ ms, words });
  });

  it.each(['', 'h', '4', '4 x', '0h', '-4h', '400d', '1e9h', 'four hours'])('%j is none', (text) => {
    expect(readDuration(text.split(' '))).toBeNull();
  });

  it.each<[number, string]>([
    [HOUR, '1 hour'],
    [90 * 60_000, '90 minutes'],
    [48 * HOUR, '2 days'],
    [14 * 24 * HOUR, '2 weeks'],
    [1000, '1 minute'],
  ])('%i ms reads %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
