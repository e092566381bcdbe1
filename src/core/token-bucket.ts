import type { RedisClient } from './redis.ts';
import { defineScript, readScript } from './redis-script.ts';

/** Limits the number of calls across all workers. */
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
    /** @param floor tokens to leave. @returns 0 when a call is allowed now, otherwise the milliseconds to wait. */
    take: async (floor: number = 0): Promise<number> =>
      Number(await script.run([keys.bucket, keys.pause], [perMinute, burst, floor])),
    /** Blocks all calls for this long. */
    async backOff(ms: number): Promise<void> {
      await redis.set(keys.pause, '1', 'PX', Math.max(1, Math.ceil(ms)));
    },
  };
}
