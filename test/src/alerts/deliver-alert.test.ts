import { beforeEach, describe, expect, it } from 'vitest';
import { createAggregationGroups } from '../../../src/alerts/aggregation-group-store.ts';
import { type Alert, FraudCaseAlert } from '../../../src/alerts/alert.ts';
import { createAlerts } from '../../../src/alerts/alert-store.ts';
import { createAnnounce, type Delivery, type Publish } from '../../../src/alerts/announce.ts';
import { createCardHistory } from '../../../src/alerts/card-history.ts';
import { createCardLifecycle } from '../../../src/alerts/card-lifecycle.ts';
import { createCardOrders } from '../../../src/alerts/card-order-store.ts';
import { createCardTesting } from '../../../src/alerts/card-testing-store.ts';
import { createDeliverAlert } from '../../../src/alerts/deliver-alert.ts';
import { createDeliverStatus } from '../../../src/alerts/deliver-status.ts';
import { createEventLog } from '../../../src/alerts/event-log.ts';
import { createFraudCases } from '../../../src/alerts/fraud-case-store.ts';
import { createGroupAlert } from '../../../src/alerts/group-alert.ts';
import { createPurchases } from '../../../src/alerts/purchase-store.ts';
import type { CardStatus, CardStatusEvent, StoredEvent, TransactionEvent } from '../../../src/core/event.ts';
import { createLock } from '../../../src/core/lock.ts';
import { createOutbox } from '../../../src/outbox/outbox-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { change, shippingAlert, statusAlert, transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const START = Date.parse('2026-11-20T14:00:00Z');
const here: Delivery = { channel: 'C1', holdUntil: null, passesQuiet: false };
/** Where the rules send each event. Events without an entry go nowhere. */
const routes = new Map<string, Delivery | Delivery[]>();
let toHolder: Alert[] = [];
let updated: string[] = [];

beforeEach(() => {
  routes.clear();
  toHolder = [];
  updated = [];
});

function world({ paddingCounts = true } = {}) {
  const advised: StoredEvent[] = [];
  const alerts = createAlerts(redis());
  const cardOrders = createCardOrders(redis());
  const groupAlert = createGroupAlert({
    fraudCases: createFraudCases(redis()),
    aggregationGroups: createAggregationGroups(redis()),
    cardTesting: createCardTesting(redis()),
    purchases: createPurchases(redis(), createLock(redis())),
    cardLifecycle: createCardLifecycle({ cardOrders, alerts, withLock: createLock(redis()) }),
    cardOrders,
    alerts,
    eventLog: createEventLog(redis()),
  });
  const outbox = createOutbox(redis());
  const updateAlert = async (id: string): Promise<void> => void updated.push(id);
  const announce = createAnnounce({
    alerts,
    route: async ({ id }) => [routes.get(id) ?? []].flat(),
    groupAlert,
    outbox,
    wakeOutbox: async () => {},
    updateAlert,
  });
  const publish: Publish = async (alert, occasion) => {
    await announce(alert, occasion);
    toHolder.push(alert);
  };
  const history = createCardHistory(redis());
  const directory = {
    factsOf: async ({ acctId }: StoredEvent) => ({ ...transactionAlert().card, acctId }),
    statusBefore: async () => 'INACTIVE' as const,
    learn: async () => {},
  };
  const deliverAlert = createDeliverAlert({
    directory,
    history,
    advice: {
      for: async (event) => {
        advised.push(event);
        return { remedy: null, isIncomplete: false };
      },
      completeLater: async () => {},
    },
    countDecline: async () => {},
    cardUsed: async () => [],
    updateAlert,
    publish,
    paddingCounts,
  });
  const deliverStatus = createDeliverStatus({ directory, history, alerts, publish, updateAlert });
  const arrival = { hasWaited: true, isLate: false };
  const deliver = async (event: StoredEvent): Promise<number | null | void> =>
    event.kind === 'card-status' ? await deliverStatus(event, arrival) : await deliverAlert(event, arrival);
  return { alerts, outbox, groupAlert, deliver, advised, history };
}

const idOf = (index: number): string => `evt_${String(index).padStart(16, '0')}`;

function status(index: number, to: CardStatus, seconds: number): StoredEvent {
  const at = new Date(START + seconds * 1000).toISOString();
  const { event } = statusAlert([change({ steps: [{ status: to, at }] })]);
  return { ...event, id: idOf(index), callbackAt: at };
}

function declined(index: number, over: Partial<TransactionEvent> = {}): TransactionEvent {
  const at = new Date(START + index * 1000).toISOString();
  return { ...transactionAlert().event, id: idOf(index), occurredAt: at, callbackAt: at, ...over };
}

it('a payment is listed for its account, like a decline', async () => {
  const { deliver, history, alerts } = world();
  const paid = declined(2, { kind: 'authorization', decline: null });

  for (const event of [declined(1), paid, declined(3, { kind: 'settlement', decline: null })]) await deliver(event);

  expect(await history.recentAlerts(paid.acctId, 'payments', 9)).toEqual([paid.id]);
  expect(await history.recentAlerts(paid.acctId, 'declines', 9)).toEqual([idOf(1)]);
  expect(await alerts.get(paid.id)).toMatchObject({ event: { kind: 'authorization' } });
});

describe('an activation directly followed by a block', () => {
  const [active, blocked] = [status(1, 'ACTIVE', 0), status(2, 'BLOCKED', 20)];

  it('that was muted is shown with the block, which passes every mute, and the holder is notified of both', async () => {
    const { deliver, outbox, alerts } = world();
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
    const { deliver, outbox } = world();
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
    const { deliver, outbox } = world();
    routes.set(blocked.id, here).set(active.id, { ...here, channel: 'C2' });

    await deliver(blocked);
    await deliver(active);

    expect((await outbox.look('C1', 9)).waiting).toMatchObject([{ entry: { subject: { id: blocked.id } } }]);
    expect(await outbox.waiting('C2')).toBe(0);
    expect(updated).toContain(blocked.id);
  });
});

describe('a later step that goes to no channel', () => {
  const spent = declined(1, { kind: 'authorization', decline: null, networkTransactionId: '77' });
  const reversed = declined(2, { ...spent, id: idOf(2), kind: 'reversal', direction: 'credit' });

  it.each([
    ['first message', [spent, reversed]],
    ['first message, even if it arrives twice', [spent, reversed, reversed]],
  ])('changes the purchase’s %s', async (_what, events) => {
    const { deliver, alerts, outbox } = world();
    routes.set(spent.id, here);

    for (const event of events) await deliver(event);

    expect(updated).toContain(spent.id);
    expect(await alerts.get(spent.id)).toMatchObject({
      timeline: { steps: [{ kind: 'authorization' }, { kind: 'reversal' }] },
    });
    expect(await outbox.waiting('C1')).toBe(1);
  });

  it('starts no purchase: the first step that is posted does', async () => {
    const { deliver, outbox } = world();
    await deliver(spent);
    expect(await redis().keys('*purchases*')).toEqual([]);
    routes.set(reversed.id, here);

    await deliver(reversed);

    const [first] = (await outbox.look('C1', 9)).waiting;
    expect(first).toMatchObject({ entry: { threadId: `purchase-${reversed.id}` } });
  });

  it('of another purchase changes nothing', async () => {
    const { deliver } = world();
    routes.set(spent.id, here);
    await deliver(spent);

    await deliver({ ...declined(9, { kind: 'authorization', decline: null }), networkTransactionId: '78' });

    expect(await redis().hkeys(`{cardbell:state}:purchases:${spent.acctId}`)).toEqual([spent.id]);
    expect(updated).toEqual([]);
  });

  it('of a card’s way to its holder changes the message about the shipment', async () => {
    const { deliver, alerts } = world();
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

it('posts an alert exempt from quiet hours now, with the held message that counts it', async () => {
  const { deliver, outbox } = world();
  const holdUntil = Date.now() + 600_000;
  const held = { ...here, holdUntil };
  routes.set(idOf(1), held).set(idOf(2), held);
  routes.set(idOf(3), { ...here, passesQuiet: true });
  for (const index of [1, 2]) await deliver(declined(index, { amountCents: 1000 }));
  expect(await outbox.waiting('C1')).toBe(0);

  await deliver(declined(3, { amountCents: 1000 }));

  const { waiting, heldForMs } = await outbox.look('C1', 9);
  expect(waiting).toMatchObject([{ entry: { subject: { id: idOf(1) }, notBefore: null } }]);
  expect(heldForMs).toBeNull();
});

it('posts a card-testing warning even if the job of the decline that triggered it failed for good', async () => {
  const { deliver, outbox, groupAlert, alerts } = world();
  const decline = { code: 'decline', message: 'Do not honor' };
  const events = [1, 2, 3, 4].map((index) => declined(index, { acctId: 100 + index, decline }));
  for (const { id } of events) routes.set(id, here);
  const [first, second, cause, next] = events as [
    TransactionEvent,
    TransactionEvent,
    TransactionEvent,
    TransactionEvent,
  ];
  await deliver(first);
  await deliver(second);
  // Its job dies right after the decline was counted and never runs again.
  const { warning } = await groupAlert(transactionAlert(cause), 'C1');
  expect(warning).toMatchObject({ isCause: true });
  const id = warning?.warningId ?? '';

  await deliver(next);

  const entries = (await outbox.look('C1', 9)).waiting.map(({ entry }) => entry);
  expect(entries).toContainEqual(
    expect.objectContaining({ subject: { kind: 'alert', id }, threadId: id, broadcast: true, priority: 'fraud' }),
  );
  expect(await alerts.get(id)).toMatchObject({ tried: [{}, {}, {}, {}] });
});

it.each([
  ['counts', true, 800],
  ['does not count', false, 0],
])(
  'padding on top of a purchase %s against its limits, now and later, as configured',
  async (_how, paddingCounts, paddingCents) => {
    const { deliver, alerts, advised } = world({ paddingCounts });
    const event = declined(1, { kind: 'decline', paddingCents: 800 });

    await deliver(event);

    expect(advised).toMatchObject([{ id: event.id, amountCents: event.amountCents, paddingCents }]);
    expect((await alerts.get(event.id))?.event).toMatchObject({ paddingCents });
  },
);

describe('while a fraud case of the account is open', () => {
  const caseId = idOf(90);
  const decline = declined(1);
  const entryIn = async (channel: string, { outbox }: ReturnType<typeof world>) =>
    (await outbox.look(channel, 9)).waiting.map(({ entry }) => entry)[0];
  const open = () => createFraudCases(redis()).open(decline.acctId, caseId, idOf(91));

  it('a decline is posted in the case’s thread if the channel has the case, and as a separate message elsewhere', async () => {
    const started = world();
    await open();
    await started.groupAlert(
      FraudCaseAlert.parse({
        kind: 'fraud-case',
        event: { ...decline, id: caseId },
        card: transactionAlert().card,
        outcomes: [],
        late: false,
        alertId: idOf(91),
        reported: { by: 'U1', at: '' },
        operators: [],
        purchases: null,
      }),
      'C1',
    );
    routes.set(decline.id, [here, { ...here, channel: 'C2' }]);

    await started.deliver(decline);

    expect(await entryIn('C1', started)).toMatchObject({ threadId: caseId, broadcast: false });
    expect(await entryIn('C2', started), 'the thread does not exist there').toMatchObject({ threadId: null });
  });

  it('a decline before the case is announced is also shown in the channel', async () => {
    const started = world();
    await open();
    routes.set(decline.id, here);

    await started.deliver(decline);

    expect(await entryIn('C1', started)).toMatchObject({ threadId: caseId, broadcast: true });
  });
});

it('shows the declines of a new block apart from those of an earlier one', async () => {
  const { deliver, groupAlert } = world();
  routes.set(idOf(1), here).set(idOf(3), here).set(idOf(4), here);
  const ofOrder = (index: number, to: CardStatus, seconds: number): StoredEvent => {
    const event = status(index, to, seconds);
    if (event.kind !== 'card-status') throw new Error('not a status');
    return { ...event, cards: event.cards.map((one) => ({ ...one, cardOrderId: 1221 })) };
  };
  const ofBlocked = async (index: number) =>
    await groupAlert({ ...transactionAlert(), event: declined(index), remedy: { kind: 'unblock' } }, 'C1');

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
