/** Time by Slack's clock, which sets message timestamps. Our clock and Redis' may differ from it by minutes. */
export interface SlackClock {
  /** @param date the `date` header of a response from Slack. */
  hear(date: string | null): void;
  /** Milliseconds since 1970. Null until Slack has responded once. Late by the duration of the response. */
  now(): number | null;
}

/** @param elapsed milliseconds on a clock that never jumps. */
export function createSlackClock(elapsed: () => number = () => performance.now()): SlackClock {
  let heard: { readonly slackMs: number; readonly elapsedMs: number } | null = null;
  return {
    hear(date) {
      const slackMs = Date.parse(date ?? '');
      if (!Number.isNaN(slackMs)) heard = { slackMs, elapsedMs: elapsed() };
    },
    now: () => (heard === null ? null : heard.slackMs + elapsed() - heard.elapsedMs),
  };
}
