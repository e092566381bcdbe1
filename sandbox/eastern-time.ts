/**
 * The service's clock on the wall: Eastern time with daylight saving, written without an offset.
 *
 * Intl alone does the conversion. Windows compare calendar dates, never instants: a day of 23 or 25 hours, and the
 * hour that exists twice, then need no arithmetic at all.
 */
const wall = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/New_York',
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** `YYYY-MM-DDThh:mm:ss` in Eastern time. */
export function toEastern(at: Date): string {
  const part = Object.fromEntries(wall.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${part.year}-${part.month}-${part.day}T${part.hour}:${part.minute}:${part.second}`;
}

/** The same with milliseconds, as `OrderDateTime` carries them. */
export function toEasternMs(at: Date): string {
  return `${toEastern(at)}.${String(at.getUTCMilliseconds()).padStart(3, '0')}`;
}

/** `CallbackTime`: seven fraction digits and the offset. The last four digits only make it look and compare alike. */
export function toCallbackTime(at: Date, ticks: number): string {
  const local = toEastern(at);
  const offsetMinutes = Math.round((Date.parse(`${local}Z`) - Math.floor(at.getTime() / 1000) * 1000) / 60_000);
  const sign = offsetMinutes < 0 ? '-' : '+';
  const hours = String(Math.floor(Math.abs(offsetMinutes) / 60)).padStart(2, '0');
  const minutes = String(Math.abs(offsetMinutes) % 60).padStart(2, '0');
  const fraction = `${String(at.getUTCMilliseconds()).padStart(3, '0')}${String(ticks % 10_000).padStart(4, '0')}`;
  return `${local}.${fraction}${sign}${hours}:${minutes}`;
}

/** The calendar windows of spend limits, shortest first. */
export const WINDOWS = ['Daily', 'Weekly', 'Monthly', 'Yearly', 'Lifetime'] as const;
export type Window = (typeof WINDOWS)[number];

/** Names the window an instant falls in: two purchases share a window when the names are equal. */
export function windowName(window: Window, at: Date): string {
  return windowOfDay(window, toEastern(at).slice(0, 10));
}

/** The same for an Eastern calendar day, `YYYY-MM-DD`. Weeks run Sunday to Saturday. */
export function windowOfDay(window: Window, day: string): string {
  switch (window) {
    case 'Daily':
      return day;
    case 'Weekly':
      return addDays(day, -new Date(`${day}T00:00:00Z`).getUTCDay());
    case 'Monthly':
      return day.slice(0, 7);
    case 'Yearly':
      return day.slice(0, 4);
    case 'Lifetime':
      return 'lifetime';
  }
}

/** Calendar arithmetic on `YYYY-MM-DD`; no zone is involved. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}
