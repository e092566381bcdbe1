import { expect, it } from 'vitest';
import { Gap, gapOf } from '../../../src/core/gap.ts';

const HOUR = 3_600_000;
const now = Date.parse('2026-11-20T12:00:00Z');

it.each(['start', 'away', 'stalled', 'rewound', 'asked'] as const)(
  'stores and reads a gap with the cause %s',
  (cause) => {
    const gap = gapOf(now - HOUR, now, cause);

    expect(Gap.parse(JSON.parse(JSON.stringify(gap)))).toEqual(gap);
  },
);

it('gives a gap with the same start and end the same id', () => {
  expect(gapOf(1, 2, 'start').id).toBe(gapOf(1, 2, 'away').id);
  expect(gapOf(1, 2, 'start').id).not.toBe(gapOf(1, 3, 'start').id);
});
