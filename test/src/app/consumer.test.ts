import { afterEach, describe, expect, it } from 'vitest';
import { type JobTry, laterMs, type RunJob, startConsumers } from '../../../src/app/consumer.ts';
import { createEnqueue } from '../../../src/app/enqueue.ts';
import {
  CardApiError,
  RolesUnreadError,
  SlackError,
  StoreUnavailableError,
  TooLateError,
} from '../../../src/core/errors.ts';
import { createLog } from '../../../src/core/log.ts';
import { closeQueues, openQueues } from '../../../src/core/queues.ts';
import { useRedis } from '../../support/on-redis.ts';
import { until } from '../../support/until.ts';

const redis = useRedis();
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Runs jobs side by side, one for each handler; answers every attempt that each had, and how many failed for good. */
async function runAll(
  handlers: readonly ((jobTry: JobTry) => Promise<null>)[],
): Promise<{ attempts: JobTry[][]; failed: number }> {
  const client = redis().duplicate({ maxRetriesPerRequest: null });
  const queues = openQueues(client);
  const attempts: JobTry[][] = handlers.map(() => []);
  let done = 0;
  const runJob: RunJob = async (_name, data, jobTry) => {
    const index = Number((data as { alertId: string }).alertId);
    attempts[index]?.push(jobTry);
    await handlers[index]?.(jobTry);
    done += 1;
    return null;
  };
  const log = createLog({ level: 'silent', process: 'test' });
  const consumers = startConsumers(runJob, { queues, log, measure: () => {} });
  stops.push(async () => {
    await consumers.close();
    await closeQueues(queues);
    client.disconnect();
  });
  for (const index of handlers.keys()) await createEnqueue(queues)('enrich-alert', { alertId: String(index) });
  const failed = (): Promise<number> => queues.updates.getFailedCount();
  await until(async () => done + (await failed()) === handlers.length, 'all jobs came to their end', 30_000);
  return { attempts, failed: await failed() };
}

/** What Redis says when it is full, has become a replica, moves keys, or holds a lock: none of it is the job's fault. */
const troubles: readonly Error[] = [
  new Error("OOM command not allowed when used memory > 'maxmemory'."),
  new Error("READONLY You can't write against a read only replica."),
  new Error('Too many Cluster redirections. Last error: MOVED 3 127.0.0.1:7001'),
  new Error('ERR Script attempted to access a non local key in a cluster node'),
  new StoreUnavailableError('the lock was not free in time'),
];

it("Redis' own trouble uses up none of the attempts of a job", async () => {
  const { attempts, failed } = await runAll(
    troubles.map((trouble) => {
      let times = 0;
      return async () => {
        times += 1;
        if (times < 5) throw trouble;
        return null;
      };
    }),
  );

  expect(failed).toBe(0);
  for (const [index, { message }] of troubles.entries()) {
    expect(attempts[index], message).toHaveLength(5);
    expect(
      attempts[index]?.some(({ isLast }) => isLast),
      `${message}: three attempts are allowed, and none was used`,
    ).toBe(false);
  }
}, 40_000);

it('an error of the job itself counts, and ends it after its last attempt', async () => {
  const { attempts, failed } = await runAll([
    async () => {
      throw new Error('a fault of ours');
    },
  ]);

  expect([attempts[0]?.length, failed]).toEqual([3, 1]);
  expect(attempts[0]?.map(({ isLast }) => isLast)).toEqual([false, false, true]);
}, 40_000);

const rateLimited = (retryAfterMs?: number) =>
  new CardApiError('slower', {
    operation: 'putSpendRules',
    status: 429,
    outcome: 'refused',
    code: 'rate_limited',
    apiMessage: null,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });

describe('a job that could do nothing runs again without using up an attempt', () => {
  it.each([
    ['soon, where its process came too late', new TooLateError('the lock is lost'), 1000],
    ['when the card service says so', rateLimited(30_000), 30_000],
    ['some seconds later, where the card service does not say when', rateLimited(), 6000],
    ['a moment later, where the card service says at once', rateLimited(0), 500],
    [
      'when Slack says so',
      new SlackError('users.info', 'rate_limited', 'ratelimited', { retryAfterMs: 20_000 }),
      20_000,
    ],
    ['some seconds later, where Slack does not say who may do it', new RolesUnreadError(), 3000],
  ])('%s', (_what, error, ms) => {
    expect(laterMs(error, 0)).toBe(ms);
  });
});

describe('a failure counts', () => {
  it.each([
    ['where something else is wrong', new Error('redis is full'), 0],
    ['where Slack refuses', new SlackError('users.info', 'refused', 'invalid_auth'), 0],
    ['where it has gone on for minutes', new TooLateError('the lock is lost'), 4 * 60_000],
  ])('%s', (_what, error, ageMs) => {
    expect(laterMs(error, ageMs)).toBeNull();
  });
});
