import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { outboxKey } from '../core/keys.ts';

/** As long as its alerts stay actionable. */
const BATCH_TTL_SECONDS = 30 * 24 * 3600;

/** Why alerts stand in one message: more came than a channel takes, quiet hours held them, they were fetched after a gap. */
export const batchReasons = ['busy', 'held', 'late', 'fraud'] as const;

/** A message that shows several alerts. */
const Batch = z.strictObject({
  why: z.enum(batchReasons),
  audience: z.enum(['team', 'holder']),
  /** Decided when it was posted: a message keeps its form for life. */
  form: z.enum(['list', 'table', 'summary']),
  alerts: z.array(
    z.strictObject({
      id: z.string(),
      /** How a person finds it in a menu: who, how much, where. */
      label: z.string(),
    }),
  ),
});
export type Batch = z.infer<typeof Batch>;

export interface BatchMessages {
  save(channel: string, ts: string, batch: Batch): Promise<void>;
  /** Null when the message shows one alert, or is too old. */
  get(channel: string, ts: string): Promise<Batch | null>;
}

/** Which alerts each batch shows. */
export function createBatchMessages(redis: Redis | Cluster): BatchMessages {
  const keyOf = (channel: string, ts: string): string => outboxKey(channel, `batch:${ts}`);
  return {
    async save(channel, ts, batch) {
      await redis.set(keyOf(channel, ts), JSON.stringify(batch), 'EX', BATCH_TTL_SECONDS);
    },
    async get(channel, ts) {
      const text = await redis.get(keyOf(channel, ts));
      return text === null ? null : Batch.parse(JSON.parse(text));
    },
  };
}
