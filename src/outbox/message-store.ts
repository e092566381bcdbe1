import { z } from 'zod';
import { ALERT_TTL_SECONDS } from '../alerts/alert.ts';
import { outboxKey, stateKey } from '../core/keys.ts';
import { createRecordStore } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import type { MessageRef } from '../slack/message.ts';

/** A card order may take weeks from the order to the first use. */
const THREAD_TTL_SECONDS = 90 * 24 * 3600;
/** Slack keeps adding workspaces that support the new blocks, so they are retried after a day. */
const UNSUPPORTED_TTL_SECONDS = 24 * 3600;

/**
 * Why alerts share a message: too many came at once, quiet hours held them, they were fetched late, or they are suspected
 * fraud.
 */
const batchReasons = ['busy', 'held', 'late', 'fraud'] as const;

/** A message that shows several alerts. */
const Batch = z.strictObject({
  why: z.enum(batchReasons),
  audience: z.enum(['team', 'holder']),
  /** Decided when it was posted, and never changed. */
  form: z.enum(['list', 'table', 'summary']),
  /** Whether a summary has a chart: if so, the workspace took it, and takes it again. Absent: an older version posted it. */
  hasChart: z.boolean().optional(),
  alerts: z.array(
    z.strictObject({
      id: z.string(),
      /** Menu label: who, how much, where. */
      label: z.string(),
      /** How many webhooks the row counted when it was posted. */
      times: z.int().default(1),
    }),
  ),
});
export type Batch = z.infer<typeof Batch>;

export type BatchMessages = ReturnType<typeof createBatchMessages>;

/** The alerts in each batch. None when the message shows a single alert, or is too old. */
export function createBatchMessages(redis: RedisClient) {
  return createRecordStore<Batch, MessageRef>({
    redis,
    schema: Batch,
    keyOf: ({ channel, ts }) => outboxKey(channel, `batch:${ts}`),
    ttlSeconds: ALERT_TTL_SECONDS,
  });
}

/** The first message of each thread in a channel. */
export type Threads = ReturnType<typeof createThreads>;

export function createThreads(redis: RedisClient) {
  const keyOf = (channel: string, threadId: string): string => outboxKey(channel, `thread:${threadId}`);
  const goneKey = (channel: string, ts: string): string => outboxKey(channel, `gone:${ts}`);
  const isGone = async (channel: string, ts: string): Promise<boolean> =>
    (await redis.exists(goneKey(channel, ts))) === 1;
  async function rootOf(channel: string, threadId: string): Promise<string | null> {
    const ts = await redis.get(keyOf(channel, threadId));
    return ts === null || (await isGone(channel, ts)) ? null : ts;
  }
  return {
    /** Its Slack timestamp; null when the thread has no message in the channel yet, or its message is gone. */
    rootOf,
    /**
     * The earliest timestamp stays, unless that message is gone. When several workers record again what Redis has lost, a
     * reply may come before the message it replies to.
     */
    async setRoot(channel: string, threadId: string, ts: string): Promise<void> {
      const root = await rootOf(channel, threadId);
      if (root !== null && (Number(root) <= Number(ts) || (await isGone(channel, ts)))) return;
      await redis.set(keyOf(channel, threadId), ts, 'EX', THREAD_TTL_SECONDS);
    },
    /** Someone deleted this message, so nothing can be posted in its thread. */
    async markGone(channel: string, ts: string): Promise<void> {
      await redis.set(goneKey(channel, ts), '1', 'EX', THREAD_TTL_SECONDS);
    },
    isGone,
  };
}

/** Blocks that not every workspace supports yet. */
export type NewBlock = 'chart' | 'data_table';

/** The new blocks that this workspace has refused. */
export type UnsupportedBlocks = ReturnType<typeof createUnsupportedBlocks>;

export function createUnsupportedBlocks(redis: RedisClient) {
  const keyOf = (block: NewBlock): string => stateKey(`unsupported-blocks:${block}`);
  return {
    has: async (block: NewBlock): Promise<boolean> => (await redis.exists(keyOf(block))) === 1,
    async add(block: NewBlock): Promise<void> {
      await redis.set(keyOf(block), '1', 'EX', UNSUPPORTED_TTL_SECONDS);
    },
  };
}
