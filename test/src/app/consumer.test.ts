import { afterEach, expect, it } from 'vitest';
import { startConsumers } from '../../../src/app/consumer.ts';
import { createEnqueue } from '../../../src/app/enqueue.ts';
import type { Attempt, RunJob } from '../../../src/app/run-job.ts';
import { StoreUnavailableError } from '../../../src/core/errors.ts';
import { createLog } from '../../../src/core/log.ts';
import { closeQueues, openQueues } from '../../../src/core/queues.ts';
import { useRedis } from '../../support/on-redis.ts';
import { until } from '../../support/until.ts';

const redis = useRedis();
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Runs one job whose handler is given; answers every attempt that it had. */
async function runOnce(handler: (attempt: Attempt) => Promise<null>): Promise<{ attempts: Attempt[]; failed: number }> {
  const client = redis().duplicate({ maxRetriesPerRequest: null });
  const queues = openQueues(redis());
  const attempts: Attempt[] = [];
  let isDone = false;
  const runJob: RunJob = async (_name, _data, attempt) => {
    attempts.push(attempt);
    await handler(attempt);
    isDone = true;
    return null;
  };
  const log = createLog({ level: 'silent', process: 'test' });
  const consumers = startConsumers(runJob, { redis: client, log, measure: () => {} });
  stops.push(async () => {
    await consumers.close();
    await closeQueues(queues);
    client.disconnect();
  });
  await createEnqueue(queues)('enrich-alert', { alertId: 'evt_1' });
  await until(async () => isDone || (await queues.updates.getFailedCount()) === 1, 'the job came to its end', 30_000);
  return { attempts, failed: await queues.updates.getFailedCount() };
}

it.each([
  ['is full', new Error("OOM command not allowed when used memory > 'maxmemory'.")],
  ['has become a replica', new Error("READONLY You can't write against a read only replica.")],
  ['moves keys between servers', new Error('Too many Cluster redirections. Last error: MOVED 3 127.0.0.1:7001')],
  [
    'has moved a key that a script reads',
    new Error('ERR Script attempted to access a non local key in a cluster node'),
  ],
  ['does not free a lock', new StoreUnavailableError('the lock was not free in time')],
])(
  'a Redis that %s uses up none of the attempts of a job',
  async (_what, error) => {
    let times = 0;
    const { attempts, failed } = await runOnce(async () => {
      times += 1;
      if (times < 5) throw error;
      return null;
    });

    expect(failed).toBe(0);
    expect(attempts).toHaveLength(5);
    expect(
      attempts.some(({ isLast }) => isLast),
      'three attempts are allowed, and none was used',
    ).toBe(false);
  },
  40_000,
);

it('an error of the job itself counts, and ends it after its last attempt', async () => {
  const { attempts, failed } = await runOnce(async () => {
    throw new Error('a fault of ours');
  });

  expect([attempts.length, failed]).toEqual([3, 1]);
  expect(attempts.map(({ isLast }) => isLast)).toEqual([false, false, true]);
}, 40_000);
