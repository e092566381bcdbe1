import { afterEach, describe, expect, it } from 'vitest';
import { type JobTry, laterMs, type RunJob, slackLaterMs, startConsumers } from '../../../src/app/consumer.ts';
import { createEnqueue } from '../../../src/app/enqueue.ts';
import {
  BusyError,
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

/** Runs one job per handler in parallel. Returns the attempts of each job and how many failed for good. */
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
  const failed = (): Promise<number> => queues.updates.getFailedCount();
  const consumers = startConsumers(runJob, { queues, log, measure: () => {} });
  stops.push(async () => {
    await consumers.close();
    await closeQueues(queues);
    client.disconnect();
  });
  for (const index of handlers.keys())
    await createEnqueue(queues, () => new Date())('enrich-alert', { alertId: String(index) });
  await until(async () => done + (await failed()) === handlers.length, 'all jobs have ended', 30_000);
  return { attempts, failed: await failed() };
}

/** Errors of Redis when it is full, became a replica, moves keys, or holds a lock, and a turn to wait for. None is the job's fault. */
const troubles: readonly Error[] = [
  new Error("OOM command not allowed when used memory > 'maxmemory'."),
  new Error("READONLY You can't write against a read only replica."),
  new Error('Too many Cluster redirections. Last error: MOVED 3 127.0.0.1:7001'),
  new Error('ERR Script attempted to access a non local key in a cluster node'),
  new StoreUnavailableError('the lock was not free in time'),
  new BusyError('the person’s earlier requests are still running'),
];

it('uses up no attempt of a job for an error of Redis', async () => {
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

it('counts an error of the job itself, and fails the job after its last attempt', async () => {
  const { attempts, failed } = await runAll([
    async () => {
      throw new Error('a fault of ours');
    },
  ]);

  expect([attempts[0]?.length, failed]).toEqual([3, 1]);
  expect(attempts[0]?.map(({ isLast }) => isLast)).toEqual([false, false, true]);
}, 40_000);

it('leaves time for everything else while Redis refuses the user', async () => {
  await redis().call('ACL', 'SETUSER', 'limited', 'on', 'nopass', '~*', '-@all', '+ping', '+info', '+config|get');
  const client = redis().duplicate({ maxRetriesPerRequest: null, username: 'limited', password: 'any' });
  const queues = openQueues(client);
  const log = createLog({ level: 'silent', process: 'test' });
  const consumers = startConsumers(async () => null, { queues, log, measure: () => {} });

  await until(async () => (await deniedAfter(0)) > 0, 'Redis refuses the worker');
  // Without a rest, BullMQ would ask again and again, and no timer would ever run.
  const denied = await deniedAfter(300);
  await consumers.close();

  expect(denied).toBeLessThan(100);
  await closeQueues(queues);
  client.disconnect();
  await redis().call('ACL', 'DELUSER', 'limited');
}, 20_000);

/** How many commands Redis has refused some time later. */
async function deniedAfter(ms: number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  const stats = await redis().info('commandstats');
  return Number(/cmdstat_evalsha:.*rejected_calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

const rateLimited = (retryAfterMs?: number) =>
  new CardApiError('slower', {
    operation: 'putSpendRules',
    status: 429,
    outcome: 'refused',
    code: 'rate_limited',
    apiMessage: null,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });

describe('a job that could not do anything runs again without using up an attempt', () => {
  it.each([
    ['soon, if its process was too late', new TooLateError('the lock is lost'), 1000],
    ['when the card service asks for it', rateLimited(30_000), 30_000],
    ['within a minute, even if the card service asks for an hour', rateLimited(3_600_000), 60_000],
    ['a few seconds later, if the card service does not say when', rateLimited(), 6000],
    ['a moment later, if the card service says immediately', rateLimited(0), 500],
    [
      'when Slack asks for it',
      new SlackError('users.info', 'rate_limited', 'ratelimited', { retryAfterMs: 20_000 }),
      20_000,
    ],
    ['a few seconds later, if Slack does not return who may do it', new RolesUnreadError(), 3000],
  ])('%s', (_what, error, ms) => {
    expect(laterMs(error, 0)).toBe(ms);
  });
});

describe('a failure counts as an attempt', () => {
  it.each([
    ['if something else is wrong', new Error('redis is full'), 0],
    ['if Slack refuses', new SlackError('users.info', 'refused', 'invalid_auth'), 0],
    ['if it has lasted for minutes', new TooLateError('the lock is lost'), 4 * 60_000],
  ])('%s', (_what, error, ageMs) => {
    expect(laterMs(error, ageMs)).toBeNull();
  });
});

describe('a refused edit', () => {
  const edit = (code: SlackError['code'], starts = 1) =>
    slackLaterMs(new SlackError('chat.update', code, 'x'), starts, 10_000);

  it('waits longer each time if there is no answer, up to a minute', () => {
    expect(edit('unknown', 1)).toBe(1000);
    expect(edit('unknown', 3)).toBe(4000);
    expect(edit('unknown', 50)).toBe(60_000);
  });

  it('waits as long as Slack asks for', () => {
    const limited = new SlackError('chat.update', 'rate_limited', 'ratelimited', { retryAfterMs: 90_000 });

    expect(slackLaterMs(limited, 1, 10_000)).toBe(90_000);
  });

  it('waits until Slack accepts the app if it refuses the token', () => {
    expect(edit('app_refused')).toBe(10_000);
  });

  it('fails if waiting cannot help or has lasted a day', () => {
    expect(edit('refused')).toBeNull();
    expect(edit('unknown', 24 * 60)).toBeNull();
    expect(slackLaterMs(new Error('a fault of ours'), 1, 10_000)).toBeNull();
  });
});
