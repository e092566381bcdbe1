import { describe, expect, it } from 'vitest';
import { createRecentDeclines } from '../../../src/alerts/card-history.ts';
import type { CardStatus, CardStatusEvent, StoredEvent } from '../../../src/core/event.ts';
import { createDeliveryWorld, declineOf, here, idOf, timeOf } from '../../support/delivery-world.ts';
import { useRedis } from '../../support/on-redis.ts';
import { change, shippingAlert, statusAlert, transactionAlert, virtualAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const world = (options: Parameters<typeof createDeliveryWorld>[1] = {}) => createDeliveryWorld(redis(), options);

function status(index: number, to: CardStatus, seconds: number): CardStatusEvent {
  const at = timeOf(seconds);
  const { event } = statusAlert([change({ steps: [{ status: to, at }] })]);
  return { ...event, id: idOf(index), callbackAt: at };
}

function ofOrder(event: StoredEvent): StoredEvent {
  if (event.kind !== 'card-status') return event;
  return { ...event, cards: event.cards.map((one) => ({ ...one, cardOrderId: 1221 })) };
}

it('a payment is listed for its account, like a decline', async () => {
  const { deliver, history, alerts } = world();
  const paid = declineOf(2, { kind: 'authorization', decline: null });

  for (const event of [declineOf(1), paid, declineOf(3, { kind: 'settlement', decline: null })]) await deliver(event);

  expect(await history.recentAlerts(paid.acctId, 'payments', 9)).toEqual([paid.id]);
  expect(await history.recentAlerts(paid.acctId, 'declines', 9)).toEqual([idOf(1)]);
  expect(await alerts.get(paid.id)).toMatchObject({ event: { kind: 'authorization' } });
});

it('an alert names the holder that its own event names, also if the directory knew another one', async () => {
  const { deliver, alerts, directory } = world();
  const events = [
    virtualAlert({ id: idOf(1), holder: 'Jon Snow' }).event,
    { ...status(2, 'BLOCKED', 2), holder: 'Ned' },
  ];

  for (const event of events) await deliver(event);

  expect((await alerts.get(idOf(1)))?.card.holder).toBe('Jon Snow');
  expect((await alerts.get(idOf(2)))?.card.holder).toBe('Ned');
  // An account that nobody knows must be read before an event tells a part of it.
  expect(directory.asked[0]).toBe('facts');
});

it('a decline is counted and listed with what would have let it pass, which says why it was declined', async () => {
  const remedy = { kind: 'unblock' } as const;
  const { deliver, counted, history, alerts } = world({ remedy });
  const event = declineOf(1);

  await deliver(event);

  expect(counted).toMatchObject([{ event: { id: event.id }, remedy }]);
  expect(await createRecentDeclines(history, alerts)(event.acctId, 9)).toMatchObject([{ id: event.id, remedy }]);
});

it.each([
  ['was closed', { kind: 'unblock' }, 1],
  ['is open', { kind: 'unblock', hasFraudCase: true }, 0],
  ['may be open', null, 0],
] as const)(
  'a decline offers to unblock the card if its fraud case %s while it was delivered',
  async (_how, now, updates) => {
    const then = { kind: 'unblock', hasFraudCase: true } as const;
    const { deliver, alerts, updated } = world({ remedy: then, remedyAgain: now });

    await deliver(declineOf(1));

    expect(await alerts.get(idOf(1))).toHaveProperty('remedy', now ?? then);
    expect(updated.filter((id) => id === idOf(1))).toHaveLength(updates);
  },
);

it('a decline whose numbers are missing is not counted by a guess: it is counted when they are added', async () => {
  const { deliver, counted, completedLater } = world({ isIncomplete: true });

  await deliver(declineOf(1));

  expect(counted).toEqual([]);
  expect(completedLater).toEqual([idOf(1)]);
});

it.each([
  ['in time', 0, false],
  ['hours after the card service sent it, because no worker ran', 3 * 3600, true],
])('an alert knows whether its numbers were read long after the purchase: %s', async (_when, seconds, isKnownLater) => {
  const { deliver, alerts } = world({ now: () => new Date(timeOf(seconds)) });
  const event = declineOf(1, { receivedAt: timeOf(2) });

  await deliver(event);

  const alert = await alerts.get(event.id);
  expect(alert?.kind === 'transaction' && alert.isKnownLater === true).toBe(isKnownLater);
});

it('an alert of an event that was recovered does not claim to know the card as it was then', async () => {
  const { deliverAlert, alerts } = world();

  await deliverAlert(declineOf(1), { hasWaited: false, isLate: true });

  expect(await alerts.get(idOf(1))).toMatchObject({ isKnownLater: true });
});

describe('an activation directly followed by a block', () => {
  const [active, blocked] = [status(1, 'ACTIVE', 0), status(2, 'BLOCKED', 20)];

  it.each([
    ['muted', []],
    ['posted', [active]],
  ])(
    'that was already %s leaves the block a message of its own, in the channel and for the holder',
    async (_what, posted) => {
      const { deliver, outbox, alerts, routes, toHolder } = world();
      for (const { id } of [...posted, blocked]) routes.set(id, here);
      await deliver(active);
      const sending = await outbox.claim('C1', [active.id], null);
      if (sending !== null) await outbox.markSent('C1', sending, '1.0');

      for (const event of [blocked, blocked, active]) await deliver(event);

      expect((await outbox.look('C1', 9)).waiting).toMatchObject([{ entry: { subject: { id: blocked.id } } }]);
      expect(await alerts.get(blocked.id)).toMatchObject({
        changes: [{ from: 'ACTIVE', steps: [{ status: 'BLOCKED' }] }],
      });
      expect(await alerts.get(active.id)).toMatchObject({ changes: [{ steps: [{ status: 'ACTIVE' }] }] });
      expect(toHolder.map(({ event }) => event.id)).toContain(blocked.id);
    },
  );

  it('that still waits for it shares its message, which shows who blocked the card', async () => {
    const { deliver, outbox, alerts, routes, toHolder, history } = world();
    for (const { id } of [active, blocked]) routes.set(id, here);
    await history.expectStatus(blocked.acctId ?? 0, 'BLOCKED', {
      userId: 'U0OLGA',
      actionId: 'act_1',
      after: '',
      notBefore: '',
    });

    const wait = await deliver(active, { hasWaited: false });
    for (const event of [blocked, active, blocked, active]) await deliver(event);

    expect(wait).toBeGreaterThan(0);
    expect((await outbox.look('C1', 9)).waiting).toMatchObject([{ entry: { subject: { id: blocked.id } } }]);
    expect(await alerts.get(blocked.id)).toMatchObject({
      changes: [{ from: 'INACTIVE', steps: [{ status: 'ACTIVE' }, { status: 'BLOCKED' }], causedBy: 'U0OLGA' }],
    });
    expect(new Set(toHolder.map(({ event }) => event.id))).toEqual(new Set([blocked.id]));
  });

  it('on a card’s way to its holder leaves the block in the channel, not only in the thread', async () => {
    const { deliver, outbox, routes } = world();
    const way = [status(0, 'INACTIVE', -60), active, blocked].map((event) => ofOrder(event));
    for (const { id } of way) routes.set(id, here);

    for (const event of way) await deliver(event);

    expect((await outbox.look('C1', 9)).waiting.map(({ entry }) => entry)).toMatchObject([
      { broadcast: false },
      { broadcast: false },
      { broadcast: true, subject: { id: blocked.id } },
    ]);
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

  it('that arrives after the block of two cards leaves the other card as it was', async () => {
    const { deliver, alerts, routes } = world();
    const { cards } = blocked;
    const both = { ...blocked, cards: cards.flatMap((one) => [{ ...one, cardId: 99, last4: '9999' }, one]) };
    routes.set(blocked.id, here);

    await deliver(both);
    await deliver(active);

    expect(await alerts.get(blocked.id)).toMatchObject({
      changes: [
        { cardId: 99, last4: '9999', steps: [{ status: 'BLOCKED' }] },
        { cardId: cards[0]?.cardId, last4: cards[0]?.last4, steps: [{ status: 'ACTIVE' }, { status: 'BLOCKED' }] },
      ],
    });
  });
});

it.each([
  ['limits', 'decline.rule.velocity', { againstLimits: false, againstBalance: true }, 0, 800],
  ['limits', 'decline.rule.velocity', { againstLimits: true, againstBalance: false }, 800, 0],
  ['limits', 'decline.rule.velocity', { againstLimits: true, againstBalance: true }, 800, undefined],
  ['balance', 'decline.balance.card', { againstLimits: false, againstBalance: true }, 800, undefined],
  ['balance', 'decline.balance.card', { againstLimits: true, againstBalance: false }, 0, undefined],
])(
  'padding on top of a purchase counts against its %s, now and later, as configured: %s, %j',
  async (_what, code, paddingCounts, paddingCents, balancePaddingCents) => {
    const { deliver, alerts, advised } = world({ paddingCounts });
    const event = declineOf(1, { kind: 'decline', paddingCents: 800, decline: { code, message: '' } });

    await deliver(event);

    expect(advised).toMatchObject([{ id: event.id, amountCents: event.amountCents, paddingCents }]);
    const kept = (await alerts.get(event.id))?.event;
    expect(kept).toMatchObject({ paddingCents });
    expect(kept?.kind === 'decline' ? kept.balancePaddingCents : null).toBe(balancePaddingCents);
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
