import type { Term } from '../card-api/rule-change.ts';
import { addDays } from '../core/calendar-words.ts';
import { formatDuration } from '../core/duration.ts';
import { endOf } from '../core/end-time.ts';
import { serviceTime, serviceZone } from '../core/installation.ts';

export const permanent: Term = { kind: 'permanent' };

/** How long a raise for one purchase waits for that purchase. */
const PURCHASE_MS = 15 * 60_000;

/** When a change made at `from` ends, with the days of the card service's zone. Null: never. */
export function endOfTerm(term: Term, from: Date, zone: string): Date | null {
  const end = term.kind === 'purchase' ? ({ kind: 'duration', ms: PURCHASE_MS } as const) : term;
  return endOf(end, { now: from, zone });
}

/** The end of a term that ends then no matter when the change is made; null: it has none, or starts with the change. */
export function fixedEnd(term: Term, zone: string): Date | null {
  return term.kind === 'day' || term.kind === 'until' ? endOf(term, { now: new Date(0), zone }) : null;
}

export function hasPassed(term: Term, now: Date, zone: string): boolean {
  const end = fixedEnd(term, zone);
  return end !== null && end <= now;
}

/** How long a change made at `from` lasts; Infinity: permanently. */
export function lastsMs(term: Term, from: Date, zone: string): number {
  return (endOfTerm(term, from, zone)?.getTime() ?? Number.POSITIVE_INFINITY) - from.getTime();
}

/** The shorter of a term and a duration. */
export function atMost(term: Term, ms: number, from: Date, zone: string): Term {
  const end = endOfTerm(term, from, zone);
  return end === null || end.getTime() > from.getTime() + ms ? { kind: 'duration', ms } : term;
}

export const ENDS_TOO_LATE = 'That is longer than a year, the longest that a temporary change can last.';

/** True for the last day of a change that begins today and lasts longer than a year. */
export function endsTooLate(lastDay: string, today: string): boolean {
  return lastDay > addDays(today, 366);
}

/** `for 4 hours`, `to the end of Dec 24, 2026, Eastern time`: follows a verb. */
export function termWords(term: Term): string {
  switch (term.kind) {
    case 'permanent':
      return 'permanently';
    case 'purchase':
      return 'for one purchase only, at most 15 minutes';
    case 'duration':
      return `for ${formatDuration(term.ms)}`;
    case 'day':
      return `to the end of ${dayWords(term.day)}, ${serviceZone().long}`;
    case 'until':
      return `until ${serviceTime(term.at)}`;
  }
}

/** One sentence, for a term that has passed. */
export function passedWords(term: Term): string {
  return `It was to last ${termWords(term)}, and that has passed.`;
}

/** `Dec 24, 2026` */
export function dayWords(day: string): string {
  const date = new Date(`${day}T12:00:00Z`);
  return date.toLocaleDateString('en-US', { month: 'short', day: 'numeric', year: 'numeric', timeZone: 'UTC' });
}
