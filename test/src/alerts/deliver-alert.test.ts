import { describe, expect, it } from 'vitest';
import type { CardStatus, CardStatusEvent, StoredEvent } from '../../../src/core/event.ts';
import { createDeliveryWorld, declineOf, here, idOf, timeOf } from '../../support/delivery-world.ts';
import { useRedis } from '../../support/on-redis.ts';
import { change, shippingAlert, statusAlert, transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const world = (options: { paddingCounts?: boolean } = {}) => createDeliveryWorld(redis(), options);

function status(index: number, to: CardStatus, seconds: number): StoredEvent {
  const at = timeOf(seconds);
  const { event } = statusAlert([change({ steps: [{ status: to, at }] })]);
  return { ...event, id: idOf(index), callbackAt: at };
}

it('a payment is listed for its account, like a decline', async () => {
  const { deliver, history, alerts } = world();
  const paid = declineOf(2, { kind: 'authorization', decline: null });

  for (const event of [declineOf(1), paid, declineOf(3, { kind: 'settlement', decline: null })]) await deliver(event);

  expect(await history.recentAlerts(paid.acctId, 'payments', 9)).toEqual([paid.id]);
  expect(await history.recentAlerts(paid.acctId, 'declines', 9)).toEqual([idOf(1)]);
  expect(await alerts.get(paid.id)).toMatchObject({ event: { kind: 'authorization' } });
});

describe('an activation directly followed by a block', () => {
  const [active, blocked] = [status(1, 'ACTIVE', 0), status(2, 'BLOCKED', 20)];

  it('that was muted is shown with the block, which passes every mute, and the holder is notified of both', async () => {
    const { deliver, outbox, alerts, routes, toHolder } = world();
    routes.set(blocked.id, here);

    await deliver(active);
    await deliver(blocked);
    await deliver(blocked);

    expect((await outbox.look('C1', 9)).waiting).toMatchObject([{ entry: { subject: { id: active.id } } }]);
    expect(await alerts.get(active.id)).toMatchObject({
      changes: [{ from: 'INACTIVE', steps: [{ status: 'ACTIVE' }, { status: 'BLOCKED' }] }],
    });
    expect(toHolder.at(-1)).toMatchObject({ event: { id: active.id }, changes: [{ steps: [{}, {}] }] });
  });

  it('shares its message with the block', async () => {
    const { deliver, outbox, routes, updated } = world();
    for (const { id } of [active, blocked]) routes.set(id, here);
    await deliver(active);
    const sending = await outbox.claim('C1', [active.id], null);
    if (sending === null) throw new Error('nothing to claim');
    await outbox.markSent('C1', sending, '1.0');

    await deliver(blocked);

    expect(await outbox.waiting('C1')).toBe(0);
    expect(updated).toContain(active.id);
  });

  it('that arrives after the block is added to the block’s message and not posted elsewhere', async () => {
    const { deliver, outbox, routes, updated } = world();
    routes.set(blocked.id, here).set(active.id, { ...here, channel: 'C2' });

    await deliver(blocked);
    await deliver(active);

    expect((await outbox.look('C1', 9)).waiting).toMatchObject([{ entry: { subject: { id: blocked.id } } }]);
    expect(await outbox.waiting('C2')).toBe(0);
    expect(updated).toContain(blocked.id);
  });
});

it.each([
  ['counts', true, 800],
  ['does not count', false, 0],
])(
  'padding on top of a purchase %s against its limits, now and later, as configured',
  async (_how, paddingCounts, paddingCents) => {
    const { deliver, alerts, advised } = world({ paddingCounts });
    const event = declineOf(1, { kind: 'decline', paddingCents: 800 });

    await deliver(event);

    expect(advised).toMatchObject([{ id: event.id, amountCents: event.amountCents, paddingCents }]);
    expect((await alerts.get(event.id))?.event).toMatchObject({ paddingCents });
  },
);

describe('a later step that goes to no channel', () => {
  const spent = declineOf(1, { kind: 'authorization', decline: null, networkTransactionId: '77' });
  const reversed = declineOf(2, { ...spent, id: idOf(2), kind: 'reversal', direction: 'credit' });

  it.each([
    ['first message', [spent, reversed]],
    ['first message, even if it arrives twice', [spent, reversed, reversed]],
  ])('changes the purchase’s %s', async (_what, events) => {
    const { deliver, alerts, outbox, routes, updated } = world();
    routes.set(spent.id, here);

    for (const event of events) await deliver(event);

    expect(updated).toContain(spent.id);
    expect(await alerts.get(spent.id)).toMatchObject({
      timeline: { steps: [{ kind: 'authorization' }, { kind: 'reversal' }] },
    });
    expect(await outbox.waiting('C1')).toBe(1);
  });

  it('starts no purchase: the first step that is posted does', async () => {
    const { deliver, outbox, routes } = world();
    await deliver(spent);
    expect(await redis().keys('*purchases*')).toEqual([]);
    routes.set(reversed.id, here);

    await deliver(reversed);

    const [first] = (await outbox.look('C1', 9)).waiting;
    expect(first).toMatchObject({ entry: { threadId: `purchase-${reversed.id}` } });
  });

  it('of another purchase changes nothing', async () => {
    const { deliver, routes, updated } = world();
    routes.set(spent.id, here);
    await deliver(spent);

    await deliver({ ...declineOf(9, { kind: 'authorization', decline: null }), networkTransactionId: '78' });

    expect(await redis().hkeys(`{cardbell:state}:purchases:${spent.acctId}`)).toEqual([spent.id]);
    expect(updated).toEqual([]);
  });

  it('of a card’s way to its holder changes the message about the shipment', async () => {
    const { deliver, alerts, routes, updated } = world();
    const shipped = { ...shippingAlert().event, id: idOf(1) };
    routes.set(shipped.id, here);
    await deliver(shipped);
    const active = status(2, 'ACTIVE', 86_400) as CardStatusEvent;
    const cards = active.cards.map((card) => ({ ...card, cardOrderId: shipped.cardOrderId }));

    await deliver({ ...active, cards });

    expect(await alerts.get(shipped.id)).toMatchObject({ progress: { activated: active.callbackAt } });
    expect(updated).toContain(shipped.id);
  });
});

it('shows the declines of a new block apart from those of an earlier one', async () => {
  const { deliver, groupAlert, routes } = world();
  routes.set(idOf(1), here).set(idOf(3), here).set(idOf(4), here);
  const ofOrder = (index: number, to: CardStatus, seconds: number): StoredEvent => {
    const event = status(index, to, seconds);
    if (event.kind !== 'card-status') throw new Error('not a status');
    return { ...event, cards: event.cards.map((one) => ({ ...one, cardOrderId: 1221 })) };
  };
  const ofBlocked = async (index: number) =>
    await groupAlert({ ...transactionAlert(), event: declineOf(index), remedy: { kind: 'unblock' } }, 'C1');

  await deliver(ofOrder(1, 'BLOCKED', 0));
  const first = await ofBlocked(20);
  const repeated = await ofBlocked(21);
  await deliver(ofOrder(3, 'ACTIVE', 3600));
  await deliver(ofOrder(4, 'BLOCKED', 7200));
  const afterwards = await ofBlocked(7300);

  expect(first).toMatchObject({ shownBy: null });
  expect(repeated).toMatchObject({ shownBy: idOf(20), threadId: first.threadId });
  expect(afterwards).toMatchObject({ shownBy: null });
  expect(afterwards.threadId).not.toBe(first.threadId);
});
