import { z } from 'zod';
import { RuleGoals, Term } from '../card-api/rule-change.ts';
import { formatDuration, readDuration } from '../core/duration.ts';

/** What a card's rules shall be, and for how long. */
export const ChangeRequest = z.strictObject({
  goals: RuleGoals,
  term: Term,
  /** The form could not say which limit stopped the purchase: which category is meant is found out when it is done. */
  isCategoryUnknown: z.literal(true).optional(),
});
export type ChangeRequest = z.infer<typeof ChangeRequest>;

export const permanent: Term = { kind: 'permanent' };

/** Longest wait for the purchase that a raise was made for. */
export const PURCHASE_MS = 15 * 60_000;

/** The service's clock: where its days begin. */
export interface ServiceDays {
  /** The first midnight after an instant. */
  nextMidnight(after: Date): Date;
  /** The midnight with which a day ends. */
  endOf(day: string): Date;
}

/** When a change that is made at `from` ends. Null: it stays. */
export function endOfTerm(term: Term, from: Date, days: ServiceDays): Date | null {
  switch (term.kind) {
    case 'permanent':
      return null;
    case 'purchase':
      return new Date(from.getTime() + PURCHASE_MS);
    case 'duration':
      return new Date(from.getTime() + term.ms);
    case 'midnight':
      return days.nextMidnight(from);
    case 'day':
      return days.endOf(term.day);
  }
}

/** The shorter of a term and a duration. */
export function atMost(term: Term, ms: number, from: Date, days: ServiceDays): Term {
  const end = endOfTerm(term, from, days);
  return end === null || end.getTime() > from.getTime() + ms ? { kind: 'duration', ms } : term;
}

/**
 * How long, where it is said: `for 4h`, `until midnight`, `until 2026-12-24`.
 *
 * @returns the term and what is left, or what is wrong: "for the team lunch" is a reason, "for 4 lightyears" is a
 * duration that nobody can read. Whoever writes "until" wants an end: one that cannot be read must not become none.
 */
export function readTerm(words: readonly string[]): { term: Term; rest: readonly string[] } | string {
  const [preposition = '', next = ''] = words;
  const said = words.slice(0, 3).join(' ').slice(0, 40);
  if (preposition.toLowerCase() === 'for') {
    const duration = readDuration(words.slice(1));
    if (duration !== null) {
      return { term: { kind: 'duration', ms: duration.ms }, rest: words.slice(1 + duration.words) };
    }
    if (/^\d/.test(next)) return `“${said}” is no duration. Write “for 4h”, “for 90m” or “for 2 days”.`;
  }
  if (preposition.toLowerCase() === 'until') {
    const term = readUntil(next);
    if (term !== null) return { term, rest: words.slice(2) };
    return `“${said}” is no day that I can read. Write “until midnight” or “until 2026-12-24”.`;
  }
  return { term: permanent, rest: words };
}

/** Behind "until": `midnight` or `2026-12-24`. Null when it is neither. */
function readUntil(word: string): Term | null {
  if (word.toLowerCase() === 'midnight') return { kind: 'midnight' };
  const day = Term.safeParse({ kind: 'day', day: word });
  return day.success ? day.data : null;
}

/** `for 4 hours`, `until midnight Eastern time`: goes behind a verb. */
export function termWords(term: Term): string {
  switch (term.kind) {
    case 'permanent':
      return 'until it is changed';
    case 'purchase':
      return 'for this purchase only, at most 15 minutes';
    case 'duration':
      return `for ${formatDuration(term.ms)}`;
    case 'midnight':
      return 'until midnight Eastern time';
    case 'day':
      return `to the end of ${dayWords(term.day)}, Eastern time`;
  }
}

/** `Dec 24, 2026` */
function dayWords(day: string): string {
  const date = new Date(`${day}T12:00:00Z`);
  return date.toLocaleDateString('en-US', { month: 'short', day: 'numeric', year: 'numeric', timeZone: 'UTC' });
}
