import { expect, it } from 'vitest';
import { createVirtualOrders } from '../../../src/virtual-cards/order-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, byCommand, virtualOrder } from '../../support/perform-world.ts';

const redis = useRedis();
const action = ask('order-virtual', { ...byCommand, id: 'act_order1', target: virtualOrder });
const asked = { action, at: '2026-11-20T15:00:00.000Z' };

it('brings an order and its event together, whichever comes first', async () => {
  const orders = createVirtualOrders(redis());

  expect(await orders.expect({ kind: 'order', orderId: 1 }, asked)).toBeNull();
  expect(await orders.arrived({ kind: 'order', orderId: 1 }, 'evt_1')).toEqual(asked);

  expect(await orders.arrived({ kind: 'order', orderId: 2 }, 'evt_2')).toBeNull();
  expect(await orders.expect({ kind: 'order', orderId: 2 }, asked)).toBe('evt_2');
});

it('recognizes an order without a number by the name of its holder, however it is written', async () => {
  const orders = createVirtualOrders(redis());
  await orders.expect({ kind: 'name', name: 'Vera  Nova' }, asked);

  expect(await orders.arrived({ kind: 'name', name: ' VERA NOVA' }, 'evt_1')).toEqual(asked);
  expect(await orders.arrived({ kind: 'name', name: 'Vera Nowak' }, 'evt_2')).toBeNull();
});

it('does not take an earlier event for the answer to a resend', async () => {
  const orders = createVirtualOrders(redis());
  await orders.arrived({ kind: 'resend', acctId: 1 }, 'evt_1');

  expect(await orders.expect({ kind: 'resend', acctId: 1 }, asked)).toBeNull();
});
