import { expect, it } from 'vitest';
import { createDeliveries, type Deliveries } from '../../sandbox/webhook/deliveries.ts';
import { until } from './running-sandbox.ts';

it('CallbackTime ascends within a millisecond, also when the counter of its last digits starts again', async () => {
  const at = new Date('2026-11-21T04:30:00.250Z');
  let tick = 9_997;
  const deliveries: Deliveries = createDeliveries({
    urlOf: () => 'http://127.0.0.1/hooks',
    send: Object.assign(async () => ({ status: 200, error: null }), { close: () => {} }),
    version: '2.0.1.3',
    retrySeconds: [],
    timeScale: 1,
    now: () => at,
    nextTick: () => (tick += 1),
    enqueue: (_id, deliveryId) => deliveries.attempt(deliveryId),
    onError: (error) => expect.unreachable(error.message),
  });

  for (let count = 0; count < 4; count += 1) deliveries.emit('card-status', {}, 'card 1');
  await until(() => deliveries.records.length === 4, 'the webhooks');

  const times = deliveries.records.map(({ body }) => body.CallbackTime);
  expect(times).toEqual([...new Set(times)].toSorted());
  expect(times[0]).toMatch(/^2026-11-20T23:30:00\.250\d{4}-05:00$/);
});
