import { describe, expect, it } from 'vitest';
import type { LatestKind } from '../../../src/alerts/alert.ts';
import { createAlerts } from '../../../src/alerts/alert-store.ts';
import { createCardHistory } from '../../../src/alerts/card-history.ts';
import { DECLINES_MAX } from '../../../src/alerts/save-alerts.ts';
import { stateKey } from '../../../src/core/keys.ts';
import { useRedis } from '../../support/on-redis.ts';
import { shippingAlert, transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const DAYS = 24 * 3600;
const at = (second: number): string => new Date(Date.UTC(2026, 2, 4, 15, 0, second)).toISOString();

const idAt = (ms: number): string => `evt_${String(ms).padStart(16, '0')}`;

/** Records an alert that is listed with this time (ms). */
async function record(
  acctId: number,
  kind: LatestKind,
  ms: number,
  alerts = createAlerts(redis(), () => new Date()),
): Promise<void> {
  const event = { id: idAt(ms), acctId };
  const time = new Date(ms).toISOString();
  const alert =
    kind === 'shipments'
      ? shippingAlert({ ...event, callbackAt: time })
      : transactionAlert({ ...event, kind: kind === 'declines' ? 'decline' : 'authorization', occurredAt: time });
  await alerts.record(alert, []);
}

describe('the statuses of a card', () => {
  it('are sorted by the service’s time, in any order of arrival', async () => {
    const history = createCardHistory(redis());

    await history.addStatus(7, { eventId: 'evt_b', status: 'BLOCKED', callbackAt: at(2), receivedAt: at(2) });
    const known = await history.addStatus(7, {
      eventId: 'evt_a',
      status: 'ACTIVE',
      callbackAt: at(1),
      receivedAt: at(2),
    });
    await history.addStatus(7, { eventId: 'evt_a', status: 'ACTIVE', callbackAt: at(1), receivedAt: at(2) });

    expect(known.map(({ eventId }) => eventId)).toEqual(['evt_a', 'evt_b']);
    expect(await history.statuses(7)).toEqual(known);
    expect(await history.statuses(8), 'another card').toEqual([]);
  });

  it('of the same moment begin with “not activated”: a card is activated once', async () => {
    const history = createCardHistory(redis());

    await history.addStatus(7, { eventId: 'evt_a', status: 'ACTIVE', callbackAt: at(1), receivedAt: at(1) });
    await history.addStatus(7, { eventId: 'evt_b', status: 'INACTIVE', callbackAt: at(1), receivedAt: at(1) });
    expect((await history.statuses(7)).map(({ status }) => status)).toEqual(['INACTIVE', 'ACTIVE']);
  });

  it('within one second are sorted by all seven fractional digits', async () => {
    const history = createCardHistory(redis());

    await history.addStatus(7, {
      eventId: 'a',
      status: 'BLOCKED',
      callbackAt: '2026-03-04T15:00:00.0000002Z',
      receivedAt: at(2),
    });
    await history.addStatus(7, {
      eventId: 'b',
      status: 'ACTIVE',
      callbackAt: '2026-03-04T15:00:00.0000001Z',
      receivedAt: at(2),
    });

    expect((await history.statuses(7)).map(({ status }) => status)).toEqual(['ACTIVE', 'BLOCKED']);
  });

  it('tell of a change that was only seen since when it may have been made', async () => {
    const history = createCardHistory(redis());
    const seen = { eventId: 'a', status: 'CLOSED', callbackAt: at(3), receivedAt: at(3), changedAfter: at(1) } as const;
    await history.addStatus(7, seen);

    expect(await history.addStatus(7, seen)).toEqual([seen]);
    expect(await history.statuses(7)).toEqual([seen]);
  });

  it('include a late status older than fifty others, because its message is not posted yet', async () => {
    const history = createCardHistory(redis());
    for (let second = 1; second <= 50; second += 1)
      await history.addStatus(7, {
        eventId: `evt_${second}`,
        status: 'ACTIVE',
        callbackAt: at(second),
        receivedAt: at(second),
      });

    const old = { eventId: 'evt_0', status: 'BLOCKED', callbackAt: at(0), receivedAt: at(59) } as const;
    const known = await history.addStatus(7, old);

    expect([known.length, known[0]]).toEqual([51, old]);
    expect(await history.statuses(7)).toEqual(known.slice(1));
  });

  it('are limited to the newest fifty and kept for 90 days', async () => {
    const history = createCardHistory(redis());

    for (let second = 0; second < 52; second += 1)
      await history.addStatus(7, {
        eventId: `evt_${second}`,
        status: 'ACTIVE',
        callbackAt: at(second),
        receivedAt: at(second),
      });

    const known = await history.statuses(7);
    expect([known.length, known[0]?.eventId, known.at(-1)?.eventId]).toEqual([50, 'evt_2', 'evt_51']);
    const [key = ''] = await redis().keys('*history:7');
    expect(await redis().ttl(key)).toBeGreaterThan(90 * DAYS - 60);
    expect(await redis().ttl(key)).toBeLessThanOrEqual(90 * DAYS);
  });
});

describe('the latest alerts of an account', () => {
  const fill = async (kind: LatestKind, count: number, fromMs = 1000): Promise<void> => {
    const alerts = createAlerts(redis(), () => new Date());
    await Promise.all(Array.from({ length: count }, (_, index) => record(7, kind, fromMs + index, alerts)));
  };

  it('are the newest two hundred of each kind, newest first', async () => {
    const history = createCardHistory(redis());

    await fill('shipments', 202);
    await record(7, 'declines', 1009);
    await record(8, 'declines', 9000);

    const shipments = await history.recentAlerts(7, 'shipments', 300);
    expect([shipments.length, shipments[0], shipments.at(-1)]).toEqual([200, idAt(1201), idAt(1002)]);
    expect(await history.recentAlerts(7, 'shipments', 2)).toEqual([idAt(1201), idAt(1200)]);
    expect(await history.recentAlerts(7, 'declines', 9)).toEqual([idAt(1009)]);
    expect(await history.alertsBetween(7, 'shipments', 1009, 1011)).toEqual([idAt(1009), idAt(1010), idAt(1011)]);
    expect(await history.newestDeclines(2), 'of all cards').toEqual([idAt(9000), idAt(1009)]);
  });

  it('include all declines of the last nine days, so that a weekly digest counts each', async () => {
    const history = createCardHistory(redis());
    const later = 1000 + 9 * DAYS * 1000;

    await fill('declines', 360);
    expect(await history.recentAlerts(7, 'declines', 999)).toHaveLength(360);
    await fill('declines', 100, later);

    const declines = await history.recentAlerts(7, 'declines', 999);
    expect([declines.length, declines.at(-1)]).toEqual([361, idAt(1099)]);
    expect(await history.newestDeclines(999), 'of all cards').toHaveLength(460);

    await record(7, 'declines', later * 2);
    expect(await history.recentAlerts(7, 'declines', 999), 'the latest, however old').toHaveLength(200);
    await fill('declines', 100, later * 3);
    const ofAll = await history.newestDeclines(999);
    expect([ofAll.length, ofAll[0]], 'of all cards').toEqual([500, idAt(later * 3 + 99)]);
  });

  it('last from the first decline to the last one, for several accounts at once', async () => {
    const history = createCardHistory(redis());

    await fill('declines', 11, Date.parse(at(0)));
    await record(8, 'declines', 9000);

    expect(await Promise.all([7, 8, 9, 7].map(history.declinesLast))).toEqual([10, 0, 0, 10]);
  });

  it('include at most five thousand declines', async () => {
    const history = createCardHistory(redis());

    await fill('declines', DECLINES_MAX + 3);

    const declines = await history.recentAlerts(7, 'declines', 9999);
    expect([declines.length, declines.at(-1)]).toEqual([DECLINES_MAX, idAt(1003)]);
    expect(await history.alertsBetween(7, 'declines', 0, 99_999), 'what one purchase may read').toHaveLength(200);
  });
});

it('the fifty latest payments of an account are kept as long as their alerts, and more if a reversal may follow', async () => {
  const history = createCardHistory(redis());
  const tenDaysLater = 1000 + 10 * DAYS * 1000;

  for (let index = 0; index < 51; index += 1) await record(7, 'payments', 1000 + index);
  expect(await history.recentAlerts(7, 'payments', 99)).toHaveLength(51);
  for (let index = 0; index < 49; index += 1) await record(7, 'payments', tenDaysLater + 99 + index);

  expect(await history.recentAlerts(7, 'payments', 99)).toHaveLength(50);
  expect(await redis().ttl(stateKey('payments:7'))).toBeLessThanOrEqual(30 * DAYS);
});

const event = (id: string, acctId: number, callbackAt = '2026-11-20T15:00:00.0000000Z') => ({ acctId, id, callbackAt });

describe('the status an action waits for', () => {
  const by = { userId: 'U0ANA', actionId: 'act_1', after: '', notBefore: '' };

  it('belongs to the first event with this status, however often it is read', async () => {
    const history = createCardHistory(redis());
    await history.expectStatus(7, 'BLOCKED', by);

    expect(await history.confirmedBy(7, 'BLOCKED', 'act_1')).toBeNull();
    expect(await history.expectedAction(event('evt_0', 7), 'ACTIVE'), 'another status').toBeNull();
    expect((await history.expectedAction(event('evt_1', 7), 'BLOCKED'))?.userId).toBe('U0ANA');
    expect((await history.expectedAction(event('evt_1', 7), 'BLOCKED'))?.userId).toBe('U0ANA');
    expect(await history.expectedAction(event('evt_2', 7), 'BLOCKED')).toBeNull();
    expect(await history.confirmedBy(7, 'BLOCKED', 'act_1')).toBe('evt_1');
    expect(await history.confirmedBy(7, 'BLOCKED', 'act_2'), 'another action').toBeNull();
  });

  it('is not that of an earlier change, whose webhook was delayed', async () => {
    const history = createCardHistory(redis());
    const unblockedAt = '2026-11-20T15:05:00.0000000Z';
    await history.expectStatus(7, 'BLOCKED', { ...by, after: unblockedAt });

    expect(await history.expectedAction(event('evt_1', 7), 'BLOCKED'), 'before it was unblocked').toBeNull();
    expect(await history.confirmedBy(7, 'BLOCKED', 'act_1')).toBeNull();
    expect((await history.expectedAction(event('evt_2', 7, '2026-11-20T15:30:00.0000000Z'), 'BLOCKED'))?.userId).toBe(
      'U0ANA',
    );
  });

  it('is not before it was sent while an earlier action still waits for the same', async () => {
    const history = createCardHistory(redis());
    const later = { ...by, actionId: 'act_2', notBefore: '2026-11-20T15:10:00.000Z' };
    await history.expectStatus(7, 'BLOCKED', by);
    await history.expectStatus(7, 'BLOCKED', later);

    expect(await history.confirmedBy(7, 'BLOCKED', 'act_2')).toBeNull();
    expect(await history.expectedAction(event('evt_1', 7), 'BLOCKED'), 'the webhook of the earlier one').toBeNull();
    expect(await history.expectedAction(event('evt_2', 7, '2026-11-20T15:30:00.0000000Z'), 'BLOCKED')).toMatchObject({
      actionId: 'act_2',
    });
  });

  it('may be before it was sent by a slow clock of the card service', async () => {
    const history = createCardHistory(redis());
    const notBefore = '2026-11-20T15:10:00.000Z';
    await history.expectStatus(7, 'BLOCKED', { ...by, notBefore });
    expect((await history.expectedAction(event('evt_1', 7), 'BLOCKED'))?.userId).toBe('U0ANA');

    await history.expectStatus(7, 'BLOCKED', {
      ...by,
      actionId: 'act_2',
      after: event('evt_1', 7).callbackAt,
      notBefore,
    });

    const next = event('evt_2', 7, '2026-11-20T15:05:00.0000000Z');
    expect(await history.expectedAction(next, 'BLOCKED')).toMatchObject({ actionId: 'act_2' });
  });

  it('stays that of its event if a worker that died is followed by another', async () => {
    const history = createCardHistory(redis());
    await history.expectStatus(7, 'BLOCKED', by);
    await history.expectedAction(event('evt_1', 7), 'BLOCKED');

    await history.expectStatus(7, 'BLOCKED', { ...by, after: event('evt_1', 7).callbackAt });

    expect((await history.expectedAction(event('evt_1', 7), 'BLOCKED'))?.userId).toBe('U0ANA');
    expect(await history.confirmedBy(7, 'BLOCKED', 'act_1')).toBe('evt_1');
  });

  it('is that of one card if it is closed, because an activation may close several', async () => {
    const history = createCardHistory(redis());
    await history.expectStatus(7, 'CLOSED', by, 71);
    await history.expectStatus(7, 'CLOSED', by, 72);
    await history.forgetExpected(7, 'CLOSED', 72);

    expect(await history.expectedAction(event('evt_1', 7), 'CLOSED', 73), 'closed by somebody else').toBeNull();
    expect((await history.expectedAction(event('evt_2', 7), 'CLOSED', 71))?.userId).toBe('U0ANA');
    expect(await history.expectedAction(event('evt_3', 7), 'CLOSED', 72)).toBeNull();
  });

  it('is awaited again by a later action, and no longer after the card service refused', async () => {
    const history = createCardHistory(redis());
    await history.expectStatus(7, 'BLOCKED', by);
    await history.expectedAction(event('evt_1', 7), 'BLOCKED');

    await history.expectStatus(7, 'BLOCKED', { ...by, userId: 'U0BEN', actionId: 'act_2' });
    expect((await history.expectedAction(event('evt_2', 7), 'BLOCKED'))?.userId).toBe('U0BEN');

    await history.expectStatus(7, 'BLOCKED', by);
    await history.forgetExpected(7, 'BLOCKED');
    expect(await history.expectedAction(event('evt_3', 7), 'BLOCKED')).toBeNull();
  });
});

it('an event is expected while one of our actions waits for its status, and if it confirmed the action', async () => {
  const history = createCardHistory(redis());
  const told = (eventId: string, callbackAt = event(eventId, 1).callbackAt) =>
    ({ status: 'BLOCKED', eventId, callbackAt }) as const;
  expect(await history.isExpected(1, told('evt_a'))).toBe(false);

  const after = '2026-11-20T14:59:00.000Z';
  await history.expectStatus(1, 'BLOCKED', { userId: 'U0OLGA', actionId: 'act_1', after, notBefore: '' });
  expect(await history.isExpected(1, told('evt_a')), 'the event may be in flight').toBe(true);
  expect(await history.isExpected(1, told('evt_old', after)), 'an earlier change').toBe(false);

  await history.expectedAction(event('evt_a', 1), 'BLOCKED');
  expect(await history.isExpected(1, told('evt_a'))).toBe(true);
  expect(await history.isExpected(1, told('evt_b'))).toBe(false);
});
