import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';

/** Correct clocks differ by less. */
const DIFFERENCE_MS = 60_000;

/** Milliseconds until a time, negative when it has passed; null when two clocks disagree. Then ops are notified. */
export type TimeLeft = (moment: string) => Promise<number | null>;

interface TimeLeftDeps {
  /** Redis's time. */
  readonly sharedNow: () => Promise<Date>;
  /** Time from a clock independent of Redis (ms). */
  readonly secondNow: () => number;
  readonly notifyOps: NotifyOps;
}

/** A single wrong clock must not end a temporary change early, so two clocks have to agree. */
export function createTimeLeft({ sharedNow, secondNow, notifyOps }: TimeLeftDeps): TimeLeft {
  return async function timeLeft(moment) {
    const nowMs = (await sharedNow()).getTime();
    if (Math.abs(secondNow() - nowMs) > DIFFERENCE_MS) {
      await notifyOps(opsIssue.clocksDiffer);
      return null;
    }
    return Date.parse(moment) - nowMs;
  };
}
