import type { LimitWindow } from '../card-api/rule.ts';
import { serviceZone } from '../core/installation.ts';
import { toInstant, toWallClock } from '../core/service-time.ts';

/**
 * When a spend limit's window that runs at `instant` ends and the whole limit is there again: the next midnight of the card
 * service's clock, the midnight before Sunday, the first of the next month, January 1.
 *
 * @returns UTC ISO 8601; null for a lifetime limit, which never starts anew, for one of a single purchase, which has no
 * window, and for a text that is no time.
 */
export function windowEnd(period: LimitWindow, instant: string): string | null {
  const zone = serviceZone().name;
  const now = new Date(instant);
  if (Number.isNaN(now.getTime()) || period === 'lifetime' || period === 'transaction') return null;
  const today = new Date(toWallClock(now, zone).slice(0, 10));
  const [year, month, day] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()];
  // A day that runs over is one of the next month, a month that runs over one of the next year.
  const next = {
    daily: Date.UTC(year, month, day + 1),
    weekly: Date.UTC(year, month, day + 7 - today.getUTCDay()),
    monthly: Date.UTC(year, month + 1, 1),
    yearly: Date.UTC(year + 1, 0, 1),
  }[period];
  const midnight = toInstant(`${new Date(next).toISOString().slice(0, 10)}T00:00`, zone);
  return midnight === null ? null : new Date(midnight).toISOString();
}
