import dayjs from 'dayjs';
import utc from 'dayjs/plugin/utc.js';
import { BoundedMap } from './bounded-map.ts';
import { addDays } from './calendar-words.ts';

dayjs.extend(utc);

const dateTime = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?\s*(Z|[+-]\d\d:?\d\d)?$/i;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Correct clocks differ by less: those of the card service, of the servers of Cardbell, and of its Redis. */
export const CLOCK_SKEW_MS = MINUTE_MS;

/**
 * Converts the service's datetimes to absolute times.
 *
 * Text without an offset is the wall clock of `zone`, including daylight saving. In the hour that occurs twice in
 * autumn, `sentAt` decides (the `CallbackTime` of the same webhook): the latest reading that is not after it. Without
 * `sentAt`, standard time. An hour that is skipped in spring is read as if the clock had not been changed yet.
 *
 * @returns UTC, ISO 8601, always with seven fraction digits, so that it sorts as text; null when the text is not a
 * datetime.
 */
export function toInstant(text: string, zone: string, sentAt?: string): string | null {
  const match = dateTime.exec(text.trim());
  if (match === null) return null;
  const [, day = '', minute = '', second = '00', fraction = '', offset] = match;
  if (Number(second) > 59) return null;

  const [earlier, later = earlier] = readingsOf(day, minute, offset, zone);
  if (earlier === undefined || later === undefined) return null;
  const isLater =
    earlier === later ||
    sentAt === undefined ||
    Date.parse(`${later}:${second}Z`) <= Date.parse(sentAt) + CLOCK_SKEW_MS;
  return `${isLater ? later : earlier}:${second}.${fraction.slice(0, 7).padEnd(7, '0')}Z`;
}

/** The wall clock of `zone` at an instant, as the API's query parameters expect it: `2026-11-20T09:14:00`. */
export function toWallClock(instant: Date, zone: string): string {
  return dayjs.utc(instant.getTime() + offsetAt(instant.getTime(), zone) * MINUTE_MS).format('YYYY-MM-DDTHH:mm:ss');
}

/** The date in `zone` at an instant: `2026-11-20`. */
export function localDate(instant: Date, zone: string): string {
  return toWallClock(instant, zone).slice(0, 10);
}

/**
 * A time of day (`00:00` to `24:00`) on a date in `zone`, in milliseconds; NaN: there is no such date or time. Reads an
 * hour skipped in spring as if the clock had not moved, and takes the second of a repeated hour.
 */
export function localTime(date: string, time: string, zone: string): number {
  const text = time === '24:00' ? `${addDays(date, 1)}T00:00` : `${date}T${time}`;
  return Date.parse(toInstant(text, zone) ?? '');
}

/**
 * A datetime of the service on its own wall clock, because the API and the webhooks may write it with different offsets
 * and different trailing zeros. Any other text is returned unchanged.
 */
export function toWallText(text: string, zone: string): string {
  const [, local = text.trim(), fraction = '', offset] =
    /^(.*?:\d\d:\d\d)(\.\d+)?\s*(Z|[+-]\d\d:?\d\d)?$/i.exec(text.trim()) ?? [];
  const instant = offset === undefined ? null : toInstant(text, zone);
  const wall = instant === null ? local.replace(' ', 'T') : toWallClock(new Date(instant), zone);
  return `${wall}${fraction.replace(/\.?0+$/, '')}`;
}

/** True when the time zone exists on this computer. */
export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/**
 * What people in the United States call their zones, in winter and in summer, and the abbreviations that mean one zone
 * everywhere. Arizona has no summer time.
 */
const abbreviations: Readonly<Record<string, string>> = {
  et: 'America/New_York',
  est: 'America/New_York',
  edt: 'America/New_York',
  ct: 'America/Chicago',
  cst: 'America/Chicago',
  cdt: 'America/Chicago',
  mt: 'America/Denver',
  mst: 'America/Phoenix',
  mdt: 'America/Denver',
  pt: 'America/Los_Angeles',
  pst: 'America/Los_Angeles',
  pdt: 'America/Los_Angeles',
  hst: 'Pacific/Honolulu',
  wet: 'Europe/Lisbon',
  cet: 'Europe/Brussels',
  eet: 'Europe/Athens',
  jst: 'Asia/Tokyo',
  utc: 'UTC',
  gmt: 'UTC',
};

/**
 * A time zone as people type it: `ET`, `EST`, `europe/berlin`, `Singapore`. Null when no such zone exists, and for other
 * abbreviations of three letters: `BST` is Britain's to most people, and Bangladesh's in the list of old names.
 */
export function readTimeZone(word: string): string | null {
  const name = abbreviations[word.toLowerCase()] ?? (/^[a-z]{3}$/i.test(word) ? '' : word);
  return isTimeZone(name) ? new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone : null;
}

function readOffset(text: string): number {
  if (/^z$/i.test(text)) return 0;
  const sign = text.startsWith('-') ? -1 : 1;
  return sign * (Number(text.slice(1, 3)) * 60 + Number(text.slice(-2)));
}

/**
 * Possible UTC readings of a minute on the service's clock. Cached, because webhooks arrive within the same few
 * minutes, and a time zone lookup for each would take most of their processing time.
 */
const knownReadings = new BoundedMap<string, readonly string[]>(4096);

/**
 * UTC minutes (`2026-11-20T14:14`), earliest first. None for text that is not a time, two in the hour that occurs
 * twice.
 */
function readingsOf(day: string, minute: string, offset: string | undefined, zone: string): readonly string[] {
  const key = `${day}T${minute}${offset ?? zone}`;
  const known = knownReadings.get(key);
  if (known !== undefined) return known;
  const readings = readMinute(day, minute, offset, zone);
  knownReadings.set(key, readings);
  return readings;
}

function readMinute(day: string, minute: string, offset: string | undefined, zone: string): readonly string[] {
  const wall = new Date(`${day}T${minute}Z`);
  // Missing dates arrive as the year 1.
  if (day < '1900') return [];
  // Date would accept February 30 and 24:00.
  if (Number.isNaN(wall.getTime()) || wall.toISOString().slice(0, 16) !== `${day}T${minute}`) return [];
  const offsets = offset === undefined ? possibleOffsets(wall.getTime(), zone) : [readOffset(offset)];
  if (offsets.some((minutes) => Math.abs(minutes) > 14 * 60)) return [];
  const readings = offsets.map((minutes) => new Date(wall.getTime() - minutes * MINUTE_MS).toISOString().slice(0, 16));
  // The year 10000 is written with a sign and six digits, which would not sort as text.
  return readings.filter((reading) => !reading.startsWith('+')).toSorted();
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

/** Uses Intl: dayjs' time zone plug-in is wrong in the hour that this computer's own zone skips. */
function offsetAt(ms: number, zone: string): number {
  let format = offsetFormats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    offsetFormats.set(zone, format);
  }
  const name = format.formatToParts(ms).find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
  return name === 'GMT' ? 0 : readOffset(name.slice('GMT'.length, 'GMT+00:00'.length));
}

/** Purchases from a moment on. The card service tells their time in whole seconds, so the moment's own second counts. */
export function happenedSince(fromMs: number): (event: { readonly occurredAt: string }) => boolean {
  return ({ occurredAt }) => Date.parse(occurredAt) >= Math.floor(fromMs / 1000) * 1000;
}

/** True when what is known `since` a time was already so when a purchase was tried. */
export function hadBegun(since: string, event: { readonly occurredAt: string }): boolean {
  return happenedSince(Date.parse(since) - CLOCK_SKEW_MS)(event);
}
