import { describe, expect, it } from 'vitest';
import { createCardOrders } from '../../../src/alerts/card-order-store.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const order = { acctId: 7378, cardOrderId: 1221 };
const [earlier, later] = ['2026-11-10T00:00:00Z', '2026-11-20T00:00:00Z'];

describe('a card order', () => {
  it('keeps the earliest time of a step, in whatever order the events arrive', async () => {
    const orders = createCardOrders(redis());

    await orders.note(order, 'shipped', later, null);
    const { progress } = await orders.note(order, 'shipped', earlier, null);
    expect(progress).toMatchObject({ cardOrderId: 1221, shipped: earlier, activated: null });

    expect((await orders.note(order, 'shipped', later, null)).progress.shipped).toBe(earlier);
  });

  it('names each alert that shows it once, in the order in which they were added', async () => {
    const orders = createCardOrders(redis());

    await orders.note(order, 'created', earlier, 'evt_z');
    await orders.note(order, 'shipped', later, 'evt_a');
    const { alertIds } = await orders.note(order, 'shipped', later, 'evt_z');

    expect(alertIds).toEqual(['evt_z', 'evt_a']);
  });

  it('is found by its account, with all others of the account and none of another', async () => {
    const orders = createCardOrders(redis());
    await orders.note(order, 'shipped', earlier, 'evt_1');
    await orders.note({ ...order, cardOrderId: 1222 }, 'created', later, 'evt_2');
    await orders.note({ acctId: 7379, cardOrderId: 1223 }, 'created', later, 'evt_3');

    const found = await orders.ofAccount(order.acctId);

    expect(found.map(({ progress }) => progress.cardOrderId).toSorted((a, b) => a - b)).toEqual([1221, 1222]);
    expect(found.flatMap(({ alertIds }) => alertIds).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'evt_1',
      'evt_2',
    ]);
  });
});

describe('a check of an activation', () => {
  const awaited = { ...order, alertId: 'evt_1' };

  it('is due at the first time that was set, however often its event is handled', async () => {
    const orders = createCardOrders(redis());
    await orders.awaitActivation(awaited, 1000);
    await orders.awaitActivation(awaited, 9000);

    expect(await orders.overdue(999, 9)).toEqual([]);
    expect(await orders.overdue(1000, 9)).toEqual([awaited]);
  });

  it('without an answer comes after all others that are due', async () => {
    const orders = createCardOrders(redis());
    const other = { ...awaited, cardOrderId: 1222 };
    await orders.awaitActivation(awaited, 1000);
    await orders.awaitActivation(other, 2000);

    await orders.postpone(awaited, 3000);

    expect(await orders.overdue(3000, 9)).toEqual([other, awaited]);
  });

  it('that was forgotten meanwhile is not brought back by a check that had no answer', async () => {
    const orders = createCardOrders(redis());
    await orders.awaitActivation(awaited, 1000);
    await orders.forget(awaited);

    await orders.postpone(awaited, 2000);

    expect(await orders.overdue(9999, 9)).toEqual([]);
  });
});

it('the thread of a block is that of the last block, and none after an unblock', async () => {
  const orders = createCardOrders(redis());
  expect(await orders.blockThread(7378)).toBeNull();

  for (const thread of ['block-1', 'block-2']) await orders.setBlockThread(7378, thread);
  expect(await orders.blockThread(7378)).toBe('block-2');
  expect(await orders.blockThread(7379)).toBeNull();

  await orders.setBlockThread(7378, null);
  expect(await orders.blockThread(7378)).toBeNull();
});
