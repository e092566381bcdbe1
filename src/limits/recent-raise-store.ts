import type { Cluster, Redis } from 'ioredis';
import { stateKey } from '../core/keys.ts';
import { COUNTED_MS } from '../policy/decide.ts';

/** What one person's yes allowed lately, and where glass was broken. */
export interface Raises {
  /** Counts a raise. The same action counts once, however often it is told. */
  add(acctId: number, raise: { actionId: string; target: string; cents: number; atMs: number }): Promise<void>;
  /** Whole cents that others than `exceptActionId` added to a rule of the card within the counted time. */
  sum(acctId: number, target: string, nowMs: number, exceptActionId: string): Promise<number>;
  /** Once within the counted time for each card. @returns false when somebody else's click has it. */
  breakGlass(acctId: number, actionId: string): Promise<boolean>;
  /** It came to nothing: the glass is whole again, if it was this action that broke it. */
  mendGlass(acctId: number, actionId: string): Promise<void>;
}

/** Several small raises must not sum up to what takes two: kept for each card for as long as they count. */
export function createRaises(redis: Redis | Cluster): Raises {
  const raisesKey = (acctId: number): string => stateKey(`raises:${acctId}`);
  const glassKey = (acctId: number): string => stateKey(`glass:${acctId}`);
  return {
    async add(acctId, { actionId, target, cents, atMs }) {
      const key = raisesKey(acctId);
      await redis
        .multi()
        .zadd(key, 'NX', atMs, JSON.stringify([actionId, target, cents]))
        .zremrangebyscore(key, '-inf', atMs - COUNTED_MS)
        .pexpire(key, COUNTED_MS)
        .exec();
    },
    async sum(acctId, target, nowMs, exceptActionId) {
      const members = await redis.zrangebyscore(raisesKey(acctId), nowMs - COUNTED_MS, '+inf');
      return members
        .map((text) => JSON.parse(text) as [string, string, number])
        .filter(([actionId, of]) => of === target && actionId !== exceptActionId)
        .reduce((total, [, , cents]) => total + cents, 0);
    },
    async breakGlass(acctId, actionId) {
      const key = glassKey(acctId);
      if ((await redis.set(key, actionId, 'PX', COUNTED_MS, 'NX')) !== null) return true;
      return (await redis.get(key)) === actionId;
    },
    async mendGlass(acctId, actionId) {
      if ((await redis.get(glassKey(acctId))) === actionId) await redis.del(glassKey(acctId));
    },
  };
}
