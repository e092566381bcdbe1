import type { RedisClient } from './redis.ts';

/** The time that all processes share: that of Redis. The clock of the machine decides nothing, because it may be wrong. */
export type Clock = ReturnType<typeof createClock>;

/** @param elapsed milliseconds on a clock that never jumps. */
export function createClock(
  redis: Pick<RedisClient, 'time'>,
  elapsed: () => number = () => performance.now(),
  machine: () => number = Date.now,
) {
  let aheadMs: number | null = null;
  const now = (): Date => new Date(aheadMs === null ? machine() : Math.floor(elapsed() + aheadMs));
  return {
    /** By Redis as it was last asked, and by this process's own measure since then. Before that, by the machine's clock. */
    now,
    /** Asks Redis. */
    async measure(): Promise<Date> {
      const [seconds, microseconds] = await redis.time();
      aheadMs = Number(seconds) * 1000 + Number(microseconds) / 1000 - elapsed();
      return now();
    },
  };
}
