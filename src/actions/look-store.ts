import type { Cluster, Redis } from 'ioredis';
import { stateKey } from '../core/keys.ts';

/** One person's looks at one card within this time are one record: it says who has seen what, and does not fill up. */
const REMEMBERED_SECONDS = 3600;

/** One look: who looked at what, in which way, and the action or the opening by which they did. */
export interface Look {
  readonly id: string;
  readonly verb: string;
  readonly userId: string;
  /** Null: at no card in particular. */
  readonly acctId: number | null;
}

export interface Looks {
  /** Whether a look goes on record. Safe to repeat. */
  isFirst(look: Look): Promise<boolean>;
}

/** Who looked at what lately. */
export function createLooks(redis: Redis | Cluster): Looks {
  return {
    async isFirst({ id, verb, userId, acctId }) {
      const key = stateKey(`looked:${userId}:${verb}:${acctId ?? ''}`);
      await redis.set(key, id, 'EX', REMEMBERED_SECONDS, 'NX');
      return (await redis.get(key)) === id;
    },
  };
}
