import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { stateKey } from '../core/keys.ts';
import { COUNTED_MS } from '../policy/decide.ts';

/** What is kept of a raise; its time is the score. The same for the same action, so that it counts once. */
const Kept = z.strictObject({
  actionId: z.string(),
  /** See `ruleKey`. */
  rule: z.string(),
  cents: z.int().positive(),
  /** Slack user who allowed it alone. */
  by: z.string(),
  /** Slack user who asked for it: the same, or the card's holder. */
  askedBy: z.string(),
});

/** A raise of one rule that one person allowed. */
export interface RecentRaise extends z.infer<typeof Kept> {
  readonly atMs: number;
}

/** What single approvers allowed lately, and on which cards an emergency override was used. */
export interface RecentRaises {
  /** Counts a raise. The same action counts once, at its first time, however often it is added. */
  add(acctId: number, raise: RecentRaise): Promise<void>;
  /** Raises of a rule of the card within the counted time, oldest first. */
  list(acctId: number, rule: string, nowMs: number): Promise<RecentRaise[]>;
  /** Once within the counted time for each card. @returns false when somebody else's click has it. */
  overrideRequest(acctId: number, actionId: string): Promise<boolean>;
  /** The override came to nothing: it may be used again, if it was this action that used it. */
  cancelOverride(acctId: number, actionId: string): Promise<void>;
}

/** Several small raises must not sum up to what takes two: kept for each card for as long as they count. */
export function createRecentRaises(redis: Redis | Cluster): RecentRaises {
  const recentRaisesKey = (acctId: number): string => stateKey(`recent-raises:${acctId}`);
  const overrideKey = (acctId: number): string => stateKey(`emergency-override:${acctId}`);
  return {
    async add(acctId, { atMs, ...raise }) {
      const key = recentRaisesKey(acctId);
      await redis
        .multi()
        .zadd(key, 'NX', atMs, JSON.stringify(Kept.parse(raise)))
        .zremrangebyscore(key, '-inf', atMs - COUNTED_MS)
        .pexpire(key, COUNTED_MS)
        .exec();
    },
    async list(acctId, rule, nowMs) {
      const pairs = await redis.zrangebyscore(recentRaisesKey(acctId), nowMs - COUNTED_MS, '+inf', 'WITHSCORES');
      const raises = pairs.flatMap((text, index): RecentRaise[] =>
        index % 2 === 0 ? [{ ...Kept.parse(JSON.parse(text)), atMs: Number(pairs[index + 1]) }] : [],
      );
      return raises.filter((raise) => raise.rule === rule);
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
