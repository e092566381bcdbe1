import type { Cluster, Redis } from 'ioredis';
import { stateKey } from '../core/keys.ts';
import type { NewBlock } from './draft.ts';

/** Asked again after a day: Slack brings new blocks to more and more workspaces. */
const FORGOTTEN_AFTER_SECONDS = 24 * 3600;

/** Which of the newer blocks this workspace has refused. */
export interface UnsupportedBlocks {
  has(block: NewBlock): Promise<boolean>;
  add(block: NewBlock): Promise<void>;
}

export function createUnsupportedBlocks(redis: Redis | Cluster): UnsupportedBlocks {
  const keyOf = (block: NewBlock): string => stateKey(`unsupported-blocks:${block}`);
  return {
    has: async (block) => (await redis.exists(keyOf(block))) === 1,
    async add(block) {
      await redis.set(keyOf(block), '1', 'EX', FORGOTTEN_AFTER_SECONDS);
    },
  };
}
