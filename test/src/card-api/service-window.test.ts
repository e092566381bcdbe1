import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toServiceWindow } from '../../../src/card-api/endpoints.ts';
import { toInstant } from '../../../src/core/service-time.ts';

const zone = 'America/New_York';

it('uses the service’s local time, rounded outwards to whole seconds', () => {
  const period = { from: new Date('2026-07-01T05:50:00.900Z'), to: new Date('2026-07-01T06:10:00.001Z') };

  expect(toServiceWindow(period, zone)).toEqual({ StartDate: '2026-07-01T01:50:00', EndDate: '2026-07-01T02:10:01' });
});

it.each([
  ['2026-03-08T04:59:00.000Z', '2026-03-07T23:59:00'],
  ['2026-03-08T05:01:00.000Z', '2026-03-07T22:01:00'],
  ['2026-03-08T08:59:00.000Z', '2026-03-08T01:59:00'],
  ['2026-03-08T09:01:00.000Z', '2026-03-08T05:01:00'],
])('starts earlier only within two hours of a clock change: %s', (from, start) => {
  expect(toServiceWindow({ from: new Date(from), to: new Date('2026-03-20T00:00:00Z') }, zone).StartDate).toBe(start);
});

it('always covers the requested window, however the service reads a repeated hour', () => {
  const changes = [Date.parse('2026-03-08T07:00:00Z'), Date.parse('2026-11-01T06:00:00Z')];
  const instant = fc
    .tuple(fc.constantFrom(...changes), fc.integer({ min: -6 * 3600, max: 6 * 3600 }))
    .map(([at, seconds]) => new Date(at + seconds * 1000));
  fc.assert(
    fc.property(instant, fc.integer({ min: 0, max: 12 * 3600 }), (from, seconds) => {
      const to = new Date(from.getTime() + seconds * 1000);
      const { StartDate: start, EndDate: end } = toServiceWindow({ from, to }, zone);
      // Standard time is the later reading of a repeated hour, daylight time the earlier one.
      const latestStart = Math.max(...readings(start));
      const earliestEnd = Math.min(...readings(end));
      expect(latestStart).toBeLessThanOrEqual(from.getTime());
      expect(earliestEnd).toBeGreaterThanOrEqual(to.getTime());
      expect(start <= end).toBe(true);
    }),
    { numRuns: 500 },
  );
});

function readings(wall: string): number[] {
  const near = ['2026-01-01T00:00:00Z', '2026-07-01T00:00:00Z', '2026-12-31T00:00:00Z'];
  return [undefined, ...near].map((one) => Date.parse(toInstant(wall, zone, one) ?? ''));
}
