import dayjs from 'dayjs';
import timezone from 'dayjs/plugin/timezone.js';
import utc from 'dayjs/plugin/utc.js';

dayjs.extend(utc);
dayjs.extend(timezone);

const dateTime = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?\s*(Z|[+-]\d\d:?\d\d)?$/i;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Makes the service's datetimes absolute.
 *
 * A text with an offset keeps it. One without is the wall clock of `zone`, daylight saving included. An hour that the
 * clock shows twice in autumn is decided by `near` (the `CallbackTime` of the same webhook): the reading closest to it
 * wins; without `near`, standard time. An hour that spring skips is read as if the clock had not been put forward yet.
 *
 * @returns UTC, ISO 8601, with the fraction as given (up to seven digits, so that it sorts as text); null when the
 * text is no datetime.
 */
export function toInstant(text: string, zone: string, near?: string): string | null {
  const match = dateTime.exec(text.trim());
  if (match === null) return null;
  const [, year, month, day, hour, minute, second = '00', fraction, offset] = match;
  const wallMs = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const wall = new Date(wallMs);
  // Date.UTC rolls the 30th of February over into March: such a text is no datetime.
  if (wall.getUTCDate() !== Number(day) || wall.getUTCMonth() !== Number(month) - 1 || Number(hour) > 23) return null;
  if (Number(minute) > 59 || Number(second) > 59) return null;

  const offsetMinutes = offset === undefined ? offsetOfWallClock(wallMs, zone, near) : readOffset(offset);
  if (Math.abs(offsetMinutes) > 14 * 60) return null;
  const digits = (fraction ?? '').slice(0, 7).replace(/0+$/, '');
  const whole = new Date(wallMs - offsetMinutes * MINUTE_MS).toISOString().slice(0, 19);
  return `${whole}${digits === '' ? '' : `.${digits}`}Z`;
}

/** The wall clock of `zone` at an instant, as the API's query parameters want it: `2026-11-20T09:14:00`. */
export function toWallClock(instant: Date, zone: string): string {
  return dayjs(instant).tz(zone).format('YYYY-MM-DDTHH:mm:ss');
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

function offsetOfWallClock(wallMs: number, zone: string, near: string | undefined): number {
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
  // The clock shows this time twice. Standard time is the smaller offset.
  if (near === undefined) return Math.min(only, other);
  const nearMs = Date.parse(near);
  const distance = (offset: number): number => Math.abs(wallMs - offset * MINUTE_MS - nearMs);
  return distance(only) <= distance(other) ? only : other;
}

function possibleOffsets(wallMs: number, zone: string): readonly number[] {
  const before = offsetAt(wallMs - DAY_MS, zone);
  const after = offsetAt(wallMs + DAY_MS, zone);
  const valid = [...new Set([before, after])].filter(
    (offset) => offsetAt(wallMs - offset * MINUTE_MS, zone) === offset,
  );
  return valid.length > 0 ? valid : [before];
}

function offsetAt(ms: number, zone: string): number {
  return dayjs(ms).tz(zone).utcOffset();
}
