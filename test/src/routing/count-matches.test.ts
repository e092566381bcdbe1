import { expect, it, vi } from 'vitest';
import { ActivationReminder, type Alert, CardTestingAlert, FraudCaseAlert } from '../../../src/alerts/alert.ts';
import { createAlerts } from '../../../src/alerts/alert-store.ts';
import { countMatches } from '../../../src/routing/subscribe.ts';
import { useRedis } from '../../support/on-redis.ts';
import { shippingAlert, transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const declines = { is: 'kind', kinds: ['decline'] } as const;

it('counts the stored events that a filter would have posted, once per message', async () => {
  const alerts = createAlerts(redis(), () => new Date());
  const id = (index: number): string => `evt_${String(index).padStart(16, '0')}`;
  const save = async (index: number, minutesAgo: number, over = {}) => {
    const at = new Date(Date.now() - minutesAgo * 60_000).toISOString();
    await alerts.save(transactionAlert({ id: id(index), occurredAt: at, callbackAt: at, ...over }));
  };
  await save(1, 100);
  // Retries share a message.
  await save(2, 95);
  await save(3, 90);
  await save(3, 90);
  await save(4, 60);
  await save(5, 50, { amountCents: 1 });
  await save(6, 31 * 24 * 60);

  expect(await countMatches(declines, alerts.kept())).toEqual({ count: 3, isAll: true });
  expect(await countMatches({ is: 'amount', test: 'upTo', cents: 1 }, alerts.kept())).toEqual({
    count: 1,
    isAll: true,
  });
});

it('counts the declines of a blocked card, at whatever merchants, once a day, as they share a message', async () => {
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  async function* kept(): AsyncGenerator<Alert> {
    for (const hours of [1, 2, 20, 26, 40]) {
      const of = { amountCents: 100 + hours, occurredAt: hoursAgo(hours) };
      yield { ...transactionAlert(of), remedy: { kind: 'unblock' } };
    }
  }

  expect(await countMatches(declines, kept())).toEqual({ count: 2, isAll: true });
});

it('counts fraud cases and activation reminders, which are posted by the same filters, but no card-testing warnings', async () => {
  const { event, card } = transactionAlert();
  const about = { event, card, outcomes: [], late: false };
  const reported = { by: 'U0SAM', at: '2026-11-20T15:00:00Z' };
  const fraud = { ...about, kind: 'fraud-case', alertId: event.id, reported, operators: [], purchases: null };
  async function* kept(): AsyncGenerator<Alert> {
    yield FraudCaseAlert.parse(fraud);
    yield CardTestingAlert.parse({ ...about, kind: 'card-testing', tried: [] });
    yield ActivationReminder.parse({ ...shippingAlert(), kind: 'activation-reminder' });
  }

  expect(await countMatches(declines, kept())).toEqual({ count: 1, isAll: true });
  expect(await countMatches({ is: 'kind', kinds: ['card-shipping'] }, kept())).toEqual({ count: 1, isAll: true });
  expect(await countMatches({ is: 'all' }, kept())).toEqual({ count: 2, isAll: true });
});

it('stops at the read limit, and reports that there are more', async () => {
  let read = 0;
  const kept = async function* (): AsyncGenerator<Alert> {
    for (; ; read += 1)
      yield transactionAlert({ amountCents: 100 + read, occurredAt: new Date(Date.now() - read * 1000).toISOString() });
  };

  expect(await countMatches(declines, kept(), 20)).toEqual({ count: 20, isAll: false });
  expect(read).toBe(20);
});

it('reads stored events newest first, page by page, and skips unreadable ones', async () => {
  const alerts = createAlerts(redis(), () => new Date());
  await redis().flushall();
  for (let index = 0; index < 7; index += 1) {
    const at = new Date(Date.now() - index * 60_000).toISOString();
    await alerts.save(transactionAlert({ id: `evt_000000000000000${index}`, callbackAt: at }));
  }
  await redis().hset('{cardbell:state}:alert:evt_0000000000000003', 'p0', 'of a newer version');
  const kept: Alert[] = [];
  for await (const alert of alerts.kept()) kept.push(alert);

  expect(kept.map(({ event }) => event.id.at(-1)).join('')).toBe('012456');
});

const hourBefore = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 3_600_000;

/** Oldest first, a second apart. */
async function saveInOneHour(count: number): Promise<void> {
  const alerts = createAlerts(redis(), () => new Date());
  const idOf = (index: number): string => `evt_${String(index).padStart(16, '0')}`;
  const at = (index: number): string => new Date(hourBefore + index * 1000).toISOString();
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      alerts.save(transactionAlert({ id: idOf(index), callbackAt: at(index) })),
    ),
  );
}

it('reads only the newest page of an hour with many alerts if no more is needed', async () => {
  await saveInOneHour(1600);
  const reading = vi.spyOn(redis(), 'callBuffer');

  for await (const alert of createAlerts(redis(), () => new Date()).kept()) {
    expect(alert.event.id, 'the newest').toBe('evt_0000000000001599');
    break;
  }

  const read = reading.mock.calls.reduce((sum, [, , count]) => sum + Number(count), 0);
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThanOrEqual(500);
});

it('reads an hour with many alerts newest first, and returns an alert once even if it was stored again', async () => {
  await saveInOneHour(1100);
  await saveInOneHour(3);

  const ids: number[] = [];
  for await (const { event } of createAlerts(redis(), () => new Date()).kept()) ids.push(Number(event.id.slice(4)));

  expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 1100 }, (_, index) => index));
  // Three were stored again, so they are on the newest page.
  expect(ids.slice(0, 497)).toEqual(Array.from({ length: 497 }, (_, index) => 1099 - index));
});
