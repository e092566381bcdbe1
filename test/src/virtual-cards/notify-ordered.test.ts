import { expect, it } from 'vitest';
import { createAlerts } from '../../../src/alerts/alert-store.ts';
import { createAwaitedOrders, createOrderNotices } from '../../../src/virtual-cards/order.ts';
import { withoutLock } from '../../support/held.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, byCommand, virtualOrder } from '../../support/perform-world.ts';
import { virtualAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const askedAt = '2026-11-20T15:00:00.000Z';
const action = ask('order-virtual', { ...byCommand, id: 'act_order1', target: virtualOrder });

async function setUp(callbackAt: string) {
  const alerts = createAlerts(redis(), () => new Date());
  const awaitedOrders = createAwaitedOrders(redis());
  const told: string[] = [];
  const recorded: string[] = [];
  const forgotten: string[] = [];
  const alert = virtualAlert({ holder: 'Vera Nova', callbackAt });
  await alerts.save(alert);
  const notices = createOrderNotices({
    awaitedOrders,
    alerts,
    raises: { forget: async ({ id }) => void forgotten.push(id) },
    record: async (_action, { event }) => void recorded.push(`${event}`),
    updateAlert: async () => {},
    notifyDirectly: async (userId) => void told.push(userId),
    withLock: withoutLock,
  });
  return { notices, awaitedOrders, alerts, alert, told, recorded, forgotten };
}

it('notifies the person who ordered a card once it exists, audits it, and names them in the alert', async () => {
  const { notices, awaitedOrders, alerts, alert, told, recorded } = await setUp(askedAt);
  await awaitedOrders.expect({ kind: 'name', name: 'Vera Nova' }, { action, at: askedAt });

  await notices.virtualCardArrived(alert.event);

  expect(told).toEqual(['U0OLGA']);
  expect(recorded).toEqual(['confirmed']);
  expect(await alerts.get(alert.event.id)).toMatchObject({ asked: { by: 'U0OLGA', at: askedAt } });
});

it('notifies nobody of a card that nobody ordered or that existed before the order', async () => {
  const { notices, awaitedOrders, alert, told } = await setUp('2026-11-20T14:00:00.000Z');

  await notices.virtualCardArrived(alert.event);
  await awaitedOrders.expect({ kind: 'name', name: 'Vera Nova' }, { action, at: askedAt });
  await notices.virtualCardArrived(alert.event);

  expect(told).toEqual([]);
});

const resendOf = (id: string, userId: string) => {
  const action = ask('resend-virtual', { ...byCommand, id });
  return { ...action, actor: { ...action.actor, userId } };
};
it('notifies everyone who asked for the same details, each once', async () => {
  const { notices, awaitedOrders, alerts, told } = await setUp(askedAt);
  const resent = { outcome: 'resend', callbackAt: '2026-11-20T15:00:05.000Z' } as const;
  const [first, second] = [
    virtualAlert({ ...resent, id: 'evt_1111111111111111' }),
    virtualAlert({ ...resent, id: 'evt_2222222222222222' }),
  ];
  for (const alert of [first, second]) await alerts.save(alert);
  const awaited = { kind: 'resend', acctId: first.event.acctId ?? 0 } as const;
  await awaitedOrders.expect(awaited, { action: resendOf('act_ana', 'U0ANA'), at: askedAt });
  await awaitedOrders.expect(awaited, { action: resendOf('act_olga', 'U0OLGA'), at: '2026-11-20T15:00:01.000Z' });

  await notices.virtualCardArrived(first.event);
  expect(told.splice(0).toSorted()).toEqual(['U0ANA', 'U0OLGA']);
  expect(await alerts.get(first.event.id)).toMatchObject({ asked: { by: 'U0ANA' } });

  await notices.virtualCardArrived(second.event);
  expect(told, 'the second event').toEqual([]);

  await notices.virtualCardArrived(first.event);
  expect(told, 'the first event again, in case it was cut off').toHaveLength(2);
});

it('notifies both people whose orders for the same name lost their numbers', async () => {
  const { notices, awaitedOrders, alert, told } = await setUp(askedAt);
  const other = { ...action, id: 'act_order2', actor: { ...action.actor, userId: 'U0ANA' } };
  await awaitedOrders.expect({ kind: 'name', name: 'Vera Nova' }, { action, at: askedAt });
  await awaitedOrders.expect({ kind: 'name', name: 'Vera Nova' }, { action: other, at: askedAt });

  await notices.virtualCardArrived(alert.event);

  expect(told.toSorted()).toEqual(['U0ANA', 'U0OLGA']);
});

it.each(['webhook first', 'answer first'])('an order that made no card no longer counts: %s', async (order) => {
  const { notices, alerts, told, forgotten } = await setUp(askedAt);
  const { event } = virtualAlert({ outcome: 'not_created', virtualCardOrderId: 77, callbackAt: askedAt });
  const steps = [() => notices.virtualCardArrived(event), () => notices.awaitOrder(action, askedAt, 77)];
  await alerts.save({ ...virtualAlert(), event });
  for (const step of order === 'webhook first' ? steps : steps.toReversed()) await step();

  expect(forgotten).toEqual(['act_order1']);
  expect(told).toEqual(['U0OLGA']);
});

it('an order still counts if its card could only not be funded, or if a name alone tells that it made none', async () => {
  const { notices, awaitedOrders, alerts, alert, told, forgotten } = await setUp(askedAt);
  const partial = virtualAlert({ outcome: 'partial', virtualCardOrderId: 77, callbackAt: askedAt });
  await alerts.save(partial);
  await notices.awaitOrder(action, askedAt, 77);
  await notices.virtualCardArrived(partial.event);
  await awaitedOrders.expect({ kind: 'name', name: 'Vera Nova' }, { action, at: askedAt });
  await notices.virtualCardArrived({ ...alert.event, outcome: 'not_created', virtualCardOrderId: 78 });

  expect(forgotten).toEqual([]);
  expect(told).toEqual(['U0OLGA', 'U0OLGA']);
});
