import { afterEach, expect, it } from 'vitest';
import { toCallbackTime, toServiceTime, useServiceZone, windowName } from '../../sandbox/service-time.ts';

const at = new Date('2026-11-21T04:30:00Z');
afterEach(() => useServiceZone('America/New_York'));

it.each([
  ['America/New_York', '2026-11-20T23:30:00', '-05:00', '2026-11-20'],
  ['America/Los_Angeles', '2026-11-20T20:30:00', '-08:00', '2026-11-20'],
  ['Asia/Kolkata', '2026-11-21T10:00:00', '+05:30', '2026-11-21'],
])('the service writes times and counts days in the time zone %s', (zone, local, offset, day) => {
  useServiceZone(zone);

  expect(toServiceTime(at)).toBe(local);
  expect(toCallbackTime(at, 0)).toBe(`${local}.0000000${offset}`);
  expect(windowName('Daily', at)).toBe(day);
});
