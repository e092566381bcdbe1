import type { JobsOptions } from 'bullmq';
import type { Action as AnyAction } from '../actions/action.ts';
import type { HomeOpened } from '../app-home/viewer-store.ts';
import { UnreadableError } from '../core/errors.ts';
import { gapOf } from '../core/gap.ts';
import type { Queues } from '../core/queues.ts';
import type { Redo } from '../core/redo.ts';
import type { VerbAction } from '../dispatch/verbs.ts';
import { burstOf, mayShareJob } from '../intake/burst.ts';
import type { InboxEntry } from '../intake/intake.ts';
import { type JobData, type JobName, jobs } from './jobs.ts';

interface When {
  /** Milliseconds until it may run. */
  readonly delayMs?: number;
  /** The same, as a point in time (ms). */
  readonly atMs?: number;
  /** Replaces the id from the table, for a job that must not be merged with waiting ones. */
  readonly id?: string;
}

/** Adds a job. Safe to repeat: its id or merge key makes it one job. */
export type Enqueue = <Name extends JobName>(name: Name, data: JobData<Name>, when?: When) => Promise<void>;

export function createEnqueue(queues: Queues, now: () => Date): Enqueue {
  return async (name, data, when = {}) => {
    const { queue, retry, id, mergeBy, shardBy, yields } = jobs[name];
    const options: JobsOptions = { ...retry };
    // BullMQ first takes the jobs without a priority.
    if (yields?.(data) === true) options.priority = 1;
    if (when.atMs !== undefined) options.delay = Math.max(0, when.atMs - now().getTime());
    if (when.delayMs !== undefined) options.delay = Math.ceil(when.delayMs);
    const jobId = when.id ?? id?.(data);
    if (jobId !== undefined) options.jobId = jobId;
    else if (mergeBy !== undefined) options.deduplication = { id: mergeBy(data), keepLastIfActive: true };
    const key = shardBy?.(data) ?? jobId;
    await (key === undefined ? queues[queue] : queues.of(queue, key)).add(name, data, options);
  };
}

/**
 * Jobs that were added or finished shortly before Redis came back with older data are added again: their writes may be
 * lost, and their source data may be gone.
 */
export function rememberJobs(redo: Pick<Redo, 'remember'>, add: Enqueue) {
  const keep = <Name extends JobName>(name: Name, data: JobData<Name>, when?: When): void => {
    const { id, mergeBy } = jobs[name];
    const own = when?.id ?? id?.(data) ?? mergeBy?.(data);
    redo.remember(() => add(name, data, when), own === undefined ? undefined : `${name} ${own}`);
  };
  const enqueue: Enqueue = async (name, data, when) => {
    await add(name, data, when);
    keep(name, data, when);
  };
  return { enqueue, jobDone: keep };
}

/** How much later than its interval a recurring job may run. */
const INTERVAL_TOLERANCE_MS = 30_000;

/**
 * Schedules every recurring job of the table that is not scheduled, except the unneeded ones. Call it again and again.
 *
 * BullMQ counts from the clock of the worker that ran a job last. If that clock was hours fast, the job would not run again
 * for hours. So a job whose next time stays the same for longer than its interval is scheduled anew.
 */
export function createKeepIntervals(queues: Queues, unneeded: readonly JobName[], now: () => Date) {
  /** By name: the next time, and when it was seen first (`performance.now`). */
  const seen = new Map<string, { readonly next: number | undefined; readonly atMs: number }>();
  return async function keepIntervals(): Promise<void> {
    for (const [name, { queue, everyMs, retry }] of Object.entries(jobs)) {
      if (everyMs === undefined || unneeded.some((each) => each === name)) continue;
      const scheduler = await queues[queue].getJobScheduler(name);
      const isLate = isStuck(name, scheduler?.next, everyMs);
      if (scheduler?.every === everyMs && !isLate) continue;
      // Otherwise the new one would keep the next time.
      if (isLate) await queues[queue].removeJobScheduler(name);
      await queues[queue].upsertJobScheduler(name, { every: everyMs }, { name, data: {}, opts: { ...retry } });
    }
  };

  function isStuck(name: string, next: number | undefined, everyMs: number): boolean {
    const nowMs = performance.now();
    const before = seen.get(name);
    // One that is due only waits for its turn.
    const isDue = next === undefined || next <= now().getTime();
    if (before !== undefined && before.next === next)
      return !isDue && nowMs - before.atMs > everyMs + INTERVAL_TOLERANCE_MS;
    seen.set(name, { next, atMs: nowMs });
    return false;
  }
}

/** Events that were read together share a job. Every other entry gets a separate one. */
export async function toJobs(entries: readonly InboxEntry[], enqueue: Enqueue): Promise<void> {
  const events = entries.filter(mayShareJob);
  if (events.length > 1 && events.length === entries.length) return await enqueue('deliver-burst', burstOf(events));
  await Promise.all(entries.map((entry) => toJob(entry, enqueue)));
}

/**
 * Turns each entry of the inbox into a job. An entry of a kind that only a newer version knows becomes a separate job,
 * which fails until a newer version runs it and does not hold up others.
 *
 * @param isAside the entry already is such a job.
 */
export async function toJob(entry: InboxEntry, enqueue: Enqueue, isAside = false): Promise<void> {
  switch (entry.type) {
    case 'event':
      return await enqueue(entry.isLate === true ? 'deliver-late-alert' : 'deliver-alert', entry.event);
    case 'quarantine':
      return await enqueue('quarantine-webhook', entry.webhook);
    case 'gap':
      return await enqueue('recover-gap', gapOf(entry.fromMs, entry.toMs, entry.cause));
    case 'home':
      return await enqueue('open-home', entry.opened as HomeOpened);
    case 'action':
      // The signature is checked when the action is performed: anyone who can write here can also write to the queue.
      return await enqueue('perform-action', { action: entry.action as VerbAction, signature: entry.signature });
    case 'refused':
      return await enqueue('record-refusal', {
        action: entry.action as AnyAction,
        why: entry.why,
        signature: entry.signature,
      });
    default:
      if (isAside) throw new UnreadableError('an entry of the inbox');
      return await enqueue('forward-entry', { entry });
  }
}
