import { CardApiError, TooLateError } from '../core/errors.ts';

/** After this time each failure counts, so that nobody waits forever. */
const PATIENCE_MS = 3 * 60_000;
const TOO_LATE_MS = 1000;
const RATE_LIMITED_MS = 6000;
const SHORTEST_MS = 500;

/**
 * Milliseconds after which a job runs again without using up one of its attempts; null: the failure counts. It does not
 * where nothing was done: this process came too late, or the card service has no time for us yet.
 *
 * @param ageMs how long ago the job was added.
 */
export function laterMs(error: unknown, ageMs: number): number | null {
  if (ageMs > PATIENCE_MS) return null;
  if (error instanceof TooLateError) return TOO_LATE_MS;
  if (!(error instanceof CardApiError) || error.code !== 'rate_limited') return null;
  return Math.max(SHORTEST_MS, error.retryAfterMs ?? RATE_LIMITED_MS);
}
