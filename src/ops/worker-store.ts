import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { stateKey } from '../core/keys.ts';
import { recordFormat } from '../core/record-store.ts';

/** A worker that has said nothing for this long is gone. */
const SILENT_MS = 45_000;

const Worker = z.strictObject({
  /** Milliseconds since 1970, by the worker's clock. */
  atMs: z.number(),
  /** True while this worker sends nothing to the card API because it does not answer. */
  isCardApiAway: z.boolean(),
});
export type WorkerVitals = z.infer<typeof Worker>;

/** Each worker says now and then that it lives, and what it sees. */
export interface Workers {
  beat(workerId: string, vitals: WorkerVitals): Promise<void>;
  gone(workerId: string): Promise<void>;
  /** Those that live. */
  all(): Promise<WorkerVitals[]>;
}

export function createWorkers(redis: Redis | Cluster, now: () => number = Date.now): Workers {
  const key = stateKey('workers');
  const format = recordFormat(Worker);
  return {
    async beat(workerId, vitals) {
      await redis.hset(key, workerId, format.write(vitals));
    },
    async gone(workerId) {
      await redis.hdel(key, workerId);
    },
    async all() {
      const entries = Object.entries(await redis.hgetall(key));
      const workers = entries.map(([id, text]) => ({ id, ...format.read(text) }));
      const silent = workers.filter(({ atMs }) => now() - atMs > SILENT_MS);
      if (silent.length > 0) await redis.hdel(key, ...silent.map(({ id }) => id));
      return workers
        .filter((worker) => !silent.includes(worker))
        .map(({ atMs, isCardApiAway }) => ({ atMs, isCardApiAway }));
    },
  };
}
