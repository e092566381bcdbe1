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
  // Without the buffers of connections, which shrink when nothing is sent any more.
  return (said('used_memory') - said('mem_clients_normal')) / said('maxmemory');
};

/** Of both, webhooks may have been refused. */
const told = /^Needs attention: (Redis is (?:full|filling up))/;

/** Delivers declines as fast as they are answered. @returns the amounts of those that were taken. */
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
        // Not at the first refusal only: room may return before the question arrives.
        wasUnready ||= (await ready()) === 503;
      }
    }
  };
  await Promise.all(Array.from({ length: 64 }, sender));
  return { taken, refused, wasUnready };
}

it('a Redis that fills up refuses webhooks while there is room to work, and shows every event that it took', async () => {
  const { texts, logs } = cardbell();
  await limitMemory('8mb');
  const linesBefore = logs().length;

  const { taken, refused, wasUnready } = await flood(2000);

  expect(refused, 'webhooks were refused').toBeGreaterThan(0);
  expect(wasUnready, 'the web process says that it takes nothing').toBe(true);
  await quiet(cardbell());
  expect(await shown()).toEqual(taken.toSorted((a, b) => a - b));
  expect(await share(), 'memory is left when all is done').toBeLessThan(0.9);
  // A worker looks a few times a second: where webhooks were refused for moments only, it saw a Redis that fills up.
  await until(() => texts(channels.ops).some((text) => told.test(text)), 'ops are told');
  expect(logs().length - linesBefore, 'lines in the log').toBeLessThan(200);
}, 120_000);

it('takes webhooks again when Redis is given more memory', async () => {
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
    const over = texts(channels.ops).flatMap((text) => /^Working again: (Redis is [\w ]+)/.exec(text)?.[1] ?? []);
    return open.length > 0 && open.every((title) => over.includes(title));
  }, 'ops are told that it is over');
}, 120_000);

it('a Redis that is too full to hand out a job uses up no attempt, writes little into the log, and loses nothing', async () => {
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
  // Long enough for thousands of lines from a worker that asks again and again.
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
