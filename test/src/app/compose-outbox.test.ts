import { expect, it } from 'vitest';
import { wakeOutboxIn } from '../../../src/app/compose-outbox.ts';
import { composeWorker } from '../../../src/app/compose-worker.ts';
import { defaultThrottle } from '../../../src/outbox/send-message.ts';
import { usePatientRedis } from '../../support/patient-redis.ts';
import { openWorkerContext } from '../../support/worker-context.ts';

const server = usePatientRedis();

it.each([
  ['no second run when one waits already', 'C1', true, []],
  ['a run when none waits', 'C2', false, ['flush-outbox']],
])('a channel that is woken later gets %s', async (_what, channel, isOneDelayed, added) => {
  const { context, queues, close } = await openWorkerContext(server().redis, server().url);
  const { handlers } = composeWorker(context, defaultThrottle);
  if (isOneDelayed) await context.enqueue('flush-outbox', { channel }, { delayMs: 60_000 });
  const wakeIn = wakeOutboxIn(context);

  for (let count = 0; count < 3; count += 1) await wakeIn(channel, 30_000);
  const wakes = (await queues.outbox.getDelayed()).filter(({ name }) => name === 'wake-outbox');
  for (const { data } of wakes)
    await handlers['wake-outbox'](data as { channel: string; second: number }, {
      starts: 1,
      isLast: false,
      hasWaited: false,
    });

  expect((await queues.outbox.getWaiting()).map(({ name }) => name)).toEqual(added);
  await close();
});

it('a channel is woken for a retry once in ten seconds, however many runs ask for it', async () => {
  const wakes = new Map<number, number>();
  let nowMs = Date.UTC(2026, 10, 20, 15);
  const wakeIn = wakeOutboxIn({
    now: () => new Date(nowMs),
    enqueue: async (_name, data, when) => void wakes.set((data as { second: number }).second, when?.delayMs ?? 0),
  });

  for (let run = 0; run < 9; run += 1, nowMs += 1_100) await wakeIn('C1', 10_000, true);

  expect([...wakes.values()], 'later runs may find the same wake').toHaveLength(2);
  expect(Math.min(...wakes.values())).toBeGreaterThanOrEqual(5_000);
  expect(Math.max(...wakes.values())).toBeLessThanOrEqual(15_000);
});
