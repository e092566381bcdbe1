import type { Cluster, Redis } from 'ioredis';
import { outboxKey } from '../core/keys.ts';

/** A card order may take weeks from the order to the first use. */
const ROOT_TTL_SECONDS = 90 * 24 * 3600;

/** Where each thread begins in a channel. */
export interface Threads {
  /** Slack's timestamp of the message that the others answer; null when the thread has none there yet. */
  rootOf(channel: string, threadId: string): Promise<string | null>;
  /** The first that is set stays: a thread has one beginning. */
  setRoot(channel: string, threadId: string, ts: string): Promise<void>;
}

export function createThreads(redis: Redis | Cluster): Threads {
  const keyOf = (channel: string, threadId: string): string => outboxKey(channel, `thread:${threadId}`);
  return {
    rootOf: (channel, threadId) => redis.get(keyOf(channel, threadId)),
    async setRoot(channel, threadId, ts) {
      await redis.set(keyOf(channel, threadId), ts, 'EX', ROOT_TTL_SECONDS, 'NX');
    },
  };
}
