import { SlackError } from '../core/errors.ts';

/** How fast the worker talks to Slack, milliseconds. Only a test that would wait for it sets another. */
export interface Throttle {
  /** Between two messages in a channel. */
  readonly postMs: number;
  /** Before Slack is asked again after it refused the token: somebody has to exchange it; until then everything waits. */
  readonly tokenDeadMs: number;
}

/** Slack takes about one message a second in a channel; the rest is room for a clock that is not ours. */
export const defaultThrottle: Throttle = { postMs: 1050, tokenDeadMs: 10_000 };

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
  starts: number,
  { tokenDeadMs }: Pick<Throttle, 'tokenDeadMs'>,
  edit: () => Promise<void>,
): Promise<number | null> {
  try {
    await edit();
    return null;
  } catch (error) {
    if (starts >= STARTS_MAX) throw error;
    const growing = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(starts - 1, 10));
    if (!(error instanceof SlackError)) throw error;
    if (error.code === 'token_dead') return tokenDeadMs;
    if (error.code === 'rate_limited') return error.retryAfterMs ?? FIRST_PAUSE_MS;
    if (error.code === 'unknown') return growing;
    throw error;
  }
}
