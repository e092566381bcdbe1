import type { Cluster, Redis } from 'ioredis';
import { stateKey } from '../core/keys.ts';

/** The channels that may have something waiting. */
export const channelsKey = stateKey('outbox-channels');

/** Notes a channel that may have something waiting. Whoever asks for that while a note is on its way shares it. */
export function createNoteChannel(redis: Redis | Cluster): (channel: string) => Promise<void> {
  const underWay = new Map<string, Promise<unknown>>();
  return async (channel) => {
    const note = underWay.get(channel) ?? redis.sadd(channelsKey, channel).finally(() => underWay.delete(channel));
    underWay.set(channel, note);
    await note;
  };
}
