import { type ConnectionOptions, DelayedError, type Job, UnrecoverableError, Worker } from 'bullmq';
import { AppError } from '../core/errors.ts';
import { QUEUE_PREFIX } from '../core/keys.ts';
import type { Log } from '../core/log.ts';
import type { RedisClient } from '../core/redis.ts';
import { type QueueName, queueNames } from './jobs.ts';

/**
 * A worker that dies leaves its job to the others after four to seven seconds, not after BullMQ's minute: an alert must not
 * wait that long. A worker that stands still for longer meets its own job done twice, which every job bears. What is done there may be repeated, so being killed often is no reason to give a job up.
 */
const crashRecovery = { lockDuration: 6_000, stalledInterval: 2_000, maxStalledCount: 100 } as const;

/** What a processor is told about its job. */
export interface Run {
  readonly id: string;
  readonly name: string;
  /** True when the job will not be tried again. */
  readonly isLastAttempt: boolean;
  /** How often it has been started, this time included. */
  readonly starts: number;
  /** True when the job had asked to come back later. */
  readonly hasWaited: boolean;
}

/** @returns milliseconds after which to run again, or null when the job is done. */
export type Processor = (data: unknown, run: Run) => Promise<number | null>;

export interface Consumer {
  close(): Promise<void>;
}

/**
 * Runs `process` for each job of a queue. Errors that cannot be helped by trying again end the job at once; it stays
 * in Redis as failed.
 *
 * @param redis a connection with `maxRetriesPerRequest: null`; BullMQ opens its own beside it.
 */
export function startConsumer(
  name: QueueName,
  process: Processor,
  options: { redis: RedisClient; concurrency: number; log: Log },
): Consumer {
  const { redis, concurrency, log } = options;
  const worker = new Worker<Record<string, unknown>>(
    queueNames[name],
    async (job, token) => {
      const startedAt = performance.now();
      const run: Run = {
        id: job.id ?? '',
        name: job.name,
        starts: job.attemptsStarted,
        isLastAttempt: job.attemptsMade + 1 >= (job.opts.attempts ?? 1),
        hasWaited: job.attemptsStarted > job.attemptsMade + 1,
      };
      const again = await runOnce(job, run, process);
      const durationMs = Math.round(performance.now() - startedAt);
      log.debug({ queue: name, jobId: run.id, attempt: job.attemptsMade + 1, durationMs, againMs: again }, 'job ran');
      if (again === null) return;
      await job.moveToDelayed(Date.now() + Math.max(1, Math.ceil(again)), token);
      throw new DelayedError();
    },
    {
      connection: redis as ConnectionOptions,
      prefix: QUEUE_PREFIX,
      concurrency,
      // No `skipVersionCheck`: without the version BullMQ takes the server for an old one and rounds every wait up to
      // whole seconds, which halves the pace of a channel.
      ...crashRecovery,
    },
  );
  worker.on('error', (error) => log.error({ err: error, queue: name }, 'queue trouble'));
  worker.on('failed', (job, error) => {
    log.error({ err: error, queue: name, jobId: job?.id, attempt: job?.attemptsMade }, 'job failed');
  });
  return { close: () => worker.close() };
}

async function runOnce(job: Job, run: Run, process: Processor): Promise<number | null> {
  try {
    return await process(job.data, run);
  } catch (error) {
    if (error instanceof AppError && !error.retryable) throw new UnrecoverableError(error.message);
    throw error;
  }
}
