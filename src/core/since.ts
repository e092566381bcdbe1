import { z } from 'zod';
import { readAnyDuration } from './duration.ts';
import { toInstant } from './service-time.ts';

/**
 * A moment in the past, as a person wrote it: a time ago, or a date and time (the card service's zone if without
 * offset).
 */
export const Since = z.union([
  z.strictObject({ agoMs: z.int().positive() }),
  z.strictObject({ at: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d/) }),
]);
export type Since = z.infer<typeof Since>;

const dateTime = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:?\d\d)?))?$/i;

/** `2h`, `3 days`, `2026-11-20`, `2026-11-20T09:00`, with or without offset. Null for anything else. */
export function readSince(words: readonly string[]): Since | null {
  const duration = readAnyDuration(words);
  if (duration !== null) return duration.words === words.length ? { agoMs: duration.ms } : null;
  const [, date, time = '00:00'] = (words.length === 1 && dateTime.exec(words[0] ?? '')) || [];
  return date === undefined ? null : { at: `${date}T${time.toUpperCase()}` };
}

/**
 * Makes a moment that a person wrote absolute. A date and time without offset is in the card service's zone.
 *
 * @returns UTC ISO 8601 in milliseconds; null when there is no such date.
 */
export function momentOf(since: Since, askedAt: string, zone: string): string | null {
  if ('agoMs' in since) return new Date(Date.parse(askedAt) - since.agoMs).toISOString();
  const instant = toInstant(since.at, zone);
  return instant === null ? null : new Date(instant).toISOString();
}
