/**
 * The service's wall clock: Eastern time with daylight saving, unless another zone is set, written without an offset.
 *
 * Intl alone does the conversion. Windows compare calendar dates, never instants, so days of 23 or 25 hours and the
 * repeated hour need no arithmetic.
 */
let wall = clockOf('America/New_York');

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const two = '2-digit';
  const time = { hourCycle: 'h23', hour: two, minute: two, second: two } as const;
  return new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: two, day: two, ...time });
}

/** Sets the zone for the process, before anything is written. @throws RangeError when there is no such zone. */
export function useServiceZone(zone: string): void {
  wall = clockOf(zone);
}

/** `YYYY-MM-DDThh:mm:ss` on the service's clock. */
export function toServiceTime(at: Date): string {
  const part = Object.fromEntries(wall.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${part.year}-${part.month}-${part.day}T${part.hour}:${part.minute}:${part.second}`;
}

/** The calendar day of the service, `YYYY-MM-DD`. */
export function serviceDay(at: Date): string {
  return toServiceTime(at).slice(0, 10);
}

/** The start of a day, `YYYY-MM-DD`, as the service writes dates. */
export function midnight(day: string): string {
  return `${day}T00:00:00`;
}

/** `toServiceTime` with milliseconds, as in `OrderDateTime`. */
export function toServiceTimeMs(at: Date): string {
  return `${toServiceTime(at)}.${String(at.getUTCMilliseconds()).padStart(3, '0')}`;
}

/** `CallbackTime`: seven fraction digits and the offset. The last four digits only make its format and order realistic. */
export function toCallbackTime(at: Date, ticks: number): string {
  const local = toServiceTime(at);
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

/** Names the window that contains an instant: two purchases share a window when the names are equal. */
export function windowName(window: Window, at: Date): string {
  return windowOfDay(window, serviceDay(at));
}

/** The same for a calendar day of the service, `YYYY-MM-DD`. Weeks run from Sunday to Saturday. */
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

/** Calendar arithmetic on `YYYY-MM-DD`, independent of zones. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}
