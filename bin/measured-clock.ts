import { createClock } from '../src/core/clock.ts';
import type { RedisClient } from '../src/core/redis.ts';

/** The shared clock for a command at a terminal, which ends soon. */
export async function measuredClock(redis: Pick<RedisClient, 'time'>): Promise<() => Date> {
  const { now, measure } = createClock(redis);
  await measure();
  return now;
}
