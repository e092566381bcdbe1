import type { Run } from '../app/consumer.ts';
import { SlackError } from '../core/errors.ts';
import type { Throttle } from './throttle.ts';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** With the longest pause between them this is a day: whoever waits so long waits for something that will not come. */
const STARTS_MAX = 24 * 60;

/**
 * Runs an edit, and says when to run it again if Slack did not take it now: a rate limit, a token that is being
 * exchanged, no answer. None of these counts as a failed attempt.
 *
 * @returns milliseconds after which to come back, or null when it is done.
 */
export async function whenSlackTakesIt(
  run: Pick<Run, 'starts'>,
  { tokenDeadMs }: Pick<Throttle, 'tokenDeadMs'>,
  edit: () => Promise<void>,
): Promise<number | null> {
  try {
    await edit();
    return null;
  } catch (error) {
    if (run.starts >= STARTS_MAX) throw error;
    const growing = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(run.starts - 1, 10));
    if (!(error instanceof SlackError)) throw error;
    if (error.code === 'token_dead') return tokenDeadMs;
    if (error.code === 'rate_limited') return error.retryAfterMs ?? FIRST_PAUSE_MS;
    if (error.code === 'unknown') return growing;
    throw error;
  }
}
