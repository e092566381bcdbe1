import type { LimitWindow } from '../card-api/rule.ts';
import { serviceZone } from '../core/installation.ts';
import { localDate, toInstant } from '../core/service-time.ts';

/**
 * When the window of a spend limit that contains `instant` ends and the full limit is available again: the next
 * midnight in the card service's time zone, the midnight before Sunday, the first of the next month, January 1.
 *
 * @returns UTC ISO 8601; null for a lifetime limit, which never resets, for a single-purchase limit, which has no
 * window, and for an invalid time.
 */
export function windowEnd(period: LimitWindow, instant: string): string | null {
  const zone = serviceZone().name;
  const now = new Date(instant);
  if (Number.isNaN(now.getTime()) || period === 'lifetime' || period === 'transaction') return null;
  const today = new Date(localDate(now, zone));
  const [year, month, day] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()];
  // Date.UTC carries excess days into the next month and excess months into the next year.
  const next = {
    daily: Date.UTC(year, month, day + 1),
    weekly: Date.UTC(year, month, day + 7 - today.getUTCDay()),
    monthly: Date.UTC(year, month + 1, 1),
    yearly: Date.UTC(year + 1, 0, 1),
  }[period];
  const midnight = toInstant(`${new Date(next).toISOString().slice(0, 10)}T00:00`, zone);
  return midnight === null ? null : new Date(midnight).toISOString();
}

/** True when the window of a limit that contains `instant` is over at `later`, and the full limit is available again. */
export function hasReset(period: LimitWindow, instant: string, later: Date): boolean {
  const end = windowEnd(period, instant);
  return end !== null && Date.parse(end) <= later.getTime();
}
