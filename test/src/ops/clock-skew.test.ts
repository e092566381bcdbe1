import { Queue } from 'bullmq';
import { expect, it } from 'vitest';
import { QUEUE_PREFIX } from '../../../src/core/keys.ts';
import { wakeSkewedJobs } from '../../../src/ops/clock-skew.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const HOUR_MS = 3_600_000;

it('a job that a fast clock put off for an hour runs now; one that is to wait for an hour waits', async () => {
  const queue = new Queue('alerts', { connection: redis() as never, prefix: QUEUE_PREFIX });
  await queue.add('patient', {}, { jobId: 'patient', delay: HOUR_MS });
  await queue.add('misdated', {}, { jobId: 'misdated', delay: 1050 });
  await queue.add('soon', {}, { jobId: 'soon', delay: 1050 });
  const key = `${QUEUE_PREFIX}:alerts:delayed`;
  await redis().zincrby(key, HOUR_MS * 0x1000, 'misdated');

  expect(await wakeSkewedJobs(queue, redis())).toBe(1);
  expect(await queue.getJobState('misdated')).toBe('waiting');
  expect(await queue.getJobState('patient')).toBe('delayed');
  expect(await queue.getJobState('soon')).toBe('delayed');
  await queue.close();
});
