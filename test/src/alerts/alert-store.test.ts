import { expect, it } from 'vitest';
import { alertsOfKind, createAlerts } from '../../../src/alerts/alert-store.ts';
import { stateKey } from '../../../src/core/keys.ts';
import { useRedis } from '../../support/on-redis.ts';
import { outcome, shippingAlert, transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();

it('keeps the outcomes added in between when an alert is saved again', async () => {
  const alerts = createAlerts(redis(), () => new Date());
  const alert = transactionAlert();
  await alerts.save(alert);
  await alerts.setOutcome(alert.event.id, 'act_2', outcome({ at: '2026-11-20T15:00:00.000Z' }));
  await alerts.setOutcome(alert.event.id, 'act_1', outcome({ at: '2026-11-20T14:00:00.000Z' }));

  await alerts.save({ ...alert, late: true });

  const stored = await alerts.get(alert.event.id);
  expect(stored?.late).toBe(true);
  expect(
    stored?.outcomes.map(({ at }) => at),
    'outcomes, oldest first',
  ).toEqual(['2026-11-20T14:00:00.000Z', '2026-11-20T15:00:00.000Z']);
});

it('stores alerts saved together unchanged, and lists them under their hour', async () => {
  const alerts = createAlerts(redis(), () => new Date());
  const callbackAt = new Date().toISOString();
  const ids = Array.from({ length: 30 }, (_, index) => `evt_${String(index).padStart(16, '0')}`);

  await Promise.all(ids.map((id, index) => alerts.save(transactionAlert({ id, callbackAt, amountCents: index }))));

  const read = await Promise.all(ids.map(createAlerts(redis(), () => new Date()).get));
  expect(read.map((alert) => alert?.event)).toEqual(
    ids.map((id, amountCents) => expect.objectContaining({ id, amountCents })),
  );
  expect(await redis().ttl(stateKey(`alert:${ids[29]}`))).toBeGreaterThan(29 * 24 * 3600);
  const kept: string[] = [];
  for await (const { event } of alerts.kept()) kept.push(event.id);
  expect(kept.toSorted()).toEqual(ids);
});

it('stores an alert in fields of at most 64 bytes, for which Redis needs one block of memory', async () => {
  const alert = transactionAlert();

  await createAlerts(redis(), () => new Date()).save(alert);

  const key = stateKey(`alert:${alert.event.id}`);
  const sizes = Object.values(await redis().hgetallBuffer(key)).map((value) => value.length);
  expect(Math.max(...sizes)).toBe(64);
  expect(await redis().object('ENCODING', key)).toBe('listpack');
});

it('replaces an alert by a shorter one, for another process as well', async () => {
  const alert = transactionAlert();
  const holder = Array.from({ length: 100 }, (_, index) => Math.sin(index)).join();
  const alerts = createAlerts(redis(), () => new Date());
  await alerts.save({ ...alert, card: { ...alert.card, holder } });

  await alerts.save(alert);

  expect(await createAlerts(redis(), () => new Date()).get(alert.event.id)).toEqual(await alerts.get(alert.event.id));
  expect((await createAlerts(redis(), () => new Date()).get(alert.event.id))?.card).toEqual(alert.card);
});

it('reads what it saved itself as another process reads it', async () => {
  for (const alert of [transactionAlert(), shippingAlert()]) {
    const own = createAlerts(redis(), () => new Date());
    await own.save(alert);

    const read = await own.get(alert.event.id);
    expect(read).toStrictEqual(await createAlerts(redis(), () => new Date()).get(alert.event.id));
    expect(JSON.stringify(read)).toBe(
      JSON.stringify(await createAlerts(redis(), () => new Date()).get(alert.event.id)),
    );
  }
});

it('returns the kind and arrival time of an alert, even if another process saved it', async () => {
  const alert = transactionAlert();
  const alerts = createAlerts(redis(), () => new Date());
  await alerts.save(alert);
  const { kind, receivedAt } = alert.event;

  expect(await alerts.arrivalOf(alert.event.id)).toEqual({ kind, receivedAt });
  expect(await createAlerts(redis(), () => new Date()).arrivalOf(alert.event.id)).toEqual({ kind, receivedAt });
  expect(await alerts.arrivalOf('evt_0000000000000000')).toBeNull();
});

it('keeps only the latest outcome of an action', async () => {
  const alerts = createAlerts(redis(), () => new Date());
  const alert = transactionAlert();
  await alerts.save(alert);

  await alerts.setOutcome(alert.event.id, 'act_1', outcome({ state: 'unknown' }));
  await alerts.setOutcome(alert.event.id, 'act_1', outcome({ state: 'done' }));

  expect((await alerts.get(alert.event.id))?.outcomes.map(({ state }) => state)).toEqual(['done']);
});

it('reads alerts of a kind in the order of the given ids, without other kinds and missing alerts', async () => {
  const alerts = createAlerts(redis(), () => new Date());
  const shipped = shippingAlert({ id: 'evt_000000000000000b' });
  const declined = transactionAlert();
  for (const alert of [declined, shipped]) await alerts.save(alert);

  const ids = ['evt_000000000000000f', shipped.event.id, declined.event.id];

  expect((await alertsOfKind('card-shipping', ids, alerts)).map(({ event }) => event.id)).toEqual([shipped.event.id]);
});

it('skips an alert that this version cannot read, so that it does not hide the later events of a card', async () => {
  const alerts = createAlerts(redis(), () => new Date());
  const declined = ['evt_000000000000000a', 'evt_000000000000000b'];
  for (const id of declined) await alerts.save(transactionAlert({ id }));
  await redis().hset(stateKey('alert:evt_000000000000000a'), 'p0', 'of a newer version');

  const read = await alertsOfKind('transaction', declined, alerts);

  expect(read.map(({ event }) => event.id)).toEqual(['evt_000000000000000b']);
  await expect(
    alertsOfKind('transaction', declined, { get: () => Promise.reject(new Error('Connection is closed.')) }),
  ).rejects.toThrow('Connection is closed.');
});

it('expires the list of alerts with the alerts in it', async () => {
  const hour = Math.floor(Date.now() / 3_600_000);
  const inHour = (ago: number) => new Date((hour - ago) * 3_600_000).toISOString();
  const list = (ago: number) => stateKey(`alerts-kept:${hour - ago}`);

  await createAlerts(redis(), () => new Date()).save(transactionAlert({ callbackAt: inHour(5) }));
  await createAlerts(redis(), () => new Date()).save(transactionAlert({ callbackAt: inHour(31 * 24) }));

  const days = (await redis().ttl(list(5))) / (24 * 3600);
  expect(days).toBeGreaterThan(29.7);
  expect(days).toBeLessThan(30);
  expect(await redis().exists(list(31 * 24))).toBe(0);
});
