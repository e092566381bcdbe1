import { expect, it } from 'vitest';
import { createAlerts } from '../../../src/alerts/alert-store.ts';
import { createEventLog } from '../../../src/alerts/event-log.ts';
import { useRedis } from '../../support/on-redis.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();

it('stores each step once, in the order of its first occurrence', async () => {
  let now = Date.parse('2026-11-20T15:00:00Z');
  const eventLog = createEventLog(redis(), () => new Date(now));
  const routed = { step: 'routed', channel: 'C1', text: 'Because.' } as const;
  const held = { step: 'held', channel: 'C1', text: 'Until later.' } as const;

  await eventLog.note('evt_1', routed);
  now += 1000;
  await eventLog.note('evt_1', routed, held);

  expect(await eventLog.read('evt_1')).toEqual([
    { ...routed, at: '2026-11-20T15:00:00.000000Z' },
    { ...held, at: '2026-11-20T15:00:01.000001Z' },
  ]);
  expect(await eventLog.read('evt_2')).toEqual([]);
});

it('is limited in size', async () => {
  const eventLog = createEventLog(redis(), () => new Date());
  for (let count = 0; count < 120; count += 1) {
    await eventLog.note('evt_1', { step: 'posted', channel: null, text: `Step ${count}` });
  }

  expect(await eventLog.read('evt_1')).toHaveLength(100);
});

it('has room for steps even if the alert has much other data, such as the cards of a warning', async () => {
  const cards = Array.from({ length: 300 }, (_, acctId) => [`tried:${acctId}`, '{}'] as const);
  await redis().hset('{cardbell:state}:alert:evt_1', Object.fromEntries(cards));

  await createEventLog(redis(), () => new Date()).note('evt_1', { step: 'posted', channel: 'C1', text: 'Posted.' });

  expect(await createEventLog(redis(), () => new Date()).read('evt_1')).toMatchObject([
    { step: 'posted', channel: 'C1' },
  ]);
});

it('returns the newest event of an account', async () => {
  const [known, newest] = ['evt_0000000000000001', 'evt_0000000000000002'];
  const eventLog = createEventLog(redis(), () => new Date());
  for (const id of [known, newest])
    await createAlerts(redis(), () => new Date()).record(transactionAlert({ id, acctId: 7378 }), []);

  expect(await eventLog.latest(7378)).toBe(newest);
  expect(await eventLog.latest(1)).toBeNull();
});
