import type { Cluster, Redis } from 'ioredis';
import { defineScript, readScript } from './redis-script.ts';

/** How many calls may be made, over all workers together. */
export interface TokenBucket {
  /** @param floor tokens to leave. @returns 0 when a call may be made now, else the milliseconds to wait. */
  take(floor?: number): Promise<number>;
  /** No call is made until then. */
  backOff(ms: number): Promise<void>;
}

const takeSource = readScript(new URL('./take-token.lua', import.meta.url));

/** @param keys both in one slot. */
export function createTokenBucket(
  redis: Redis | Cluster,
  keys: { readonly bucket: string; readonly pause: string },
  { perMinute, burst }: { readonly perMinute: number; readonly burst: number },
): TokenBucket {
  const script = defineScript(redis, takeSource);
  return {
    take: async (floor = 0) => Number(await script.run([keys.bucket, keys.pause], [perMinute, burst, floor])),
    async backOff(ms) {
      await redis.set(keys.pause, '1', 'PX', Math.max(1, Math.ceil(ms)));
    },
  };
}
