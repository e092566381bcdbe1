import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';

/** Clocks that are right differ by less. */
const DIFFERENCE_MS = 60_000;

/**
 * Milliseconds until a moment, negative when it is over; null where nobody can tell, because two clocks differ. Then ops
 * are told.
 */
export type TimeLeft = (moment: string) => Promise<number | null>;

interface Deps {
  /** Now by Redis. */
  readonly sharedNow: () => Promise<Date>;
  /** Now by a clock that has nothing to do with Redis (ms). */
  readonly secondNow: () => number;
  readonly notifyOps: NotifyOps;
}

/** What is reverted because its time is over must not be reverted because one clock is wrong: two have to say so. */
export function createTimeLeft({ sharedNow, secondNow, notifyOps }: Deps): TimeLeft {
  return async function timeLeft(moment) {
    const nowMs = (await sharedNow()).getTime();
    if (Math.abs(secondNow() - nowMs) > DIFFERENCE_MS) {
      await notifyOps(opsIssue.clocksDiffer);
      return null;
    }
    return Date.parse(moment) - nowMs;
  };
}
