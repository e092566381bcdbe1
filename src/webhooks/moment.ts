import { toInstant } from '../core/service-time.ts';

/**
 * A moment that a person wrote, made absolute; a date and time without offset is the card service's.
 *
 * @returns UTC ISO 8601 in milliseconds, or null when there is no such date.
 */
export function momentOf(since: { agoMs: number } | { at: string }, askedAt: string, zone: string): string | null {
  if ('agoMs' in since) return new Date(Date.parse(askedAt) - since.agoMs).toISOString();
  const instant = toInstant(since.at, zone);
  return instant === null ? null : new Date(instant).toISOString();
}
