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
