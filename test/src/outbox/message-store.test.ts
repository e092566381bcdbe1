import { expect, it } from 'vitest';
import { createThreads } from '../../../src/outbox/message-store.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();

it('the first message of a thread stays its root until it is deleted', async () => {
  const threads = createThreads(redis());
  await threads.setRoot('C1', 'purchase-1', '1.0');
  await threads.setRoot('C1', 'purchase-1', '2.0');
  expect(await threads.rootOf('C1', 'purchase-1')).toBe('1.0');

  await threads.markGone('C1', '1.0');
  expect(await threads.rootOf('C1', 'purchase-1'), 'nothing can be posted in its thread').toBeNull();

  await threads.setRoot('C1', 'purchase-1', '3.0');
  expect(await threads.rootOf('C1', 'purchase-1')).toBe('3.0');
});

it('a reply that is recorded again before the message it replies to does not become the root of its thread', async () => {
  const threads = createThreads(redis());
  await threads.setRoot('C1', 'purchase-1', '1700000002.000200');
  await threads.setRoot('C1', 'purchase-1', '1700000001.000100');
  expect(await threads.rootOf('C1', 'purchase-1')).toBe('1700000001.000100');

  await threads.markGone('C1', '1700000001.000100');
  await threads.setRoot('C1', 'purchase-1', '1700000003.000300');
  await threads.setRoot('C1', 'purchase-1', '1700000001.000100');
  expect(await threads.rootOf('C1', 'purchase-1'), 'a deleted message does not return').toBe('1700000003.000300');
});
