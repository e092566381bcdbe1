import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Alert, ShippingAlert } from '../../../src/alerts/alert.ts';
import { type Alerts, createAlerts } from '../../../src/alerts/alert-store.ts';
import { ACTIVATION_OVERDUE_MS, createCardLifecycle, remindOfActivation } from '../../../src/alerts/card-lifecycle.ts';
import { createCardOrders } from '../../../src/alerts/card-order-store.ts';
import type { CardStatus } from '../../../src/core/event.ts';
import { createLock } from '../../../src/core/lock.ts';
import { createLog } from '../../../src/core/log.ts';
import type { DirectoryAccount } from '../../../src/directory/account.ts';
import { useRedis } from '../../support/on-redis.ts';
import { change, shippingAlert, statusAlert, transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const shipped: ShippingAlert = shippingAlert();
const due = Date.parse(shipped.event.callbackAt) + ACTIVATION_OVERDUE_MS;

let announced: Alert[] = [];
let cards: DirectoryAccount['cards'] | null = [];
let unknown: (acctId: number) => boolean = () => false;

function card(cardId: number, status: CardStatus, last4 = '1212') {
  return { cardId, last4, status, seenAt: shipped.event.callbackAt };
}

async function look(nowMs = due): Promise<void> {
  await remindOfActivation({
    cardOrders: createCardOrders(redis()),
    alerts: createAlerts(redis(), () => new Date()),
    reload: async (acctId) => (cards === null || unknown(acctId) ? null : ({ cards } as unknown as DirectoryAccount)),
    announce: async (alert) => {
      announced.push(alert);
      return false;
    },
    now: () => new Date(nowMs),
    log: createLog({ level: 'silent', process: 'test' }),
  });
}

const news = (alerts: Pick<Alerts, 'setProgress'> = createAlerts(redis(), () => new Date())) =>
  createCardLifecycle({ cardOrders: createCardOrders(redis()), alerts, withLock: createLock(redis()) });

function status(to: CardStatus, at: string, id: string): Parameters<ReturnType<typeof news>['status']>[0] {
  const alert = statusAlert([change({ from: null, steps: [{ status: to, at }] })]);
  const cardsOf = alert.event.cards.map((one) => ({ ...one, cardOrderId: shipped.event.cardOrderId }));
  return { ...alert, event: { ...alert.event, id, callbackAt: at, cards: cardsOf } as typeof alert.event };
}

describe('a card that was shipped', () => {
  beforeEach(async () => {
    announced = [];
    unknown = () => false;
    cards = [card(6231, 'INACTIVE')];
    await createAlerts(redis(), () => new Date()).save(shipped);
    await news().shipping(shipped);
  });

  it('triggers one reminder if it is still not activated after ten days', async () => {
    await look(due - 1);
    expect(announced).toEqual([]);

    await look();
    await look(due + ACTIVATION_OVERDUE_MS);

    expect(announced).toHaveLength(1);
    expect(announced[0]).toMatchObject({ kind: 'activation-reminder', event: { acctId: 7378, last4: '1212' } });
    expect(announced[0]?.event.id).not.toBe(shipped.event.id);
  });

  it('gets a reminder with the same id after a crash', async () => {
    await remindOfActivation({
      cardOrders: { ...createCardOrders(redis()), forget: async () => Promise.reject(new Error('killed')) },
      alerts: createAlerts(redis(), () => new Date()),
      reload: async () => ({ cards }) as unknown as DirectoryAccount,
      announce: async (alert) => {
        announced.push(alert);
        return false;
      },
      now: () => new Date(due),
      log: createLog({ level: 'silent', process: 'test' }),
    }).catch(() => {});

    await look();

    expect(new Set(announced.map(({ event }) => event.id)).size).toBe(1);
    expect(announced).toHaveLength(2);
  });

  it.each([
    ['activated', [card(6231, 'ACTIVE')]],
    ['blocked', [card(6231, 'BLOCKED')]],
    ['closed', [card(6231, 'CLOSED')]],
    ['replaced', [card(6231, 'INACTIVE'), card(6300, 'INACTIVE', '9999')]],
    ['gone', []],
  ])('triggers no reminder if the card API reports it as %s', async (_what, now) => {
    cards = now;
    await look();
    cards = [card(6231, 'INACTIVE')];
    await look(due + 1);

    expect(announced).toEqual([]);
  });

  it.each(['ACTIVE', 'BLOCKED', 'CLOSED'] as const)(
    'triggers a reminder if it renews a card that is %s',
    async (old) => {
      cards = [card(6000, old), card(6231, 'INACTIVE')];

      await look();

      expect(announced).toMatchObject([{ kind: 'activation-reminder', card: { status: 'INACTIVE' } }]);
    },
  );

  it('triggers a reminder even if its digits were not sent', async () => {
    const bare = shippingAlert({ id: 'evt_000000000000000b', cardOrderId: 2000, last4: '' });
    await createAlerts(redis(), () => new Date()).save(bare);
    await news().shipping(bare);
    cards = [card(6000, 'ACTIVE', '9999'), card(6231, 'INACTIVE')];

    await look();

    expect(announced).toContainEqual(
      expect.objectContaining({
        event: expect.objectContaining({ cardOrderId: 2000 }),
        card: expect.objectContaining({ last4: '1212' }),
      }),
    );
  });

  it('is checked again later if the card API does not respond', async () => {
    cards = null;
    await look();
    expect(announced).toEqual([]);
    cards = [card(6231, 'INACTIVE')];

    await look(due + 1);

    expect(announced).toHaveLength(1);
  });

  it('is still checked behind many cards that the card API does not return', async () => {
    const orders = createCardOrders(redis());
    for (let acctId = 1; acctId <= 60; acctId += 1) {
      await orders.note({ acctId, cardOrderId: acctId }, 'shipped', shipped.event.callbackAt, shipped.event.id);
      await orders.awaitActivation({ acctId, cardOrderId: acctId, alertId: shipped.event.id }, due - 1000);
    }
    unknown = (acctId) => acctId <= 60;

    await look(due + 1000);
    await look(due + 2000);

    expect(announced).toHaveLength(1);
    expect(await orders.overdue(due + 2000, 100)).toHaveLength(60);
  });

  it('triggers no reminder after its activation, or after another card was shipped', async () => {
    await news().status(status('ACTIVE', '2026-11-21T00:00:00Z', 'evt_000000000000000a'));
    await look();
    expect(announced).toEqual([]);

    const other = shippingAlert({ id: 'evt_000000000000000b', cardOrderId: 2000, callbackAt: '2026-11-25T00:00:00Z' });
    const first = shippingAlert({ id: 'evt_000000000000000c', cardOrderId: 1999 });
    for (const alert of [first, other]) {
      await createAlerts(redis(), () => new Date()).save(alert);
      await news().shipping(alert);
    }
    await look(due + 1);
    expect(announced).toEqual([]);
  });
});

describe('the timeline of a card order', () => {
  const steps = [
    ['created', status('INACTIVE', '2026-11-10T00:00:00Z', 'evt_000000000000000a')],
    ['shipped', shipped],
    ['activated', status('ACTIVE', '2026-11-23T00:00:00Z', 'evt_000000000000000d')],
  ] as const;

  it.each([[[0, 1, 2]], [[1, 0, 2]], [[1, 2, 0]]])(
    'is one thread with the same progress for the order of arrival %j',
    async (order) => {
      const groupings = [];
      for (const index of order) {
        const alert = steps[index]?.[1] as (typeof steps)[number][1];
        await createAlerts(redis(), () => new Date()).save(alert);
        groupings.push(alert.kind === 'card-status' ? await news().status(alert) : await news().shipping(alert));
      }

      expect(new Set(groupings.map(({ threadId }) => threadId))).toEqual(new Set(['order-7378-1221']));
      const told = await createAlerts(redis(), () => new Date()).get(shipped.event.id);
      expect(told).toMatchObject({
        progress: {
          created: '2026-11-10T00:00:00Z',
          shipped: shipped.event.callbackAt,
          activated: '2026-11-23T00:00:00Z',
          used: null,
        },
      });
    },
  );

  it('ends with the earliest known use', async () => {
    for (const [, alert] of steps) {
      await createAlerts(redis(), () => new Date()).save(alert);
      await (alert.kind === 'card-status' ? news().status(alert) : news().shipping(alert));
    }
    const spent = (at: string) => transactionAlert({ kind: 'authorization', decline: null, occurredAt: at }).event;

    expect(await news().used(spent('2026-11-22T00:00:00Z'))).toEqual([]);
    expect(await news().used(spent('2026-11-25T00:00:00Z'))).toHaveLength(3);
    expect(await news().used(spent('2026-11-24T00:00:00Z'))).toHaveLength(3);
    expect(await news().used(spent('2026-11-26T00:00:00Z'))).toEqual([]);

    const told = await createAlerts(redis(), () => new Date()).get(shipped.event.id);
    expect(told).toMatchObject({ progress: { used: '2026-11-24T00:00:00Z' } });
    const later = await news().status(status('BLOCKED', '2026-12-01T00:00:00Z', 'evt_000000000000000e'));
    expect(later).toMatchObject({ threadId: 'block-evt_000000000000000e', broadcast: false });
  });

  it('keeps routine steps in the thread and shows the rest in the channel', async () => {
    const groupings = [];
    for (const [, alert] of steps)
      groupings.push(await (alert.kind === 'card-status' ? news().status(alert) : news().shipping(alert)));
    const blocked = await news().status(status('BLOCKED', '2026-11-24T00:00:00Z', 'evt_000000000000000e'));

    expect(groupings.map(({ broadcast }) => broadcast)).toEqual([false, true, false]);
    expect(blocked).toMatchObject({ threadId: 'order-7378-1221', broadcast: true });
    expect(await createCardOrders(redis()).blockThread(7378)).toBe('order-7378-1221');
  });

  it('shows the newest progress, also if an earlier step is shown slowly', async () => {
    const alerts = createAlerts(redis(), () => new Date());
    await alerts.save(shipped);
    await news().shipping(shipped);
    const setProgress: Alerts['setProgress'] = async (...args) => {
      await sleep(300);
      await alerts.setProgress(...args);
    };

    const activated = news({ setProgress }).status(status('ACTIVE', '2026-11-23T00:00:00Z', 'evt_000000000000000d'));
    await sleep(100);
    const later = status('CLOSED', '2026-11-24T00:00:00Z', 'evt_000000000000000e');
    await Promise.all([activated, news().status(later)]);

    expect(await alerts.get(shipped.event.id)).toMatchObject({
      progress: { activated: '2026-11-23T00:00:00Z', closed: '2026-11-24T00:00:00Z' },
    });
  });
});

it('a block that names no card order, as recovery finds it, has its own thread until the card is unblocked', async () => {
  const found = (to: CardStatus, at: string, id: string): ReturnType<typeof status> => {
    const alert = status(to, at, id);
    return {
      ...alert,
      event: { ...alert.event, cards: alert.event.cards.map((one) => ({ ...one, cardOrderId: null })) },
    };
  };
  const orders = createCardOrders(redis());
  const blocked = found('BLOCKED', '2026-12-01T00:00:00Z', 'evt_000000000000000e');

  expect(await news().status(blocked)).toEqual({
    threadId: 'block-evt_000000000000000e',
    broadcast: false,
    changes: [],
  });
  expect(await orders.blockThread(7378)).toBe('block-evt_000000000000000e');
  const active = found('ACTIVE', '2026-12-02T00:00:00Z', 'evt_000000000000000f');
  expect(await news().status(active)).toMatchObject({ threadId: null });
  expect(await orders.blockThread(7378)).toBeNull();
});
