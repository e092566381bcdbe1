import { Queue } from 'bullmq';
import { expect, it } from 'vitest';
import { useDeclines } from '../support/declines.ts';
import { channels } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { readableAmounts } from '../support/readable.ts';
import { atOnce, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell({ pace: atOnce });

const { declines, shown } = useDeclines(cardbell);

const limitMemory = (max: string): Promise<unknown> => cardbell().store.config('SET', 'maxmemory', max);
const ready = async (): Promise<number> => (await fetch(`${cardbell().url}/readyz`)).status;
const share = async (): Promise<number> => {
  const info = await cardbell().store.info('memory');
  const said = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
  // Excludes connection buffers, which shrink once nothing is sent.
  return (said('used_memory') - said('mem_clients_normal')) / said('maxmemory');
};

/** Webhooks may be refused in both cases. */
const told = /^Needs attention: (Redis is (?:full|filling up))/;

/** Delivers declines as fast as they are answered. @returns the amounts of the accepted ones. */
async function flood(count: number): Promise<{ taken: number[]; refused: number; wasUnready: boolean }> {
  const { deliver } = cardbell();
  const left = declines(count);
  const taken: number[] = [];
  let refused = 0;
  let wasUnready = false;
  const sender = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const status = await deliver({ kind: 'decline', body: next.body });
      if (status === 200) taken.push(next.amountCents);
      else {
        refused += 1;
        // Checks on every refusal: memory may be free again before the first check arrives.
        wasUnready ||= (await ready()) === 503;
      }
    }
  };
  await Promise.all(Array.from({ length: 64 }, sender));
  return { taken, refused, wasUnready };
}

it('refuses webhooks before a Redis that fills up has no room left, and shows every accepted event', async () => {
  const { texts, logs } = cardbell();
  await limitMemory('8mb');
  const linesBefore = logs().length;

  const { taken, refused, wasUnready } = await flood(2000);

  expect(refused, 'some webhooks are refused').toBeGreaterThan(0);
  expect(wasUnready, 'the web process reports that it is not ready').toBe(true);
  await quiet(cardbell());
  expect(await shown()).toEqual(taken.toSorted((a, b) => a - b));
  expect(await share(), 'memory is left in the end').toBeLessThan(0.9);
  // Workers check a few times a second. If webhooks were refused only briefly, a worker saw a Redis that was filling up.
  await until(() => texts(channels.ops).some((text) => told.test(text)), 'ops are notified');
  expect(logs().length - linesBefore, 'lines in the log').toBeLessThan(200);
}, 120_000);

it('accepts webhooks again when Redis gets more memory', async () => {
  const { texts } = cardbell();
  await limitMemory('100mb');
  await until(async () => (await ready()) === 200, 'it is ready again');

  const { taken, refused } = await flood(300);

  expect([taken.length, refused]).toEqual([300, 0]);
  await quiet(cardbell());
  const amounts = await shown();
  for (const amount of taken) expect(amounts).toContain(amount);
  await until(() => {
    const open = texts(channels.ops).flatMap((text) => told.exec(text)?.[1] ?? []);
    const over = texts(channels.ops).flatMap((text) => /^Resolved: (Redis is [\w ]+)/.exec(text)?.[1] ?? []);
    return open.length > 0 && open.every((title) => over.includes(title));
  }, 'ops are notified that it is resolved');
}, 120_000);

it('uses up no attempts, logs little and loses nothing while Redis is too full to hand out a job', async () => {
  const { store, logs, deliver, workspace, workers } = cardbell();
  const queue = new Queue('updates', { connection: store, prefix: '{cardbell:queue}' });
  const sent = declines(20);
  const shown = (): Promise<readonly number[]> =>
    readableAmounts(workspace, workspace.messages(channels.declines).slice(before));
  const before = workspace.messages(channels.declines).length;
  workers[0]?.kill('SIGSTOP');
  await Promise.all(sent.map(({ body }) => deliver({ kind: 'decline', body })));
  await queue.add('render-homes', {}, { attempts: 1 });
  await limitMemory('1');
  const linesBefore = logs().length;
  workers[0]?.kill('SIGCONT');
  // Long enough for thousands of log lines from a worker that keeps asking.
  await new Promise((resolve) => setTimeout(resolve, 4000));
  const lines = logs().length - linesBefore;
  await limitMemory('0');

  expect(lines, 'lines in the log').toBeLessThan(60);
  await until(async () => (await shown()).length >= sent.length, 'all are posted', 60_000);
  await quiet(cardbell());
  expect(await shown()).toHaveLength(sent.length);
  expect(await queue.getFailedCount(), 'jobs that failed for good').toBe(0);
  await queue.close();
}, 120_000);
