/** How fast the worker talks to Slack, milliseconds. Only a test that would wait for it sets another. */
export interface Throttle {
  /** Between two messages in a channel. */
  readonly postMs: number;
  /** Before Slack is asked again after it refused the token: somebody has to exchange it; until then everything waits. */
  readonly tokenDeadMs: number;
}

/** Slack takes about one message a second in a channel; the rest is room for a clock that is not ours. */
export const defaultThrottle: Throttle = { postMs: 1050, tokenDeadMs: 10_000 };
