import { type ConnectionOptions, DelayedError, type Job, UnrecoverableError, Worker } from 'bullmq';
import { AppError, CardApiError, RolesUnreadError, SlackError, TooLateError, UnreadableError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { type QueueName, type Queues, queueNames, shardsWith } from '../core/queues.ts';
import { isStoreTrouble } from '../core/redis.ts';
import type { Redo } from '../core/redo.ts';
import { queueTelemetry } from '../core/trace.ts';
import { fromStoredAs } from '../core/unknown-fields.ts';
import type { FailureCauses } from '../ops/failure-causes.ts';
import { type Throttle, whenSlackTakesIt } from '../outbox/send-message.ts';
import { isJobName, type JobData, type JobName, jobs } from './jobs.ts';

/**
 * A worker that dies leaves its job to the others after four to seven seconds, not after BullMQ's minute: an alert must
 * not wait that long. The job of a worker that stands still for longer may run twice; every job is safe to run twice. What is
 * done there may be repeated, so being killed often is no reason to give a job up.
 */
const crashRecovery = { lockDuration: 6_000, stalledInterval: 2_000, maxStalledCount: 1_000_000 } as const;

/** How soon something is tried again that Redis could not take: it is full, moves keys, or a lock was not free. */
const STORE_PAUSE_MS = 1000;

/** How many jobs of a queue one worker has in hand, over all shards. They wait for others most of the time. */
const concurrency: Readonly<Record<QueueName, number>> = {
  alerts: 32,
  bursts: 4,
  outbox: 32,
  updates: 8,
  actions: 16,
  maintenance: 8,
};

interface ConsumerDeps {
  /** Their connection has `maxRetriesPerRequest: null`; BullMQ opens its own beside it. All shards are worked on. */
  readonly queues: Pick<Queues, 'connection' | 'prefixOf' | 'shards'>;
  readonly log: Log;
  /** Told of each try. */
  readonly measure: (queue: QueueName, job: string, outcome: 'done' | 'later' | 'failed', durationMs: number) => void;
  /** Notes why a job fails for good, so that ops are told. */
  readonly noteFailure: FailureCauses['note'];
}

/**
 * Runs the jobs of all queues. Errors that cannot be helped by trying again end a job at once; it stays in Redis as
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
  const { queues, log, measure, noteFailure } = deps;
  const worker = new Worker<Record<string, unknown>>(
    queue,
    async (job, token) => {
      const startedAt = performance.now();
      let outcome: Parameters<typeof measure>[2] = 'failed';
      let againMs: number | null;
      try {
        againMs = await attemptJob(job, runJob);
        outcome = againMs === null ? 'done' : 'later';
      } catch (error) {
        if (failsForGood(job, error))
          await noteFailure(failureOf(job, error)).catch((fault: unknown) => {
            log.warn({ err: fault, queue }, 'why a job failed could not be noted');
          });
        throw error;
      } finally {
        measure(queue, isJobName(job.name) ? job.name : 'unknown', outcome, performance.now() - startedAt);
      }
      const durationMs = Math.round(performance.now() - startedAt);
      log.debug({ queue, jobId: job.id, attempt: job.attemptsMade + 1, durationMs, againMs }, 'job ran');
      if (againMs === null) return;
      const atMs = Date.now() + Math.max(1, Math.ceil(againMs));
      await job.moveToDelayed(atMs, token).catch((error: unknown) => {
        // Its lock runs out, and it is run again. Thrown, this would count as an attempt that failed.
        log.warn({ err: error, queue }, 'a job could not be put off');
      });
      throw new DelayedError();
    },
    {
      connection: queues.connection as ConnectionOptions,
      prefix: queues.prefixOf(shard),
      concurrency: Math.ceil(concurrency[queue] / shardsWith(queue, queues.shards).length),
      // No `skipVersionCheck`: without the version BullMQ takes the server for an old one and rounds every wait up to
      // whole seconds, which halves the throughput of a channel.
      ...crashRecovery,
      ...queueTelemetry(),
    },
  );
  worker.on('error', (error) => {
    log.error({ err: error, queue }, 'queue error');
    if (isStoreTrouble(error)) rest(worker);
  });
  worker.on('failed', (job, error) => {
    log.error({ err: error, queue, jobId: job?.id, attempt: job?.attemptsMade }, 'job failed');
    // It was done, and Redis could not note that. Its last attempt must not make it one that failed.
    if (isStoreTrouble(error)) job?.retry('failed', { resetAttemptsMade: true }).catch(() => {});
  });
  return worker;
}

/** BullMQ asks for the next job again at once, thousands of times a second, when Redis is too full to hand one out. */
function rest(worker: Worker): void {
  if (worker.isPaused() || worker.closing !== undefined) return;
  void worker.pause(true);
  setTimeout(() => {
    if (worker.closing === undefined) void worker.resume();
  }, STORE_PAUSE_MS).unref();
}

/** True when the job is kept as failed after this error. */
function failsForGood({ attemptsMade, opts }: Job, error: unknown): boolean {
  const isLast = error instanceof UnrecoverableError || attemptsMade + 1 >= (opts.attempts ?? 1);
  return isLast && opts.removeOnFail !== true;
}

function failureOf({ queueName, name, id = '' }: Job, error: unknown) {
  return { what: `${queueName}/${name}`, why: error instanceof Error ? error.message : String(error), jobId: id };
}

async function attemptJob(job: Job, runJob: RunJob): Promise<number | null> {
  const { name, data, attemptsMade, attemptsStarted, opts } = job;
  if (!isJobName(name)) throw new UnreadableError(`a job that is called ${name}`);
  const jobTry: JobTry = {
    starts: attemptsStarted,
    isLast: attemptsMade + 1 >= (opts.attempts ?? 1),
    hasWaited: attemptsStarted > attemptsMade + 1,
  };
  try {
    return await runJob(name, data, jobTry);
  } catch (error) {
    // Redis' own trouble says nothing about the job, so it uses up no attempt.
    if (isStoreTrouble(error)) return STORE_PAUSE_MS;
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

/**
 * Milliseconds after which a job runs again without using up one of its attempts; null: the failure counts. It does not
 * where nothing was done: this process came too late, the card service or Slack has no time for us yet, or Slack does not
 * say who may do it.
 *
 * @param ageMs how long ago the job was added.
 */
export function laterMs(error: unknown, ageMs: number): number | null {
  if (ageMs > COUNTS_AFTER_MS) return null;
  if (error instanceof TooLateError) return TOO_LATE_MS;
  if (error instanceof RolesUnreadError) return ROLES_UNREAD_MS;
  const isRateLimited = (error instanceof CardApiError || error instanceof SlackError) && error.code === 'rate_limited';
  return isRateLimited ? Math.max(SHORTEST_MS, error.retryAfterMs ?? RATE_LIMITED_MS) : null;
}

/** One try of a job. */
export interface JobTry {
  /** True when the job will not be tried again. */
  readonly isLast: boolean;
  /** How often it has been started, this time included. */
  readonly starts: number;
  /** True when the job had asked to come back later. */
  readonly hasWaited: boolean;
}

/** Does a job. Answers milliseconds after which to run again, or nothing when it is done. */
type JobHandler<Name extends JobName> = (data: JobData<Name>, jobTry: JobTry) => Promise<number | null> | Promise<void>;

/** What is done for each job of the table. */
export type JobHandlers = { readonly [Name in JobName]: JobHandler<Name> };

/** @returns milliseconds after which to run again, or null when the job is done. */
export type RunJob = (name: JobName, data: unknown, jobTry: JobTry) => Promise<number | null>;

interface Deps {
  readonly handlers: JobHandlers;
  readonly throttle: Pick<Throttle, 'tokenDeadMs'>;
  readonly redo: Pick<Redo, 'settled' | 'losses'>;
  /** Remembers a job that is done, in case Redis comes back without what it wrote. */
  readonly jobDone: <Name extends JobName>(name: Name, data: JobData<Name>) => void;
  /** A job whose data this version cannot read is not tried again: whoever waits for it is told. */
  readonly tellUnreadable: (name: JobName, data: unknown) => Promise<void>;
  /** Something that App Home shows may have changed. */
  readonly homeChanged: () => Promise<void>;
}

/** How soon a job runs again during which Redis came back older. */
const AGAIN_MS = 100;

/**
 * Runs jobs as the table says.
 *
 * A job during which Redis came back older runs again: of what it wrote some may be lost, and the rest is there.
 */
export function createRunJob({ handlers, throttle, redo, jobDone, tellUnreadable, homeChanged }: Deps): RunJob {
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
      throw error;
    }
  }
  async function read<Name extends JobName>(name: Name, data: unknown, { isLast }: JobTry): Promise<JobData<Name>> {
    try {
      return fromStoredAs(`the data of ${name}`, jobs[name].data, data);
    } catch (error) {
      if (isLast && error instanceof UnreadableError) await tellUnreadable(name, data);
      throw error;
    }
  }
  return async (name, data, jobTry) => {
    await redo.settled();
    const { waitsForSlack, changesHome } = jobs[name];
    const againMs =
      waitsForSlack === true
        ? await whenSlackTakesIt(jobTry.starts, throttle, () => run(name, data, jobTry))
        : await run(name, data, jobTry);
    if (changesHome === true) await homeChanged();
    return againMs;
  };
}
