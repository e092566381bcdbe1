/** The time by Slack's clock, which gives messages their timestamps. Ours and Redis' may differ by minutes. */
export interface SlackClock {
  /** @param date the header of that name in an answer of Slack. */
  hear(date: string | null): void;
  /** Milliseconds since 1970; null until Slack has answered once. Behind by as much as the answer took. */
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
