import type { Cluster, Redis } from 'ioredis';
import { stateKey } from '../core/keys.ts';

/** Slack keeps the id of a direct conversation for good; this only saves asking for it each time. */
const KEPT_SECONDS = 30 * 24 * 3600;

/** The direct conversation with a person. @param open asks Slack for it. */
export function createDirectChannel(
  redis: Redis | Cluster,
  open: (userId: string) => Promise<string>,
): (userId: string) => Promise<string> {
  return async function directChannel(userId) {
    const key = stateKey(`direct:${userId}`);
    const known = await redis.get(key);
    if (known !== null) return known;
    const channel = await open(userId);
    await redis.set(key, channel, 'EX', KEPT_SECONDS);
    return channel;
  };
}
