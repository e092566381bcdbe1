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
  return { keep: (block: Block): Promise<void> => store.put(block.actionId, block), get: store.get };
}
