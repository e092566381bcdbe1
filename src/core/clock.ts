import type { RedisClient } from './redis.ts';

const MEASURE_EVERY_MS = 10_000;

/** Redis' time in milliseconds, with a fraction. */
export async function redisNow(redis: Pick<RedisClient, 'time'>): Promise<number> {
  const [seconds, microseconds] = await redis.time();
  return Number(seconds) * 1000 + Number(microseconds) / 1000;
}

/**
 * The time that all processes share: Redis' clock. Nothing depends on the machine's clock, because it may be wrong.
 *
 * @param elapsed milliseconds on a clock that never jumps.
 */
export function createClock(
  redis: Pick<RedisClient, 'time'>,
  elapsed: () => number = () => performance.now(),
  machine: () => number = Date.now,
) {
  let aheadMs: number | null = null;
  const now = (): Date => new Date(aheadMs === null ? machine() : Math.floor(elapsed() + aheadMs));
  return {
    /**
     * Redis' time from the last measurement, plus the time elapsed since. Before the first measurement: the machine's
     * clock.
     */
    now,
    async measure(): Promise<Date> {
      aheadMs = (await redisNow(redis)) - elapsed();
      return now();
    },
  };
}

/** A clock for the process that faces the internet: it reads Redis' time on each connection and every few seconds. */
export function watchClock(redis: RedisClient) {
  const { now, measure } = createClock(redis);
  const ask = (): void => {
    if (redis.status !== 'ready') return;
    // Keep using the last measurement while Redis is down.
    measure().catch(() => {});
  };
  redis.on('ready', ask);
  const timer = setInterval(ask, MEASURE_EVERY_MS).unref();
  ask();
  return {
    now,
    stop(): void {
      clearInterval(timer);
      redis.off('ready', ask);
    },
  };
}
