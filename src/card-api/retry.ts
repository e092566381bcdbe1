import {
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  halfJitterGenerator,
  handleWhen,
} from 'cockatiel';
import type { CardApiError } from '../core/errors.ts';
import { type Answer, CircuitOpenError } from './errors.ts';

/** Whether a call may be repeated after an attempt that may have worked. */
export type Retry =
  /** Reads: as often as needed. */
  | 'safe'
  /** Writes based on an earlier read: never in a call. The caller reads the card again first. */
  | 'by-caller'
  /** Writes that would take effect twice: only after a 429, which means that nothing was done. */
  | 'after-429';

const TRANSIENT_RETRIES = 2;
const RATE_LIMIT_RETRIES = 7;
/** The shortest wait, also after `Retry-After: 0`. */
const SHORTEST_WAIT_MS = 500;

/** Decides after each attempt whether and when a call is repeated. Delays grow and have jitter. */
export function createRetryPlan(retry: Retry, maxRetries = Number.POSITIVE_INFINITY) {
  const transient = createDelays(500, 5_000);
  const rateLimit = createDelays(6_000, 30_000);
  let transientRetries = 0;
  let rateLimitRetries = 0;
  let serverErrorRetries = 0;

  return {
    /** Milliseconds until the next attempt. Null when there is none. */
    next(error: CardApiError): number | null {
      if (transientRetries + rateLimitRetries >= maxRetries || !mayRepeat(error, retry)) return null;
      if (error.code === 'rate_limited') {
        if (rateLimitRetries >= RATE_LIMIT_RETRIES) return null;
        rateLimitRetries += 1;
        return error.retryAfterMs === undefined ? rateLimit() : Math.max(error.retryAfterMs, SHORTEST_WAIT_MS);
      }
      // A server error gets one retry.
      if (error.code === 'server_error' && serverErrorRetries >= 1) return null;
      if (transientRetries >= TRANSIENT_RETRIES) return null;
      if (error.code === 'server_error') serverErrorRetries += 1;
      transientRetries += 1;
      return error.retryAfterMs ?? transient();
    },
  };
}

function mayRepeat(error: CardApiError, retry: Retry): boolean {
  if (retry === 'by-caller') return false;
  if (error.code === 'rate_limited') return true;
  if (retry === 'after-429' || error instanceof CircuitOpenError) return false;
  // A page of a gateway is the same a second later, and a path that is unknown there needs no three attempts.
  if (error.code === 'unavailable' && error.status !== null && error.status < 500) return false;
  return error.code === 'server_error' || error.code === 'unavailable' || error.code === 'timeout';
}

function createDelays(initialDelay: number, maxDelay: number): () => number {
  const factory = new ExponentialBackoff({ initialDelay, maxDelay, generator: halfJitterGenerator });
  let backoff: ReturnType<typeof factory.next> | null = null;
  return () => {
    backoff = backoff === null ? factory.next() : backoff.next(undefined);
    return backoff.duration;
  };
}

export interface BreakerOptions {
  /** Consecutive failures that open the circuit. */
  readonly threshold: number;
  /** How long the circuit stays open at first. Doubles up to eight times this while the service is down. */
  readonly halfOpenAfterMs: number;
}

/** A caller's own time limit, shorter or longer than usual, has passed. That does not show that the service is down. */
export class OwnTimeoutError extends Error {}

export type Breaker = ReturnType<typeof createBreaker>;

/**
 * Circuit breaker: stops calling a failing service, and probes it again later.
 *
 * No answer within the usual time and a status of 500 or more count as failures. Any other answer, even a refusal, shows
 * that the service is up.
 */
export function createBreaker(
  { threshold, halfOpenAfterMs }: BreakerOptions,
  onAvailability: (isAvailable: boolean) => void = () => {},
) {
  const policy: CircuitBreakerPolicy = circuitBreaker(
    handleWhen((error) => !(error instanceof OwnTimeoutError)).orWhenResult(
      (answer) => (answer as Answer).status >= 500,
    ),
    {
      breaker: new ConsecutiveBreaker(threshold),
      halfOpenAfter: new ExponentialBackoff({
        initialDelay: halfOpenAfterMs,
        maxDelay: halfOpenAfterMs * 8,
        generator: halfJitterGenerator,
      }),
    },
  );
  policy.onBreak(() => onAvailability(false));
  policy.onReset(() => onAvailability(true));
  return {
    /** True while one call probes whether the service is back. cockatiel would make all others wait for it. */
    isProbing: (): boolean => policy.state === CircuitState.HalfOpen || policy.state === CircuitState.Isolated,
    /** True while nothing is sent at all. */
    isOpen: (): boolean => policy.state === CircuitState.Open,
    /** @throws whatever `send` throws; cockatiel's BrokenCircuitError when open. */
    run: (send: () => Promise<Answer>): Promise<Answer> => policy.execute(send),
  };
}
