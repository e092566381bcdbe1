import type { JobsOptions } from 'bullmq';

/** How a job is tried again. Finished jobs go at once: what was done is remembered elsewhere, smaller. */
export type Retry = Readonly<Pick<JobsOptions, 'removeOnComplete' | 'removeOnFail' | 'attempts' | 'backoff'>>;

const removeOnComplete = true;

/** A job that fails for good stays in Redis for two weeks, to be looked at and replayed. */
const FAILED_KEPT_SECONDS = 14 * 24 * 3600;

export const times = (attempts: number): Retry => ({
  removeOnComplete,
  removeOnFail: { age: FAILED_KEPT_SECONDS },
  attempts,
  backoff: { type: 'exponential', delay: 1000, jitter: 0.5 },
});

/** Nobody would look at it when it failed for good: another of its kind comes, or the sweep adds it again. */
export const discardOnFailure = (retry: Retry): Retry => ({ ...retry, removeOnFail: true });

export const everySeconds = (seconds: number, attempts: number): Retry =>
  discardOnFailure({ ...times(attempts), backoff: { type: 'fixed', delay: seconds * 1000 } });

export const once: Retry = { removeOnComplete, removeOnFail: true, attempts: 1 };

/** What was to be temporary must not stay because a job was given up. */
export const untilDone = everySeconds(30, 1000);
