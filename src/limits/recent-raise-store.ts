import type { Cluster, Redis } from 'ioredis';
import { stateKey } from '../core/keys.ts';
import { COUNTED_MS } from '../policy/decide.ts';

/** What single approvals allowed lately, and on which cards an emergency override was used. */
export interface RecentRaises {
  /** Counts a raise. The same action counts once, however often it is told. */
  add(acctId: number, raise: { actionId: string; target: string; cents: number; atMs: number }): Promise<void>;
  /** Whole cents that others than `exceptActionId` added to a rule of the card within the counted time. */
  sum(acctId: number, target: string, nowMs: number, exceptActionId: string): Promise<number>;
  /** Once within the counted time for each card. @returns false when somebody else's click has it. */
  overrideRequest(acctId: number, actionId: string): Promise<boolean>;
  /** The override came to nothing: it may be used again, if it was this action that used it. */
  cancelOverride(acctId: number, actionId: string): Promise<void>;
}

/** Several small raises must not sum up to what takes two: kept for each card for as long as they count. */
export function createRecentRaises(redis: Redis | Cluster): RecentRaises {
  const recentRaisesKey = (acctId: number): string => stateKey(`raises:${acctId}`);
  const overrideKey = (acctId: number): string => stateKey(`glass:${acctId}`);
  return {
    async add(acctId, { actionId, target, cents, atMs }) {
      const key = recentRaisesKey(acctId);
      await redis
        .multi()
        .zadd(key, 'NX', atMs, JSON.stringify([actionId, target, cents]))
        .zremrangebyscore(key, '-inf', atMs - COUNTED_MS)
        .pexpire(key, COUNTED_MS)
        .exec();
    },
    async sum(acctId, target, nowMs, exceptActionId) {
      const members = await redis.zrangebyscore(recentRaisesKey(acctId), nowMs - COUNTED_MS, '+inf');
      return members
        .map((text) => JSON.parse(text) as [string, string, number])
        .filter(([actionId, of]) => of === target && actionId !== exceptActionId)
        .reduce((total, [, , cents]) => total + cents, 0);
    },
    async overrideRequest(acctId, actionId) {
      const key = overrideKey(acctId);
      if ((await redis.set(key, actionId, 'PX', COUNTED_MS, 'NX')) !== null) return true;
      return (await redis.get(key)) === actionId;
    },
    async cancelOverride(acctId, actionId) {
      if ((await redis.get(overrideKey(acctId))) === actionId) await redis.del(overrideKey(acctId));
    },
  };
}
