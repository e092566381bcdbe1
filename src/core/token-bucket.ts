import type { RedisClient } from './redis.ts';
import { defineScript, readScript } from './redis-script.ts';

/** How many calls may be made, over all workers together. */
export type TokenBucket = ReturnType<typeof createTokenBucket>;

const takeSource = readScript(new URL('./take-token.lua', import.meta.url));

/** @param keys both in one slot. */
export function createTokenBucket(
  redis: RedisClient,
  keys: { readonly bucket: string; readonly pause: string },
  { perMinute, burst }: { readonly perMinute: number; readonly burst: number },
) {
  const script = defineScript(redis, takeSource);
  return {
    /** @param floor tokens to leave. @returns 0 when a call may be made now, else the milliseconds to wait. */
    take: async (floor: number = 0): Promise<number> =>
      Number(await script.run([keys.bucket, keys.pause], [perMinute, burst, floor])),
    /** No call is made until then. */
    async backOff(ms: number): Promise<void> {
      await redis.set(keys.pause, '1', 'PX', Math.max(1, Math.ceil(ms)));
    },
  };
}
