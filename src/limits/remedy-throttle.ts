/** How much of the card API alerts may use: people who press buttons need the rest. */
export interface Throttle {
  readonly perMinute: number;
  /** Look-ups at one time. */
  readonly atOnce: number;
}

/**
 * Looks something up as long as the pace allows; beyond it answers `otherwise` at once. In a storm an alert without the
 * name of its limit is better than one that waits for thousands of calls, and the form that raises a limit reads the
 * card again anyway.
 *
 * @param now milliseconds on a clock that never jumps.
 */
export function withThrottle<Question, Answer>(
  lookUp: (question: Question) => Promise<Answer>,
  otherwise: Answer,
  { perMinute, atOnce }: Throttle,
  now: () => number = () => performance.now(),
): (question: Question) => Promise<Answer> {
  let left = perMinute;
  let countedAt = now();
  let running = 0;

  return async function lookUpThrottled(question) {
    const at = now();
    left = Math.min(perMinute, left + ((at - countedAt) / 60_000) * perMinute);
    countedAt = at;
    if (running >= atOnce || left < 1) return otherwise;
    left -= 1;
    running += 1;
    try {
      return await lookUp(question);
    } finally {
      running -= 1;
    }
  };
}
