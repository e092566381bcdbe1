import { stateKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';

/** The channels that may have something waiting. */
export const channelsKey = stateKey('outbox-channels');

/** Concurrent calls for one channel share a write. */
export function createNoteChannel(redis: RedisClient): (channel: string) => Promise<void> {
  const underWay = new Map<string, Promise<unknown>>();
  return async (channel) => {
    const note = underWay.get(channel) ?? redis.sadd(channelsKey, channel).finally(() => underWay.delete(channel));
    underWay.set(channel, note);
    await note;
  };
}
