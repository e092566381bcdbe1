import { expect, it } from 'vitest';
import { priorityOf } from '../../../src/alerts/announce.ts';
import type { TransactionEvent } from '../../../src/core/event.ts';
import { createDeliveryWorld, declineOf, here, idOf } from '../../support/delivery-world.ts';
import { heldIn } from '../../support/held-entries.ts';
import { useRedis } from '../../support/on-redis.ts';
import { change, shippingAlert, statusAlert, transactionAlert, virtualAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const world = () => createDeliveryWorld(redis());
const testing = { code: 'decline', message: 'Do not honor' };

it.each([
  ['decline', transactionAlert()],
  ['spend', transactionAlert({ kind: 'authorization', decline: null })],
  ['status', statusAlert([change()])],
  ['shipping', shippingAlert()],
  ['virtual', virtualAlert()],
] as const)(
  'an alert about its event waits like %s, but a fraud case or a warning about it waits for nothing',
  (priority, alert) => {
    expect(priorityOf(alert)).toBe(priority);
    for (const kind of ['fraud-case', 'card-testing'] as const) expect(priorityOf({ ...alert, kind })).toBe('fraud');
  },
);

it('stores an alert that no channel gets, so that people can still ask for it', async () => {
  const { deliver, alerts, outbox } = world();

  await deliver(declineOf(1));

  expect(await alerts.get(idOf(1))).not.toBeNull();
  expect(await outbox.channels()).toEqual([]);
});

it('updates the message of an alert that is stored again, which was edited while Redis lacked the alert', async () => {
  let isInDoubt = false;
  const { announce, updated, routes } = createDeliveryWorld(redis(), { isInDoubt: () => isInDoubt });
  routes.set(idOf(1), here);

  for (let run = 0; run < 2; run += 1) await announce(transactionAlert(declineOf(1)));
  expect(updated, 'nothing has changed').toEqual([]);
  isInDoubt = true;
  await announce(transactionAlert(declineOf(1)));

  expect(updated).toEqual([idOf(1)]);
});

it('posts an alert exempt from quiet hours now, with the held message that counts it', async () => {
  const { deliver, outbox, routes } = world();
  const holdUntil = Date.now() + 600_000;
  const held = { ...here, holdUntil };
  routes.set(idOf(1), held).set(idOf(2), held);
  routes.set(idOf(3), { ...here, passesQuiet: true });
  for (const index of [1, 2]) await deliver(declineOf(index, { amountCents: 1000 }));
  expect(await outbox.waiting('C1')).toBe(0);

  await deliver(declineOf(3, { amountCents: 1000 }));

  const { waiting, heldForMs } = await outbox.look('C1', 9);
  expect(waiting).toMatchObject([{ entry: { subject: { id: idOf(1) }, notBefore: null } }]);
  expect(heldForMs).toBeNull();
});

it('keeps a held message held if the alert exempt from quiet hours came late', async () => {
  const { announce, outbox, routes } = world();
  const late = (index: number) => transactionAlert(declineOf(index), { late: true });
  routes.set(idOf(1), { ...here, holdUntil: Date.now() + 600_000 }).set(idOf(2), { ...here, passesQuiet: true });

  for (const index of [1, 2]) await announce(late(index));

  expect(await outbox.waiting('C1')).toBe(0);
  expect(await heldIn(redis(), 'C1')).toHaveLength(1);
});

it('holds declines during quiet hours, but not the warning that somebody tests cards', async () => {
  const { deliver, outbox, routes, updated } = world();
  const holdUntil = Date.now() + 600_000;
  const events = [1, 2, 3, 4].map((index) => declineOf(index, { acctId: 100 + index, decline: testing }));
  for (const { id } of events) routes.set(id, { ...here, holdUntil });

  for (const event of events) await deliver(event);

  const [warning, ...others] = (await outbox.look('C1', 9)).waiting.map(({ entry }) => entry);
  expect(warning).toMatchObject({ priority: 'fraud', broadcast: true, notBefore: null });
  expect(others).toEqual([]);
  expect((await heldIn(redis(), 'C1')).map(({ entry }) => entry)).toHaveLength(4);
  expect(
    updated.filter((id) => id === warning?.id),
    'the fourth card is added to it',
  ).toHaveLength(1);
});

it('posts a card-testing warning even if the job of the decline that triggered it failed for good', async () => {
  const { deliver, outbox, groupAlert, alerts, routes } = world();
  const decline = { code: 'decline', message: 'Do not honor' };
  const events = [1, 2, 3, 4].map((index) => declineOf(index, { acctId: 100 + index, decline }));
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
