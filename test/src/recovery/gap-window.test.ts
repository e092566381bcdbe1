import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isUnderWay, windowOf } from '../../../src/recovery/gap-window.ts';

const HOUR = 3_600_000;
const now = Date.parse('2026-11-20T12:00:00Z');
const at = (hours: number): string => new Date(now + hours * HOUR).toISOString();
const span = (from: number, to: number, cause: 'start' | 'asked' = 'start', sinceMs = 0) => {
  const { fromMs, toMs } = windowOf({ from: at(from), to: at(to), cause }, { nowMs: now, sinceMs });
  return [(fromMs - now) / HOUR, (toMs - now) / HOUR];
};

describe('the window to request for a gap', () => {
  it('starts a little over an hour before the gap, because the last retry of a webhook may fall into the gap', () => {
    const [from = 0, to = 0] = span(-2, -1);
    expect(from * 60).toBeCloseTo(-120 - 65);
    expect(to * 60).toBeCloseTo(-59);
  });
  it('never ends in the future', () => {
    expect(span(-2, 0)[1]).toBe(0);
  });
  it.each(['start', 'asked'] as const)('covers a gap (%s) that is still to come by a slow clock', (cause) => {
    const [from = 0, to = 0] = span(0.5, 1, cause);
    expect(from).toBeLessThanOrEqual(0.5);
    expect(to).toBe(1);
  });
  it('does not start before Cardbell first ran', () => {
    expect(span(-2, -1, 'start', now - 2.5 * HOUR)[0]).toBe(-2.5);
    expect(span(-2, -1, 'start', now - HOUR)[0]).toBe(-2);
  });
  it('does not include time before the gap that is no longer remembered', () => {
    expect(span(-24 * 8, -1)[0]).toBe(-24 * 8);
    expect(span(-24 * 7 + 1.5, -1)[0]).toBe(-24 * 7 + 1);
  });
  it('is exactly the window a person asked for', () => {
    expect(span(-48, -1, 'asked')).toEqual([-48, -1]);
  });
  it('never starts earlier than the service allows', () => {
    expect(span(-24 * 900, -1)[0]).toBe(-24 * 364);
    expect(span(-24 * 900, -1, 'asked')[0]).toBe(-24 * 364);
  });
  it('covers any gap', () => {
    const hours = fc.integer({ min: -24 * 360, max: 0 });
    fc.assert(
      fc.property(hours, hours, hours, (one, other, since) => {
        const [from = 0, to = 0] = [one, other].toSorted((a, b) => a - b);
        const [start = 0, end = 0] = span(from, to, 'start', now + since * HOUR);
        expect(start).toBeLessThanOrEqual(from);
        expect(end).toBeGreaterThanOrEqual(to);
      }),
    );
  });
});

it('treats a recent event outside the gap as still being delivered', () => {
  const gap = { to: at(-1) };
  expect(isUnderWay(gap, new Date(now - 5000).toISOString(), now)).toBe(true);
  expect(isUnderWay(gap, new Date(now - 60_000).toISOString(), now)).toBe(false);
  expect(isUnderWay({ to: at(0) }, new Date(now - 5000).toISOString(), now)).toBe(false);
});
