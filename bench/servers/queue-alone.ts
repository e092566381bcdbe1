import { type ConnectionOptions, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';

/** BullMQ alone: adds `JOBS` jobs, takes them as the worker of Cardbell does, and writes one key for each. */
const redis = new Redis(process.env.REDIS_URL ?? '', { maxRetriesPerRequest: null });
const connection = redis as ConnectionOptions;
const queue = new Queue('alone', { connection, prefix: '{alone}' });
const jobs = Number(process.env.JOBS);
// What starting has cost is not counted.
const { user, system } = process.cpuUsage();
await redis.set('alone:started', (user + system) / 1000);
const payload = { text: 'x'.repeat(1200) };

let done = 0;
new Worker(
  'alone',
  async (job) => {
    await redis.set(`alone:${job.id}`, 'done', 'EX', 60);
    done += 1;
    if (done === jobs) await redis.set('alone:done', '1');
  },
  { connection, prefix: '{alone}', concurrency: 32 },
);
await Promise.all(
  Array.from(
    { length: jobs },
    async (_, i) => await queue.add('deliver', payload, { jobId: `job-${i}`, removeOnComplete: true }),
  ),
);
