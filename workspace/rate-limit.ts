import { TIERS, type Tier } from './limits.ts';
import type { WorkspaceOptions } from './options.ts';

/** Token buckets: one per method, and one per channel that is posted to. */
export interface Limiter {
  /** Takes one call of a method's tier. Returns the seconds to wait, 0 when allowed. */
  takeMethod(method: string, tier: Tier): number;
  /** Takes one message to a channel. Returns the seconds to wait, 0 when allowed. */
  takePost(channel: string): number;
  clear(): void;
}

/** Rate limits from the options, on the given clock. https://docs.slack.dev/apis/web-api/rate-limits */
export function createLimiter(options: WorkspaceOptions, now: () => number): Limiter {
  const buckets = new Map<string, { tokens: number; at: number }>();
  const enforced = options.enforceRateLimits ?? true;

  function take(key: string, capacity: number, perSecond: number): number {
    if (!enforced) return 0;
    const at = now();
    const bucket = buckets.get(key) ?? { tokens: capacity, at };
    bucket.tokens = Math.min(capacity, bucket.tokens + ((at - bucket.at) / 1000) * perSecond);
    bucket.at = at;
    buckets.set(key, bucket);
    // Treat slightly less than one as one: the refill is a sum of fractions.
    if (bucket.tokens < 1 - 1e-9) return Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond));
    bucket.tokens -= 1;
    return 0;
  }

  return {
    takeMethod: (method, tier) => take(method, TIERS[tier].max, TIERS[tier].max / 60),
    takePost: (channel) => take(`post ${channel}`, options.burst ?? 1, options.postsPerSecond ?? 1),
    clear: () => buckets.clear(),
  };
}
