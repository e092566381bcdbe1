/** What somebody may ask for at once, and after that in each second. Nobody who works with Cardbell comes near it. */
const AT_ONCE = 60;
const PER_SECOND = 1;
const PEOPLE_MAX = 10_000;

/** True when a person may ask for something now. Counts it. */
export type PersonRate = (userId: string) => boolean;

/**
 * Limits how much one person can ask for, before anything is looked up for them: otherwise one member could use up what
 * Slack answers about user groups, and everybody who has a role through a group would be refused.
 *
 * @param now milliseconds on a clock that never jumps: one that is set back would refuse everybody.
 */
export function createPersonRate(now: () => number = () => performance.now()): PersonRate {
  const people = new Map<string, { left: number; at: number }>();
  return function mayAsk(userId) {
    const at = now();
    const known = people.get(userId) ?? { left: AT_ONCE, at };
    const left = Math.min(AT_ONCE, known.left + ((at - known.at) / 1000) * PER_SECOND);
    if (people.size >= PEOPLE_MAX) forgetRested(at);
    people.set(userId, { left: Math.max(0, left - 1), at });
    return left >= 1;
  };

  function forgetRested(at: number): void {
    const restedMs = (AT_ONCE / PER_SECOND) * 1000;
    for (const [userId, known] of people) if (at - known.at > restedMs) people.delete(userId);
    if (people.size >= PEOPLE_MAX) people.clear();
  }
}
