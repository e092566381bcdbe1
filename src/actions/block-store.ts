import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { stateKey } from '../core/keys.ts';
import { fromStored } from '../core/unknown-fields.ts';
import { UNDO_MS } from '../policy/decide.ts';

/** Longer than it can be undone, so that a click in the last second is still answered properly. */
const KEPT_MS = 10 * UNDO_MS;

/** A block that was just made here. */
export const Block = z.strictObject({
  acctId: z.int(),
  cardId: z.int().nullable(),
  alertId: z.string().nullable(),
  /** Slack user. */
  by: z.string(),
  /** UTC ISO 8601. */
  at: z.string(),
});
export type Block = z.infer<typeof Block>;

export type Blocks = ReturnType<typeof createBlocks>;

/** Blocks that can still be undone, by the action that made them. */
export function createBlocks(redis: Redis | Cluster) {
  const keyOf = (actionId: string): string => stateKey(`block:${actionId}`);
  const wantedKey = (acctId: number): string => stateKey(`block-wanted:${acctId}`);
  return {
    async keep(actionId: string, block: Block): Promise<void> {
      await redis.set(keyOf(actionId), JSON.stringify(Block.parse(block)), 'PX', KEPT_MS);
    },
    async get(actionId: string): Promise<Block | null> {
      const text = await redis.get(keyOf(actionId));
      return text === null ? null : fromStored(Block, JSON.parse(text));
    },
    /** Somebody wants the account's card blocked, also where it is so already. Safe to repeat. */
    async want(acctId: number, userId: string): Promise<void> {
      await redis.multi().sadd(wantedKey(acctId), userId).pexpire(wantedKey(acctId), KEPT_MS).exec();
    },
    /** The same, and the card is active as yet: what anybody wanted before counts no more. */
    async wantAnew(acctId: number, userId: string): Promise<void> {
      const key = wantedKey(acctId);
      await redis.multi().del(key).sadd(key, userId).pexpire(key, KEPT_MS).exec();
    },
    /** Who wanted it since it was last active, within ten minutes. */
    wantedBy: (acctId: number): Promise<string[]> => redis.smembers(wantedKey(acctId)),
    /** The card is active again: what was wanted before counts no more. */
    async forgetWanted(acctId: number): Promise<void> {
      await redis.del(wantedKey(acctId));
    },
  };
}
