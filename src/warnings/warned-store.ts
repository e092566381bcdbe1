import type { Cluster, Redis } from 'ioredis';
import { stateKey } from '../core/keys.ts';

/** Which warnings were given, so that each is given once. */
export type Warned = ReturnType<typeof createWarned>;

export function createWarned(redis: Redis | Cluster) {
  const keyOf = (id: string): string => stateKey(`warned:${id}`);
  return {
    has: async (id: string): Promise<boolean> => (await redis.exists(keyOf(id))) === 1,
    /** To be called last: after a crash the warning is repeated under its id, which adds nothing. */
    add: async (id: string, ttlMs: number): Promise<void> =>
      void (await redis.set(keyOf(id), '1', 'PX', Math.max(1, Math.ceil(ttlMs)))),
  };
}
