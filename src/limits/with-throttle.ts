/**
 * Looks something up while the throttle allows it; otherwise returns `otherwise` at once. It limits how much of the card API
 * alerts may use, because people who press buttons need the rest. During a burst, an alert
 * without the name of its limit is better than an alert that waits for thousands of calls. The form that raises a limit
 * reads the card again anyway.
 *
 * @param now milliseconds on a monotonic clock.
 */
export function withThrottle<Question, Answer>(
  lookUp: (question: Question) => Promise<Answer>,
  otherwise: Answer,
  { perMinute, atOnce }: { readonly perMinute: number; readonly atOnce: number },
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
