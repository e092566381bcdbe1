import { expect, it } from 'vitest';
import { createAwaitedOrders, readBirthDate } from '../../../src/virtual-cards/order.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, byCommand, virtualOrder } from '../../support/perform-world.ts';

const now = new Date('2026-11-20T15:00:00Z');

it.each([
  ['1991-04-30', '1991-04-30'],
  ['04/30/1991', '1991-04-30'],
  ['4/3/1991', '1991-04-03'],
  ['04-30-1991', '1991-04-30'],
  ['2000-02-29', '2000-02-29'],
])('reads %s as the day %s', (text, date) => {
  expect(readBirthDate(text, now)).toBe(date);
});

it.each(['', '30/04/1991', '02/30/1991', '2001-02-29', '04/30/91', '2026-11-21', '1900-01-01', 'April 30, 1991'])(
  'rejects “%s” as a date of birth',
  (text) => {
    expect(readBirthDate(text, now)).toBeNull();
  },
);

const redis = useRedis();
const action = ask('order-virtual', { ...byCommand, id: 'act_order1', target: { ...virtualOrder, sealed: '' } });
const event = (id: string) => ({ id, callbackAt: '2026-11-20T15:00:00.000Z' });
const asked = { action, at: '2026-11-20T15:00:00.000Z' };

it('matches an order with its event, whichever comes first', async () => {
  const orders = createAwaitedOrders(redis());

  expect(await orders.expect({ kind: 'order', orderId: 1 }, asked)).toBeNull();
  expect(await orders.arrived({ kind: 'order', orderId: 1 }, event('evt_1'))).toEqual([asked]);

  expect(await orders.arrived({ kind: 'order', orderId: 2 }, event('evt_2'))).toEqual([]);
  expect(await orders.expect({ kind: 'order', orderId: 2 }, asked)).toBe('evt_2');
});

it("matches an order without a number by the holder's name, however it is written", async () => {
  const orders = createAwaitedOrders(redis());
  await orders.expect({ kind: 'name', name: 'Vera  Nova' }, asked);

  expect(await orders.arrived({ kind: 'name', name: ' VERA NOVA' }, event('evt_1'))).toEqual([asked]);
  expect(await orders.arrived({ kind: 'name', name: 'Vera Nowak' }, event('evt_2'))).toEqual([]);
});

it('a name answers an order once: a later card of that name is somebody else’s', async () => {
  const orders = createAwaitedOrders(redis());
  await orders.expect({ kind: 'name', name: 'Vera Nova' }, asked);

  expect(await orders.arrived({ kind: 'name', name: 'Vera Nova' }, event('evt_1'))).toEqual([asked]);
  expect(await orders.arrived({ kind: 'name', name: 'Vera Nova' }, event('evt_1')), 'a repeated event').toEqual([
    asked,
  ]);
  expect(await orders.arrived({ kind: 'name', name: 'Vera Nova' }, event('evt_2'))).toEqual([]);
});

it('a resend that was refused waits for no event', async () => {
  const orders = createAwaitedOrders(redis());
  await orders.expect({ kind: 'resend', acctId: 7 }, asked);
  await orders.forget({ kind: 'resend', acctId: 7 }, asked.action.id);

  expect(await orders.arrived({ kind: 'resend', acctId: 7 }, event('evt_1'))).toEqual([]);
});

it('does not match an earlier event with a resend', async () => {
  const orders = createAwaitedOrders(redis());
  await orders.arrived({ kind: 'resend', acctId: 1 }, event('evt_1'));

  expect(await orders.expect({ kind: 'resend', acctId: 1 }, asked)).toBeNull();
});
