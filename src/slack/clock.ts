/** Time by Slack's clock, which sets message timestamps. Our clock and Redis' may differ from it by minutes. */
export type SlackClock = ReturnType<typeof createSlackClock>;

/** @param elapsed milliseconds on a clock that never jumps. */
export function createSlackClock(elapsed: () => number = () => performance.now()) {
  let heard: { readonly slackMs: number; readonly elapsedMs: number } | null = null;
  return {
    /** @param date the `date` header of a response from Slack. */
    hear(date: string | null): void {
      const slackMs = Date.parse(date ?? '');
      if (!Number.isNaN(slackMs)) heard = { slackMs, elapsedMs: elapsed() };
    },
    /** Milliseconds since 1970. Null until Slack has responded once. Late by the duration of the response. */
    now: () => (heard === null ? null : heard.slackMs + elapsed() - heard.elapsedMs),
  };
}
