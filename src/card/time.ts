import dayjs from 'dayjs';
import utc from 'dayjs/plugin/utc.js';

dayjs.extend(utc);

const dateTime = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?\s*(Z|[+-]\d\d:?\d\d)?$/i;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Nothing happens after it was told; the service's own clocks may disagree by this much. */
const CLOCK_SKEW_MS = MINUTE_MS;

/**
 * Makes the service's datetimes absolute.
 *
 * A text with an offset keeps it. One without is the wall clock of `zone`, daylight saving included. An hour that the
 * clock shows twice in autumn is decided by `toldAt` (the `CallbackTime` of the same webhook): the latest reading that
 * is not after it wins; without `toldAt`, standard time. An hour that spring skips is read as if the clock had not been
 * put forward yet.
 *
 * @returns UTC, ISO 8601, always with seven fraction digits, so that it sorts as text; null when the text is no
 * datetime.
 */
export function toInstant(text: string, zone: string, toldAt?: string): string | null {
  const match = dateTime.exec(text.trim());
  if (match === null) return null;
  const [, year, month, day, hour, minute, second = '00', fraction, offset] = match;
  const wallMs = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const wall = new Date(wallMs);
  // Date.UTC rolls the 30th of February over into March, and takes the year 1 for 1901: such a text is no datetime.
  if (wall.toISOString().slice(0, 10) !== `${year}-${month}-${day}` || Number(hour) > 23) return null;
  if (Number(minute) > 59 || Number(second) > 59) return null;

  const offsetMinutes = offset === undefined ? offsetOfWallClock(wallMs, zone, toldAt) : readOffset(offset);
  if (Math.abs(offsetMinutes) > 14 * 60) return null;
  const whole = new Date(wallMs - offsetMinutes * MINUTE_MS).toISOString().slice(0, 19);
  return `${whole}.${(fraction ?? '').slice(0, 7).padEnd(7, '0')}Z`;
}

/** The wall clock of `zone` at an instant, as the API's query parameters want it: `2026-11-20T09:14:00`. */
export function toWallClock(instant: Date, zone: string): string {
  return dayjs.utc(instant.getTime() + offsetAt(instant.getTime(), zone) * MINUTE_MS).format('YYYY-MM-DDTHH:mm:ss');
}

/** True when this computer knows the time zone. */
export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

function readOffset(text: string): number {
  if (/^z$/i.test(text)) return 0;
  const sign = text.startsWith('-') ? -1 : 1;
  return sign * (Number(text.slice(1, 3)) * 60 + Number(text.slice(-2)));
}

/** Possible offsets by wall-clock quarter hour: asking the time zone database for each webhook would cost most of it. */
const knownOffsets = new Map<string, readonly number[]>();
const KNOWN_OFFSETS_MAX = 4096;

function offsetOfWallClock(wallMs: number, zone: string, toldAt: string | undefined): number {
  const quarter = wallMs - (wallMs % (15 * MINUTE_MS));
  const key = `${zone} ${quarter}`;
  let offsets = knownOffsets.get(key);
  if (offsets === undefined) {
    offsets = possibleOffsets(quarter, zone);
    if (knownOffsets.size >= KNOWN_OFFSETS_MAX) knownOffsets.clear();
    knownOffsets.set(key, offsets);
  }
  const [only, other] = offsets;
  if (only === undefined) return 0;
  if (other === undefined) return only;
  // The clock shows this time twice. The larger offset is the earlier reading; standard time is the smaller offset.
  const [earlier, later] = only > other ? [only, other] : [other, only];
  if (toldAt === undefined) return later;
  return wallMs - later * MINUTE_MS <= Date.parse(toldAt) + CLOCK_SKEW_MS ? later : earlier;
}

function possibleOffsets(wallMs: number, zone: string): readonly number[] {
  const before = offsetAt(wallMs - DAY_MS, zone);
  const after = offsetAt(wallMs + DAY_MS, zone);
  const valid = [...new Set([before, after])].filter(
    (offset) => offsetAt(wallMs - offset * MINUTE_MS, zone) === offset,
  );
  return valid.length > 0 ? valid : [before];
}

const offsetFormats = new Map<string, Intl.DateTimeFormat>();

/** Asks Intl, not dayjs' time zone plug-in: that one answers wrongly in the hour which this computer's own zone skips. */
function offsetAt(ms: number, zone: string): number {
  let format = offsetFormats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    offsetFormats.set(zone, format);
  }
  const name = format.formatToParts(ms).find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
  return name === 'GMT' ? 0 : readOffset(name.slice('GMT'.length, 'GMT+00:00'.length));
}
