import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createPurchases } from '../../../src/alerts/purchase-store.ts';
import type { PurchaseTimeline } from '../../../src/alerts/purchase-timeline.ts';
import { createLock } from '../../../src/core/lock.ts';
import { useRedis } from '../../support/on-redis.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const purchases = () => createPurchases(redis(), createLock(redis()));

/** Steps of one purchase, linked by the network's id, by the authorization's id, and by neither. */
function steps(acctId: number) {
  const make = (index: number, kind: string, over: Record<string, unknown>) =>
    transactionAlert({
      id: `evt_${String(index).padStart(16, '0')}`,
      acctId,
      kind,
      decline: null,
      occurredAt: `2026-11-2${index}T14:14:00Z`,
      ...over,
    }).event;
  return [
    make(0, 'authorization', { networkTransactionId: '1' }),
    make(1, 'reversal', { networkTransactionId: '5', direction: 'credit', amountCents: 1000 }),
    make(2, 'settlement', { networkTransactionId: '1', authTransactionId: '7', amountCents: 7410 }),
    make(3, 'settlement', { networkTransactionId: '9', authTransactionId: '7', direction: 'credit', amountCents: 500 }),
  ];
}

it('forms one purchase with one first event from concurrent, repeated events in any order', async () => {
  // In parallel, each on a separate card, because they mostly wait for their own locks.
  const orders = fc.sample(fc.shuffledSubarray([0, 1, 2, 3, 0, 1, 2, 3], { minLength: 8 }), 25);
  await Promise.all(
    orders.map(async (order, index) => {
      const events = steps(7001 + index);
      const store = purchases();
      const first = await store.join(events[order[0] ?? 0] as (typeof events)[0]);
      await Promise.all(order.slice(1).map((index) => store.join(events[index] as (typeof events)[0])));

      const timelines = await Promise.all(events.map((event) => store.join(event)));
      const [auth] = timelines;
      const told = `arrived in the order ${order.join(', ')}`;
      expect(
        auth?.steps.map(({ eventId, isInferred }) => [eventId, isInferred]),
        told,
      ).toEqual([
        [events[0]?.id, false],
        [events[1]?.id, true],
        [events[2]?.id, false],
        [events[3]?.id, false],
      ]);
      expect(
        timelines.map((timeline) => timeline.steps),
        told,
      ).toEqual(timelines.map(() => auth?.steps));
      expect(timelines[order[0] ?? 0]?.leaderId, told).toBe(first.leaderId);
    }),
  );
});

it('keeps the thread of its first event, even when ids connect it to another thread later', async () => {
  const [auth, , settled] = steps(1);
  if (auth === undefined || settled === undefined) throw new Error('no steps');

  expect((await purchases().join(settled)).leaderId).toBe(settled.id);
  expect((await purchases().join(auth)).leaderId).toBe(settled.id);
  expect((await purchases().join(settled)).leaderId).toBe(settled.id);
});

it('changes only its own messages if it takes a step from the purchase that the step seemed to belong to', async () => {
  const [auth, , settled] = steps(5);
  if (auth === undefined || settled === undefined) throw new Error('no steps');
  const second = { ...auth, id: 'evt_0000000000000009', networkTransactionId: '9' };
  const ofSecond = { ...settled, networkTransactionId: '9', authTransactionId: null, amountCents: auth.amountCents };
  const idsIn = (timeline?: PurchaseTimeline) => timeline?.steps.map(({ eventId }) => eventId);
  await purchases().join(auth);
  expect(await purchases().join(ofSecond)).toMatchObject({ leaderId: auth.id, steps: [{}, { isInferred: true }] });

  const joined = await purchases().join(second);

  expect(joined).toMatchObject({ leaderId: second.id, steps: [{ eventId: second.id }, { isInferred: false }] });
  expect(idsIn(joined.others.get(auth.id))).toEqual([auth.id]);
  expect(joined.others.get(ofSecond.id)?.steps).toEqual(joined.steps);
  const again = await purchases().join(ofSecond);
  expect(again.leaderId, 'its message stays where it is').toBe(auth.id);
  expect(idsIn(again.others.get(auth.id))).toEqual([auth.id]);
  const capture = { ...ofSecond, id: 'evt_0000000000000008' };
  expect((await purchases().join(capture)).leaderId).toBe(second.id);
});

it('forgets steps that are too old to belong to a new event', async () => {
  const [auth] = steps(2);
  if (auth === undefined) throw new Error('no step');
  await purchases().join(auth);
  const later = transactionAlert({
    ...auth,
    id: 'evt_00000000000000zz',
    networkTransactionId: '3',
    occurredAt: '2027-02-01T00:00:00Z',
  });

  await purchases().join(later.event);

  expect(await redis().hkeys('{cardbell:state}:purchases:2')).toEqual([later.event.id]);
});

it('is shown as it is after each event, before the next event joins', async () => {
  const [auth, , settled, refund] = steps(3);
  if (auth === undefined || settled === undefined || refund === undefined) throw new Error('no steps');
  const shown: number[] = [];
  const show = (stallsMs: number) => async (timeline: PurchaseTimeline) => {
    await sleep(stallsMs);
    shown.push(timeline.steps.length);
  };

  const first = purchases().join(auth, show(300));
  await sleep(100);
  await Promise.all([first, purchases().join(settled, show(0))]);
  await purchases().joinStarted(refund, show(0));

  expect(shown).toEqual([1, 2, 3]);
});

it('is joined only if it has started, when asked so', async () => {
  const [auth, reversal, settled, refund] = steps(4);
  if (auth === undefined || reversal === undefined || settled === undefined || refund === undefined)
    throw new Error('no steps');
  const other = { ...auth, networkTransactionId: '99', authTransactionId: null } as typeof auth;

  expect(await purchases().joinStarted(auth)).toBeNull();
  expect((await purchases().join(settled)).steps).toHaveLength(1);
  expect(await purchases().joinStarted(other)).toBeNull();
  expect(await purchases().joinStarted(refund)).toMatchObject({ leaderId: settled.id, steps: [{}, {}] });
  expect(await purchases().joinStarted(settled)).toMatchObject({ leaderId: settled.id, steps: [{}, {}] });
  await purchases().join(auth);
  expect(await purchases().joinStarted(reversal), 'no id says that it belongs to it').toBeNull();
});
