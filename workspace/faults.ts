/**
 * How a call fails. Kinds with `after_accept` do the work first, so the caller cannot know. With `before_accept` the
 * connection is cut at once, and the work is done `ms` later.
 */
export type FaultKind =
  | 'http_500'
  | 'http_500_after_accept'
  | 'timeout'
  | 'timeout_after_accept'
  | 'hang_up_before_accept'
  | 'hang_up'
  | 'hang_up_after_accept'
  | 'rate_limited'
  | 'slow'
  | 'error';

/** A fault for future calls. */
export interface Fault {
  /** A Web API method, `response_url`, `upload_url`, or a pattern for these. `*` for all. */
  method: string | RegExp;
  /** Hits only calls about this channel. */
  channel?: string;
  /** How many calls it hits. @defaultValue 1 */
  times?: number;
  kind: FaultKind;
  /** For `rate_limited`. @defaultValue 1 */
  retryAfterSeconds?: number;
  /**
   * For `slow` and `hang_up_before_accept`: the delay before the work is done. For timeouts: when the connection is
   * finally cut; otherwise the client decides.
   */
  ms?: number;
  /** Answers `{ ok: false, error }`. The kind is then ignored. */
  error?: string;
}

/** The faults waiting for their calls. */
export interface Faults {
  add(fault: Fault): void;
  clear(): void;
  /** The first fault that matches a call. Counts as used. */
  take(method: string, channel: unknown): Fault | undefined;
}

/** Starts without faults. */
export function createFaults(): Faults {
  let waiting: { fault: Fault; left: number }[] = [];
  function fits(pattern: string | RegExp, method: string): boolean {
    if (typeof pattern === 'string') return pattern === '*' || pattern === method;
    // A pattern with the g flag remembers its last position.
    return new RegExp(pattern.source, pattern.flags.replace('g', '')).test(method);
  }
  return {
    add: (fault) => void waiting.push({ fault, left: fault.times ?? 1 }),
    clear: () => {
      waiting = [];
    },
    take(method, channel) {
      const found = waiting.find(
        ({ fault, left }) =>
          left > 0 && fits(fault.method, method) && (fault.channel === undefined || fault.channel === channel),
      );
      if (!found) return undefined;
      found.left -= 1;
      return found.fault;
    },
  };
}
