import { z } from 'zod';
import { stateKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { CAPPED_MS, Role } from './decide-action.ts';

/** What the policy was asked, and what it answered. */
export const RecordedDecision = z.strictObject({
  actionId: z.string(),
  verb: z.string(),
  userId: z.string(),
  /** As they were then. */
  roles: z.array(Role),
  acctId: z.int().nullable(),
  /** Of the card, as the card service calls it. */
  group: z.string().nullable(),
  isOwnCard: z.boolean().nullable(),
  isHolder: z.boolean().nullable(),
  isOwnAction: z.boolean().nullable(),
  ageMs: z.number().nullable(),
  /** Whole cents; `no amount`: nothing says how much. */
  raiseCents: z.union([z.int(), z.literal('no amount')]).nullable(),
  isOverCap: z.boolean(),
  /** How long it was to last; `stays`: until somebody changes it. */
  lastsMs: z.union([z.number(), z.literal('stays')]).nullable(),
  kind: z.enum(['allowed', 'request', 'late', 'refused']),
  /** How many others had to approve. */
  others: z.int().nonnegative(),
});
export type RecordedDecision = z.infer<typeof RecordedDecision>;

/** Decisions of the last 30 days, so that another policy can be tried on them. */
export function createDecisions(redis: RedisClient) {
  const key = stateKey('decisions');
  return {
    async remember(decision: RecordedDecision, atMs: number): Promise<void> {
      await redis
        .multi()
        // The same answer about the same action is one decision, however often its job runs.
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
