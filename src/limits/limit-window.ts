import type { LimitWindow } from '../card-api/rule.ts';

/** The card service counts its windows by the calendar of this zone: https://www.iana.org/time-zones. */
const ZONE = 'America/New_York';

const HOUR_MS = 3_600_000;

const calendar = new Intl.DateTimeFormat('en-CA', {
  timeZone: ZONE,
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
});

/**
 * When a spend limit's window that runs at `instant` ends and the whole limit is there again: the next Eastern midnight,
 * the midnight before Sunday, the first of the next month, January 1.
 *
 * @returns UTC ISO 8601; null for a lifetime limit, which never starts anew, for one of a single purchase, which has no
 * window, and for a text that is no time.
 */
export function windowEnd(period: LimitWindow, instant: string): string | null {
  const at = Date.parse(instant);
  if (Number.isNaN(at) || period === 'lifetime' || period === 'transaction') return null;
  const { year, month, day } = easternParts(at);
  switch (period) {
    case 'daily':
      return easternMidnight(year, month, day + 1);
    case 'weekly':
      return easternMidnight(year, month, day + 7 - new Date(Date.UTC(year, month - 1, day)).getUTCDay());
    case 'monthly':
      return easternMidnight(year, month + 1, 1);
    case 'yearly':
      return easternMidnight(year + 1, 1, 1);
  }
}

/** Midnight of a calendar day; days and months that run over are the next ones. Clocks never change at midnight. */
function easternMidnight(year: number, month: number, day: number): string {
  const utcMidnight = Date.UTC(year, month - 1, day);
  const inSummer = utcMidnight + 4 * HOUR_MS;
  const isSummer = easternParts(inSummer).hour === 0;
  return new Date(isSummer ? inSummer : inSummer + HOUR_MS).toISOString();
}

function easternParts(ms: number): { year: number; month: number; day: number; hour: number } {
  const parts = Object.fromEntries(calendar.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  return { year: parts['year'] ?? 0, month: parts['month'] ?? 1, day: parts['day'] ?? 1, hour: parts['hour'] ?? 0 };
}
