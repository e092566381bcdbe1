import { toInstant, toWallClock } from '../../../src/core/service-time.ts';

/**
 * Compares our reading of the service's clock with Intl's for every half hour of two years, and prints what differs.
 * A program of its own, because the zone of the computer is settled when Node starts.
 */
const zone = 'America/New_York';
const HALF_HOUR_MS = 1_800_000;
const clock = new Intl.DateTimeFormat('en-CA', {
  timeZone: zone,
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const wrong: string[] = [];
let halfHours = 0;

for (let ms = Date.UTC(2026, 0, 1); ms < Date.UTC(2028, 0, 1); ms += HALF_HOUR_MS) {
  const part = Object.fromEntries(clock.formatToParts(ms).map(({ type, value }) => [type, value]));
  const wall = `${part.year}-${part.month}-${part.day}T${part.hour}:${part.minute}:${part.second}`;
  const instant = new Date(ms).toISOString();
  halfHours += 1;

  if (toWallClock(new Date(ms), zone) !== wall) wrong.push(`${instant} is not ${toWallClock(new Date(ms), zone)}`);
  const read = toInstant(wall, zone, new Date(ms + 1000).toISOString());
  if (Date.parse(read ?? '') !== ms) wrong.push(`${wall} is not ${read}`);
}

process.stdout.write(
  JSON.stringify({ hostZone: Intl.DateTimeFormat().resolvedOptions().timeZone, halfHours, wrong: wrong.slice(0, 10) }),
);
