import type { Cluster, Redis } from 'ioredis';
import { stateKey } from '../core/keys.ts';

/** The same trouble is told again after this long, not earlier. */
const SILENT_SECONDS = 24 * 3600;

export interface OpsMemory {
  /** True while people know of a cause. */
  isKnown(cause: string): Promise<boolean>;
  /** They have been told. */
  remember(cause: string): Promise<void>;
  /** The trouble is over: the next time it is news again. @returns whether anybody had been told. */
  forget(cause: string): Promise<boolean>;
}

export function createOpsMemory(redis: Redis | Cluster): OpsMemory {
  const keyOf = (cause: string): string => stateKey(`told:${cause}`);
  return {
    async isKnown(cause) {
      return (await redis.exists(keyOf(cause))) === 1;
    },
    async remember(cause) {
      await redis.set(keyOf(cause), '1', 'EX', SILENT_SECONDS);
    },
    async forget(cause) {
      return (await redis.del(keyOf(cause))) === 1;
    },
  };
}
