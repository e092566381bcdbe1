import type { Cluster, Redis } from 'ioredis';
import { stateKey } from '../keys.ts';

/** The same trouble is told again after this long, not earlier. */
const SILENT_SECONDS = 24 * 3600;

export interface OpsMemory {
  /** True the first time a cause comes up; false while people know of it. */
  isNews(cause: string): Promise<boolean>;
  /** The trouble is over: the next time it is news again. */
  forget(cause: string): Promise<boolean>;
}

export function createOpsMemory(redis: Redis | Cluster): OpsMemory {
  return {
    async isNews(cause) {
      return (await redis.set(stateKey(`told:${cause}`), '1', 'EX', SILENT_SECONDS, 'NX')) !== null;
    },
    async forget(cause) {
      return (await redis.del(stateKey(`told:${cause}`))) === 1;
    },
  };
}
