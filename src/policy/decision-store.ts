import { z } from 'zod';
import { stateKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { CAPPED_MS, Role } from './decide-action.ts';

/** A question to the policy and its answer. */
export const RecordedDecision = z.strictObject({
  actionId: z.string(),
  verb: z.string(),
  userId: z.string(),
  roles: z.array(Role),
  acctId: z.int().nullable(),
  /** The card's group, as the card service names it. */
  group: z.string().nullable(),
  isOwnCard: z.boolean().nullable(),
  isHolder: z.boolean().nullable(),
  isOwnAction: z.boolean().nullable(),
  ageMs: z.number().nullable(),
  /** Whole cents; `no amount`: no amount is known. */
  raiseCents: z.union([z.int(), z.literal('no amount')]).nullable(),
  /** How much of that the change adds itself, in whole cents. Absent: not recorded, or no amount is known. */
  ownCents: z.int().nonnegative().optional(),
  isOverCap: z.boolean(),
  /** The duration; `stays`: permanent. */
  lastsMs: z.union([z.number(), z.literal('stays')]).nullable(),
  kind: z.enum(['allowed', 'request', 'late', 'refused']),
  /** How many others had to approve. */
  others: z.int().nonnegative(),
});
export type RecordedDecision = z.infer<typeof RecordedDecision>;

/** Decisions of the last 30 days, so that another policy can be tested on them. */
export function createDecisionStore(redis: RedisClient) {
  const key = stateKey('decisions');
  return {
    async remember(decision: RecordedDecision, atMs: number): Promise<void> {
      await redis
        .multi()
        // The same answer about the same action is one decision, no matter how often its job runs.
        .zadd(key, 'NX', atMs, JSON.stringify(RecordedDecision.parse(decision)))
        .zremrangebyscore(key, '-inf', atMs - CAPPED_MS)
        .pexpire(key, CAPPED_MS)
        .exec();
    },
    /** Oldest first. */
    async since(sinceMs: number): Promise<(RecordedDecision & { readonly atMs: number })[]> {
      const pairs = await redis.zrangebyscore(key, sinceMs, '+inf', 'WITHSCORES');
      return pairs.flatMap((text, index) =>
        index % 2 === 0 ? [{ ...RecordedDecision.parse(JSON.parse(text)), atMs: Number(pairs[index + 1]) }] : [],
      );
    },
  };
}
