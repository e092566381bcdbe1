import { DelayedError, type Job, UnrecoverableError, Worker } from 'bullmq';
import { AppError, CardApiError, RolesUnreadError, SlackError, TooLateError, UnreadableError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { type QueueName, type Queues, queueNames, shardsWith } from '../core/queues.ts';
import { isReply, isStoreTrouble } from '../core/redis.ts';
import type { Redo } from '../core/redo.ts';
import { queueTelemetry } from '../core/trace.ts';
import { fromStoredAs } from '../core/unknown-fields.ts';
import type { Throttle } from '../outbox/send-message.ts';
import { isJobName, type JobData, type JobName, jobs } from './jobs.ts';

/**
 * When a worker dies, another takes its job after four to seven seconds instead of BullMQ's default minute, because an
 * alert must not wait that long. If a worker freezes for longer, its job may run twice; every job is safe to run twice.
 * A job is never given up because its workers died too often.
 */
const crashRecovery = { lockDuration: 6_000, stalledInterval: 2_000, maxStalledCount: 1_000_000 } as const;

/** Retry delay when Redis could not accept something: it is full, moves keys, or a lock was not free. */
const STORE_PAUSE_MS = 1000;

/** Concurrent jobs of one worker per queue, across all shards. They spend most of the time waiting. */
const concurrency: Readonly<Record<QueueName, number>> = {
  alerts: 32,
  bursts: 4,
  outbox: 32,
  updates: 8,
  actions: 16,
  maintenance: 8,
};

interface ConsumerDeps {
  /** Their connection has `maxRetriesPerRequest: null`; BullMQ opens another one itself. Processes all shards. */
  readonly queues: Pick<Queues, 'connection' | 'prefixOf' | 'shards'>;
  readonly log: Log;
  /** Called for each try. */
  readonly measure: (queue: QueueName, job: string, outcome: 'done' | 'later' | 'failed', durationMs: number) => void;
}

/**
 * Runs the jobs of all queues. A job ends immediately with an error that a retry cannot help, and stays in Redis as
 * failed.
 */
export function startConsumers(runJob: RunJob, deps: ConsumerDeps) {
  const workers = queueNames.flatMap((name) =>
    shardsWith(name, deps.queues.shards).map((shard) => startWorker(name, shard, runJob, deps)),
  );
  return {
    async close(): Promise<void> {
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}

function startWorker(queue: QueueName, shard: number, runJob: RunJob, deps: ConsumerDeps): Worker {
  const { queues, log, measure } = deps;
  const worker = new Worker<Record<string, unknown>>(
    queue,
    async (job, token) => {
      const startedAt = performance.now();
      let outcome: Parameters<typeof measure>[2] = 'failed';
      let againMs: number | null;
      try {
        againMs = await attemptJob(job, runJob);
        outcome = againMs === null ? 'done' : 'later';
      } finally {
        measure(queue, isJobName(job.name) ? job.name : 'unknown', outcome, performance.now() - startedAt);
      }
      const durationMs = Math.round(performance.now() - startedAt);
      log.debug({ queue, jobId: job.id, attempt: job.attemptsMade + 1, durationMs, againMs }, 'job ran');
      if (againMs === null) return;
      // BullMQ compares it with the clock of the machine.
      const atMs = Date.now() + Math.max(1, Math.ceil(againMs));
      await job.moveToDelayed(atMs, token).catch((error: unknown) => {
        // Its lock expires, and it runs again. If we threw here, it would count as a failed attempt.
        log.warn({ err: error, queue }, 'could not delay a job');
      });
      throw new DelayedError();
    },
    {
      connection: queues.connection,
      prefix: queues.prefixOf(shard),
      concurrency: Math.ceil(concurrency[queue] / shardsWith(queue, queues.shards).length),
      // No `skipVersionCheck`: without the version BullMQ assumes an old server and rounds every wait up to full
      // seconds, which halves a channel's throughput.
      ...crashRecovery,
      ...queueTelemetry(),
    },
  );
  worker.on('error', (error) => {
    log.error({ err: error, queue }, 'queue error');
    if (isStoreTrouble(error) || isReply(error)) rest(worker);
  });
  worker.on('failed', (job, error) => {
    log.error({ err: error, queue, jobId: job?.id, attempt: job?.attemptsMade }, 'job failed');
    // The job succeeded but Redis could not record it. Do not let its last attempt mark it as failed.
    if (isStoreTrouble(error)) job?.retry('failed', { resetAttemptsMade: true }).catch(() => {});
  });
  return worker;
}

/**
 * When Redis hands out no job because it is full or refuses the user, BullMQ asks again immediately, thousands of times a
 * second, and the process does nothing else.
 */
function rest(worker: Worker): void {
  if (worker.isPaused() || worker.closing !== undefined) return;
  void worker.pause(true);
  setTimeout(() => {
    if (worker.closing === undefined) void worker.resume();
  }, STORE_PAUSE_MS).unref();
}

async function attemptJob(job: Job, runJob: RunJob): Promise<number | null> {
  const { name, data, attemptsMade, attemptsStarted, opts } = job;
  if (!isJobName(name)) throw new UnreadableError(`a job named ${name}`);
  const jobTry: JobTry = {
    starts: attemptsStarted,
    isLast: attemptsMade + 1 >= (opts.attempts ?? 1),
    hasWaited: attemptsStarted > attemptsMade + 1,
  };
  try {
    return await runJob(name, data, jobTry);
  } catch (error) {
    // Trouble of Redis itself says nothing about the job, so it does not count as an attempt.
    if (isStoreTrouble(error)) return STORE_PAUSE_MS;
    // BullMQ dates a job by the clock of the machine that added it.
    const againMs = laterMs(error, Date.now() - job.timestamp);
    if (againMs !== null) return againMs;
    if (error instanceof AppError && !error.retryable) throw new UnrecoverableError(error.message);
    throw error;
  }
}

/** After this time each failure counts, so that nobody waits forever. */
const COUNTS_AFTER_MS = 3 * 60_000;
const TOO_LATE_MS = 1000;
const ROLES_UNREAD_MS = 3000;
const RATE_LIMITED_MS = 6000;
const SHORTEST_MS = 500;
/** The card service may ask for an hour. A person who wants a card blocked must learn sooner that it is not. */
const LONGEST_MS = 60_000;

/**
 * Milliseconds until a job runs again without counting an attempt. Null: the failure counts. It does not count when
 * nothing was done: this process was too late, the card service or Slack is rate limiting us, or Slack does not say who
 * may do it.
 *
 * @param ageMs how long ago the job was added.
 */
export function laterMs(error: unknown, ageMs: number): number | null {
  if (ageMs > COUNTS_AFTER_MS) return null;
  if (error instanceof TooLateError) return TOO_LATE_MS;
  if (error instanceof RolesUnreadError) return ROLES_UNREAD_MS;
  const isRateLimited = (error instanceof CardApiError || error instanceof SlackError) && error.code === 'rate_limited';
  if (!isRateLimited) return null;
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, error.retryAfterMs ?? RATE_LIMITED_MS));
}

const SLACK_FIRST_MS = 1000;
/** A day, at the longest wait. */
const SLACK_STARTS_MAX = 24 * 60;

/**
 * The same for a job that waits for Slack: until Slack accepts calls again, after a rate limit, a refusal of the app or no answer.
 *
 * @param starts how often the job has been started.
 */
export function slackLaterMs(error: unknown, starts: number, appRefusedMs: number): number | null {
  if (!(error instanceof SlackError) || starts >= SLACK_STARTS_MAX) return null;
  if (error.code === 'app_refused') return appRefusedMs;
  if (error.code === 'rate_limited') return error.retryAfterMs ?? SLACK_FIRST_MS;
  return error.code === 'unknown' ? Math.min(LONGEST_MS, SLACK_FIRST_MS * 2 ** Math.min(starts - 1, 10)) : null;
}

/** One try of a job. */
export interface JobTry {
  /** True when the job will not be retried. */
  readonly isLast: boolean;
  /** How often it has been started, including this time. */
  readonly starts: number;
  /** True when the job had asked to run again later. */
  readonly hasWaited: boolean;
}

/** Runs a job. Returns milliseconds until it should run again, or nothing when it is done. */
type JobHandler<Name extends JobName> = (data: JobData<Name>, jobTry: JobTry) => Promise<number | null> | Promise<void>;

/** The handler for each job in the table. */
export type JobHandlers = { readonly [Name in JobName]: JobHandler<Name> };

/** @returns milliseconds until the job should run again, or null when it is done. */
export type RunJob = (name: JobName, data: unknown, jobTry: JobTry) => Promise<number | null>;

interface Deps {
  readonly handlers: JobHandlers;
  readonly throttle: Pick<Throttle, 'appRefusedMs'>;
  readonly redo: Pick<Redo, 'settled' | 'losses'>;
  /** Remembers a finished job, in case Redis comes back without its writes. */
  readonly jobDone: <Name extends JobName>(name: Name, data: JobData<Name>) => void;
  /** A job with data that this version cannot read is not retried. People who wait for it are notified. */
  readonly notifyUnreadable: (name: JobName, data: unknown) => Promise<void>;
  /** Something that App Home shows may have changed. */
  readonly homeChanged: () => Promise<void>;
}

/** Delay before a job runs again because Redis came back with older data during the run. */
const AGAIN_MS = 100;

/**
 * Runs jobs by the job table.
 *
 * If Redis comes back with older data during a job, the job runs again: some of its writes may be lost, and others are
 * there.
 */
export function createRunJob({ handlers, throttle, redo, jobDone, notifyUnreadable, homeChanged }: Deps): RunJob {
  async function run<Name extends JobName>(name: Name, given: unknown, jobTry: JobTry): Promise<number | null> {
    const data = await read(name, given, jobTry);
    const losses = redo.losses();
    const isInterrupted = async (): Promise<boolean> => {
      await redo.settled();
      return redo.losses() !== losses;
    };
    try {
      const againMs = (await handlers[name](data, jobTry)) ?? null;
      if (await isInterrupted()) return AGAIN_MS;
      if (againMs === null && jobs[name].everyMs === undefined) jobDone(name, data);
      return againMs;
    } catch (error) {
      if (await isInterrupted()) return AGAIN_MS;
      const waitsForSlack = jobs[name].waitsForSlack === true;
      const againMs = waitsForSlack ? slackLaterMs(error, jobTry.starts, throttle.appRefusedMs) : null;
      if (againMs === null) throw error;
      return againMs;
    }
  }
  async function read<Name extends JobName>(name: Name, data: unknown, { isLast }: JobTry): Promise<JobData<Name>> {
    try {
      return fromStoredAs(`the data of ${name}`, jobs[name].data, data);
    } catch (error) {
      if (isLast && error instanceof UnreadableError) await notifyUnreadable(name, data);
      throw error;
    }
  }
  return async (name, data, jobTry) => {
    await redo.settled();
    const againMs = await run(name, data, jobTry);
    if (jobs[name].changesHome === true) await homeChanged();
    return againMs;
  };
}
