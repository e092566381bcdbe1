import { stateKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Seal } from '../core/seal.ts';
import { Delegation } from './policy.ts';

export type Delegations = ReturnType<typeof createDelegations>;

/**
 * The delegates that approvers have named themselves, one each. Sealed, so that write access to Redis is not enough to
 * give someone a role.
 */
export function createDelegations(redis: RedisClient, seal: Seal) {
  const key = stateKey('delegations');
  const open = (userId: string, sealed: string): Delegation[] => {
    const text = seal.open(sealed);
    const read = text === null ? null : Delegation.safeParse(JSON.parse(text));
    return read?.success === true && read.data.for === userId ? [read.data] : [];
  };
  return {
    async of(userId: string): Promise<Delegation | null> {
      const sealed = await redis.hget(key, userId);
      return sealed === null ? null : (open(userId, sealed)[0] ?? null);
    },
    async all(): Promise<Delegation[]> {
      return Object.entries(await redis.hgetall(key)).flatMap(([userId, sealed]) => open(userId, sealed));
    },
    /** Null: ends the delegation. */
    set: async (userId: string, delegation: Delegation | null): Promise<void> =>
      void (await (delegation === null
        ? redis.hdel(key, userId)
        : redis.hset(key, userId, seal.seal(JSON.stringify(delegation))))),
  };
}
