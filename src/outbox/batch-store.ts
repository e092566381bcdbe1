import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { outboxKey } from '../core/keys.ts';

/** As long as its alerts stay actionable. */
const JOINED_TTL_SECONDS = 30 * 24 * 3600;

/** Why alerts stand in one message: more came than a channel takes, quiet hours held them, they were fetched after a gap. */
export const joinReasons = ['busy', 'held', 'late', 'fraud'] as const;

/** A message that shows several alerts. */
const Joined = z.strictObject({
  why: z.enum(joinReasons),
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
export type Joined = z.infer<typeof Joined>;

export interface JoinedMessages {
  save(channel: string, ts: string, joined: Joined): Promise<void>;
  /** Null when the message shows one alert, or is too old. */
  get(channel: string, ts: string): Promise<Joined | null>;
}

/** Which alerts each joined message shows. */
export function createJoinedMessages(redis: Redis | Cluster): JoinedMessages {
  const keyOf = (channel: string, ts: string): string => outboxKey(channel, `joined:${ts}`);
  return {
    async save(channel, ts, joined) {
      await redis.set(keyOf(channel, ts), JSON.stringify(joined), 'EX', JOINED_TTL_SECONDS);
    },
    async get(channel, ts) {
      const text = await redis.get(keyOf(channel, ts));
      return text === null ? null : Joined.parse(JSON.parse(text));
    },
  };
}
