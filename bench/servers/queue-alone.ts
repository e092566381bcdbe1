import { type ConnectionOptions, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';

/**
 * BullMQ alone: for each number it is given, adds that many jobs, takes them like Cardbell's worker, and writes one key
 * for each.
 */
const redis = new Redis(process.env.REDIS_URL ?? '', { maxRetriesPerRequest: null });
const asked = redis.duplicate();
const connection = redis as ConnectionOptions;
const queue = new Queue('alone', { connection, prefix: '{alone}' });
const payload = { text: 'x'.repeat(1200) };

let left = 0;
let finish = (): void => {};
new Worker(
  'alone',
  async (job) => {
    await redis.set(`alone:${job.id}`, 'done', 'EX', 60);
    left -= 1;
    if (left === 0) finish();
  },
  { connection, prefix: '{alone}', concurrency: 32 },
);
for (;;) {
  const [, text = ''] = (await asked.blpop('alone:jobs', 0)) ?? [];
  left = Number(text);
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const jobs = Array.from({ length: left }, () => queue.add('deliver', payload, { removeOnComplete: true }));
  await Promise.all([...jobs, done]);
  await redis.rpush('alone:done', text);
}
