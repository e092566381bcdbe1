import { describe, expect, it } from 'vitest';
import {
  formatDuration,
  formatRoughly,
  mayMeanTime,
  namesTime,
  readDuration,
  soundsLikeDuration,
} from '../../../src/core/duration.ts';

const HOUR = 3_600_000;

describe('durations that people type', () => {
  it.each<[string, number, number]>([
    ['4h', 4 * HOUR, 1],
    ['90m lunch', 1.5 * HOUR, 1],
    ['2 days trip', 48 * HOUR, 2],
    ['1.5 hours', 1.5 * HOUR, 2],
    ['1w', 168 * HOUR, 1],
    ['30 MIN', HOUR / 2, 2],
    ['an hour', HOUR, 2],
    ['Two hours', 2 * HOUR, 2],
    ['half a day', 12 * HOUR, 3],
    ['1h30m', 1.5 * HOUR, 1],
    ['1h30', 1.5 * HOUR, 1],
  ])('%s', (text, ms, words) => {
    expect(readDuration(text.split(' '))).toEqual({ ms, words });
  });

  it.each(['', 'h', '4', '4 x', '0h', '-4h', '400d', '1e9h', 'a h', 'a while', 'half hour'])(
    '%j is not a duration',
    (text) => {
      expect(readDuration(text.split(' '))).toBeNull();
    },
  );

  it.each([
    ['a few hours', true],
    ['3 months', true],
    ['400d', true],
    ['the whole week', true],
    ['a little while', true],
    ['450 while traveling', false],
    ['a team lunch', false],
    ['day shift', false],
    ['2 monitors', false],
  ])('%s sounds like a duration: %s', (text, is) => {
    expect(soundsLikeDuration(text.split(' '))).toBe(is);
  });

  it.each([
    ['2-3 hours', true],
    ['for december', true],
    ['soup du jour', false],
    ['iron ore samples', false],
    ['Horace and Bisson visit', false],
    ['una mesa nueva', false],
  ])('%s may mean a time: %s', (text, may) => {
    expect(mayMeanTime(text.split(' '))).toBe(may);
  });

  it.each([
    ['Friday 🙏', true],
    ['(dec24)', true],
    ['exp=12/1', true],
    ['5 p.m.', true],
    ['half-day', true],
    ['1,5 d', true],
    ['in may please', true],
    ['client may travel', false],
    ['for the May conference', false],
    ['until the May conference', true],
    ['2nd attempt', false],
    ['the 2nd', true],
    ['the 1st, client', true],
    ['all-day visit', true],
    ['Febuary visit', true],
    ['11th hour', true],
    ['birthday, holiday', false],
    ['INV-2026-11 24/7 2020-2024', false],
  ])('%s names a time: %s', (text, names) => {
    expect(namesTime(text.split(' '))).toBe(names);
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

  it.each<[number, string]>([
    [20_000, '1 minute'],
    [2 * HOUR, '2 hours'],
    [119 * 60_000, '119 minutes'],
    [130 * 60_000, '2 hours'],
    [23.6 * HOUR, '1 day'],
  ])('%i ms reads roughly %s', (ms, text) => {
    expect(formatRoughly(ms)).toBe(text);
  });
});

it.each([
  ['two and a half hours', 2.5],
  ['2 and a half hours', 2.5],
])('reads all of %j', (said, hours) => {
  expect(readDuration(said.split(' '))).toEqual({ ms: hours * 3_600_000, words: 5 });
});
