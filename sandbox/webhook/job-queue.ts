import { randomUUID } from 'node:crypto';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import type { LaterWork } from '../state/world.ts';

/** Jobs that the sandbox keeps in Redis: only ids, never a body. */
export interface DeliveryJob {
  readonly type: 'deliver';
  readonly deliveryId: string;
}
export interface LaterJob {
  readonly type: keyof LaterWork;
  readonly data: LaterWork[keyof LaterWork];
}

interface JobQueue<Job> {
  /** Adds a job. The id makes repeats harmless. Waits for Redis as long as necessary. */
  add(id: string, job: Job, delayMs?: number): Promise<void>;
  close(): Promise<void>;
}

interface JobQueueOptions<Job> {
  readonly redisUrl: string;
  readonly process: (job: Job) => Promise<void>;
  readonly onError: (error: Error) => void;
}

/** A BullMQ queue of the sandbox's own on the project's Redis. */
export function createJobQueue<Job extends DeliveryJob | LaterJob>({
  redisUrl,
  process,
  onError,
}: JobQueueOptions<Job>): JobQueue<Job> {
  const prefix = `sandbox-${randomUUID()}`;
  const connect = (): Redis => {
    const redis = new Redis(redisUrl, {
      maxRetriesPerRequest: null,
      // Reconnect soon after an outage: the default may wait twenty seconds.
      retryStrategy: (times) => Math.min(times * 50, 500),
    });
    redis.on('error', onError);
    return redis;
  };
  const producer = connect();
  const consumer = connect();
  const queue = new Queue('sandbox', { connection: producer, prefix });
  const worker = new Worker<Job>('sandbox', (job) => process(job.data), {
    connection: consumer,
    prefix,
    // Receivers that hang hold a job for ten seconds each, and must not keep others from getting their webhooks.
    concurrency: 1000,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
    // A process that dies leaves its jobs to the next one after a few seconds, however often this happens.
    lockDuration: 30_000,
    stalledInterval: 5_000,
    maxStalledCount: 100,
  });
  queue.on('error', onError);
  worker.on('error', onError);

  return {
    async add(id, job, delayMs = 0) {
      await queue.add(job.type, job, { jobId: id, ...(delayMs > 0 ? { delay: Math.round(delayMs) } : {}) });
    },
    async close() {
      // BullMQ's close waits for Redis without a limit. A sandbox whose Redis is gone must still stop.
      const gently = async (): Promise<void> => {
        await worker.close(true);
        // No other process knows the prefix of this run.
        await queue.obliterate({ force: true });
        await queue.close();
      };
      const deadline = new Promise<void>((resolve) => void setTimeout(resolve, 2000).unref());
      await Promise.race([gently().catch(onError), deadline]);
      producer.disconnect();
      consumer.disconnect();
    },
  };
}
