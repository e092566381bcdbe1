import { rememberWrites } from '../../src/app/remember-writes.ts';
import { createStores } from '../../src/app/stores.ts';
import { createLock } from '../../src/core/lock.ts';
import type { RedisClient } from '../../src/core/redis.ts';
import { createSeals } from '../../src/core/seal.ts';
import { createWriteOrder, type WriteOrder } from '../../src/core/write-order.ts';
import { storeSigner } from './store-signer.ts';

/** The stores of a worker that remembers its writes and repeats those that Redis has lost. */
export function createRememberingWorker(redis: RedisClient, over: Partial<WriteOrder> = {}) {
  const writes = new Map<unknown, () => Promise<unknown>>();
  const redo = {
    remember(again: () => Promise<unknown>, key: unknown = Symbol('write')) {
      writes.delete(key);
      writes.set(key, again);
    },
  };
  const lock = createLock(redis);
  const sealed = { stored: () => storeSigner, control: storeSigner, delegation: createSeals('xoxb-test').delegation };
  const given = { ...sealed, withLock: lock, now: () => new Date() };
  const order = { ...createWriteOrder(redis, lock), ...over };
  const stores = rememberWrites(redo, order, createStores(redis, given));
  return {
    ...stores,
    async writeAgain() {
      for (const again of writes.values()) await again();
    },
  };
}
