import { redisNow } from '../../src/core/clock.ts';
import { webKeys } from '../../src/core/keys.ts';
import type { RedisClient } from '../../src/core/redis.ts';
import { createWorkers } from '../../src/ops/health.ts';

/** A web process reports every five seconds that it is alive, even while it refuses webhooks. */
const WEB_SILENT_MS = 7000;

/** When a web process last reported that it is alive, and each worker that counts as alive (ms), on Redis' clock. */
export async function readBeats(redis: RedisClient) {
  const [seen, workers, nowMs] = await Promise.all([
    redis.get(webKeys.alive),
    createWorkers(redis).all(),
    redisNow(redis),
  ]);
  return { webMs: Number(seen), workersMs: workers.map(({ atMs }) => atMs), nowMs };
}

/** When the last process reported that it is alive (ms). Null: none is. A killed worker counts as alive for 45 seconds. */
export async function lastBeat(redis: RedisClient): Promise<number | null> {
  const { webMs, workersMs, nowMs } = await readBeats(redis);
  const isWeb = nowMs - webMs < WEB_SILENT_MS;
  const beats = [...(isWeb ? [webMs] : []), ...workersMs];
  return beats.length === 0 ? null : Math.max(...beats);
}
