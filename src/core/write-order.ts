import { stateKey } from './keys.ts';
import type { WithLock } from './lock.ts';
import type { RedisClient } from './redis.ts';
import { defineScript, readScript } from './redis-script.ts';

/** Much longer than a process remembers its writes. */
const KEPT_MS = 600_000;

const orderSource = readScript(new URL('./write-order.lua', import.meta.url));

/** The order in which processes wrote the same subject: several processes repeat lost writes, in no particular order. */
export type WriteOrder = ReturnType<typeof createWriteOrder>;

export function createWriteOrder(redis: RedisClient, withLock: WithLock) {
  const script = defineScript(redis, orderSource);
  const keys = [stateKey('write-order')];
  const lockOf = (subject: string) => `redo:${subject}` as const;
  return {
    /** Writes a subject and notes the write, one process at a time, so that the numbers follow the order of the writes. */
    serialize: <T>(subject: string, write: () => Promise<T>): Promise<T> => withLock(lockOf(subject), write),
    /** @returns the number of this write. */
    note: async (subject: string): Promise<number> => Number(await script.run(keys, [subject, '', KEPT_MS])),
    /** Writes a subject again unless there is a newer write. */
    async ifNewest(subject: string, number: number, again: () => Promise<unknown>): Promise<void> {
      await withLock(lockOf(subject), async () => {
        if (Number(await script.run(keys, [subject, number, KEPT_MS])) !== 0) await again();
      });
    },
  };
}
