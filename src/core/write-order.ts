import type { Cluster, Redis } from 'ioredis';
import { stateKey } from './keys.ts';
import type { WithLock } from './lock.ts';
import { defineScript, readScript } from './redis-script.ts';

/** Much longer than a process remembers what it wrote. */
const KEPT_MS = 600_000;

const orderSource = readScript(new URL('./write-order.lua', import.meta.url));

/** In which order processes wrote the same: what Redis has lost is written again by several of them, in no order. */
export type WriteOrder = ReturnType<typeof createWriteOrder>;

export function createWriteOrder(redis: Redis | Cluster, withLock: WithLock) {
  const script = defineScript(redis, orderSource);
  const keys = [stateKey('write-order')];
  return {
    /** A subject was written. @returns the number of this write. */
    note: async (subject: string): Promise<number> => Number(await script.run(keys, [subject, '', KEPT_MS])),
    /** Writes a subject again, unless it has a newer write by now. */
    async ifNewest(subject: string, number: number, again: () => Promise<unknown>): Promise<void> {
      await withLock(`redo:${subject}`, async () => {
        if (Number(await script.run(keys, [subject, number, KEPT_MS])) !== 0) await again();
      });
    },
  };
}
