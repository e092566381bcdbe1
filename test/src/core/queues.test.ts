import { expect, it } from 'vitest';
import { createEnqueue } from '../../../src/app/enqueue.ts';
import { closeQueues, openQueues, queueNames, shardsWith } from '../../../src/core/queues.ts';
import { shardOf, shardsOf } from '../../../src/core/shards.ts';
import { burstOf } from '../../../src/intake/burst.ts';
import { useRedis } from '../../support/on-redis.ts';
import { read } from '../webhooks/read.ts';

const redis = useRedis();
const eventOf = (NetworkTransactionId: number) => read('decline', { NetworkTransactionId });

it('puts the event queues in every shard and the others in the first', () => {
  const split = queueNames.filter((name) => shardsWith(name, 16).length === 16);

  expect(split).toEqual(['alerts', 'bursts']);
  expect(queueNames.filter((name) => !split.includes(name)).flatMap((name) => shardsWith(name, 16))).toEqual([
    0, 0, 0, 0,
  ]);
});

it('puts a job in the shard of its event, a burst with its first event, and a job without an id in the first shard', async () => {
  const queues = openQueues(redis(), 16);
  const enqueue = createEnqueue(queues, () => new Date());
  const events = [11, 12, 13, 14, 15, 16].map(eventOf);
  for (const event of events) {
    await enqueue('deliver-alert', event);
    await enqueue('deliver-alert', event);
  }
  await enqueue('deliver-burst', burstOf([31, 32].map((id) => ({ type: 'event', event: eventOf(id) }))));
  await enqueue('forward-entry', { entry: {} });

  const found = await Promise.all(
    queues.all.map(async ({ name, shard, queue }) =>
      (await queue.getWaiting()).map((job) => ({ name, shard, job: job.name, id: job.id })),
    ),
  );

  const alerts = found.flat().filter(({ job }) => job === 'deliver-alert');
  expect(alerts.map(({ id, shard }) => `${id} ${shard}`).toSorted()).toEqual(
    events.map(({ id }) => `${id} ${shardOf(id, 16)}`).toSorted(),
  );
  expect(found.flat().filter(({ job }) => job === 'deliver-burst')).toMatchObject([
    { name: 'bursts', shard: shardOf(eventOf(31).id, 16) },
  ]);
  expect(found.flat().filter(({ job }) => job === 'forward-entry')).toMatchObject([{ name: 'alerts', shard: 0 }]);
  await closeQueues(queues);
});

it('has one queue per name without shards', async () => {
  const queues = openQueues(redis());

  expect(queues.all.map(({ name, shard }) => `${name} ${shard}`)).toEqual(queueNames.map((name) => `${name} 0`));
  for (const shard of shardsOf(16)) expect(queues.of('alerts', `evt_${shard}`)).toBe(queues.alerts);
  await closeQueues(queues);
});
