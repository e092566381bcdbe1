import { webKeys } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { createWorkers } from '../ops/health.ts';

/** A web process says at least every five seconds that it is alive, also while it takes no webhooks. */
const WEB_SILENT_MS = 7000;

/** When the last process said that it is alive (ms); null: none is. A worker that was killed counts for 45 seconds. */
export async function lastBeat(redis: RedisClient): Promise<number | null> {
  const [seen, workers, time] = await Promise.all([
    // Older builds say only that they take webhooks.
    redis.mget(webKeys.alive, webKeys.open),
    createWorkers(redis).all(),
    redis.time(),
  ]);
  const web = Math.max(...seen.map(Number));
  const isWeb = Number(time[0]) * 1000 - web < WEB_SILENT_MS;
  const beats = [...(isWeb ? [web] : []), ...workers.map(({ atMs }) => atMs)];
  return beats.length === 0 ? null : Math.max(...beats);
}
