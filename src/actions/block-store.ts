import { z } from 'zod';
import { stateKey } from '../core/keys.ts';
import { createRecordStore } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Signer } from '../core/sign.ts';
import { UNDO_MS } from '../policy/decide-action.ts';

/** Longer than the undo period, so that a click in the last second still gets a proper answer. */
const KEPT_MS = 10 * UNDO_MS;

/** A block that Cardbell just made. */
const Block = z.strictObject({
  acctId: z.int(),
  cardId: z.int().nullable(),
  alertId: z.string().nullable(),
  /** Slack user. */
  by: z.string(),
  /** UTC ISO 8601. */
  at: z.string(),
  actionId: z.string(),
});
export type Block = z.infer<typeof Block>;

export type Blocks = ReturnType<typeof createBlocks>;

/**
 * Blocks that can still be undone, by the action that made them. Signed, because only the person who blocked a card may
 * undo it.
 */
export function createBlocks(redis: RedisClient, signer: Signer) {
  const store = createRecordStore({
    redis,
    schema: Block,
    signer,
    idOf: ({ actionId }) => actionId,
    keyOf: (actionId) => stateKey(`block:${actionId}`),
    ttlSeconds: KEPT_MS / 1000,
  });
  const wantedKey = (acctId: number): string => stateKey(`block-wanted:${acctId}`);
  return {
    keep: (block: Block): Promise<void> => store.put(block.actionId, block),
    get: store.get,
    /** Records that someone wants the account's card blocked, even if it is already blocked. Idempotent. */
    async want(acctId: number, userId: string): Promise<void> {
      await redis.multi().sadd(wantedKey(acctId), userId).pexpire(wantedKey(acctId), KEPT_MS).exec();
    },
    /** Like `want`, but the card is still active, so earlier requests no longer count. */
    async resetWanted(acctId: number, userId: string): Promise<void> {
      const key = wantedKey(acctId);
      await redis.multi().del(key).sadd(key, userId).pexpire(key, KEPT_MS).exec();
    },
    /** Who has wanted the block since the card was last active, within ten minutes. */
    wantedBy: (acctId: number): Promise<string[]> => redis.smembers(wantedKey(acctId)),
    /** The card is active again, so earlier block requests no longer count. */
    async forgetWanted(acctId: number): Promise<void> {
      await redis.del(wantedKey(acctId));
    },
  };
}
