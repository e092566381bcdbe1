import { BoundedMap } from '../core/bounded-map.ts';

/** Requests that one person may make at once, and per second after that. Normal use stays far below. */
const AT_ONCE = 60;
const PER_SECOND = 1;
const PEOPLE_MAX = 10_000;

/** True when a person may ask for something now. Counts the request. */
export type PersonRate = (userId: string) => boolean;

/**
 * Limits how much one person can ask for, before anything is looked up for them. Otherwise one member could exhaust
 * Slack's rate limit for user groups, and everyone whose role comes from a group would be refused.
 *
 * @param now milliseconds on a clock that never jumps. With a clock that is set back, everyone would be refused.
 */
export function createPersonRate(now: () => number = () => performance.now()): PersonRate {
  const people = new BoundedMap<string, { left: number; at: number }>(PEOPLE_MAX);
  return function mayAsk(userId) {
    const at = now();
    const known = people.get(userId) ?? { left: AT_ONCE, at };
    const left = Math.min(AT_ONCE, known.left + ((at - known.at) / 1000) * PER_SECOND);
    people.set(userId, { left: Math.max(0, left - 1), at });
    return left >= 1;
  };
}
