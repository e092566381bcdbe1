import { webKeys } from '../core/keys.ts';
import type { Log } from '../core/log.ts';
import type { RedisClient } from '../core/redis.ts';
import { checkWhileOpen, createRepeatedCheck } from '../core/repeated-check.ts';

/**
 * Notices that Redis was emptied, or replaced by an empty one, while this process runs. The time when Cardbell first ran
 * is in Redis and never changes, so a later one, or none, means that everything stored with it is gone.
 *
 * @param onGone called once for each loss, and again after it failed.
 */
export function watchData(redis: RedisClient, log: Log, onGone: () => Promise<void> = async () => {}): void {
  let isFirst = true;
  let known: number | null = null;
  const check = createRepeatedCheck(async () => {
    await compare().catch((error: unknown) => log.debug({ err: error }, 'could not check the stored data'));
    return false;
  });
  if (redis.status === 'ready') check.start();
  redis.on('ready', check.start);
  // A FLUSHALL ends no connection.
  checkWhileOpen(redis, check.start);

  async function compare(): Promise<void> {
    const stored = await redis.get(webKeys.since);
    const since = stored === null ? null : Number(stored);
    if (isFirst && since === null)
      log.info({}, 'redis has no data yet: correct REDIS_URL unless this is the first start');
    isFirst = false;
    if (known !== null && (since === null || since > known)) {
      log.fatal({}, 'redis has lost all data: stop web and worker, empty redis and restore a backup');
      await onGone();
    }
    known = since;
  }
}
