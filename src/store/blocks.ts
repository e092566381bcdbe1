import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { UNDO_MS } from '../authority/policy.ts';
import { stateKey } from '../keys.ts';

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

export interface Blocks {
  keep(actionId: string, block: Block): Promise<void>;
  get(actionId: string): Promise<Block | null>;
}

/** Blocks that can still be undone, by the action that made them. */
export function createBlocks(redis: Redis | Cluster): Blocks {
  const keyOf = (actionId: string): string => stateKey(`block:${actionId}`);
  return {
    async keep(actionId, block) {
      await redis.set(keyOf(actionId), JSON.stringify(Block.parse(block)), 'PX', KEPT_MS);
    },
    async get(actionId) {
      const text = await redis.get(keyOf(actionId));
      return text === null ? null : Block.parse(JSON.parse(text));
    },
  };
}
