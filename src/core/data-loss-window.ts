import { restoredKey, webKeys } from './keys.ts';
import { type RedisClient, serversOf } from './redis.ts';

/**
 * How long after a restart of Redis we search Slack for a message before posting it. Recovery has begun before this
 * ends.
 */
const DOUBT_MS = 120_000;
/** How long after a restore, from the first start of a worker: its backup may be of a time with many waiting messages. */
const RESTORED_MS = 30 * 60_000;

/**
 * Tracks for how long Redis may have forgotten recent writes.
 *
 * @param storesServers false for web: the doubt is for workers, which post, and the first one may start long after web.
 */
export function createDataLossWindow(redis: RedisClient, storesServers = true) {
  /** Until the first check is complete. */
  let isNew = true;
  /** The servers that this process has stored or found as known. */
  let stored = '';
  let restarted = { sinceMs: 0, untilMs: Number.NEGATIVE_INFINITY };
  let restored = { sinceMs: 0, fromMs: 0, untilMs: Number.NEGATIVE_INFINITY };
  return {
    /**
     * @param isOther this process knew a different server before.
     * @param runIds of the servers that there are now.
     */
    async check(isOther: boolean, runIds: ReadonlySet<string>): Promise<void> {
      const nowMs = performance.now();
      if (isOther || (isNew && ((await isJustRestarted(redis)) || (await isUnknown(redis, runIds)))))
        restarted = { sinceMs: nowMs, untilMs: nowMs + DOUBT_MS };
      isNew = false;
      if (storesServers && nowMs >= restarted.untilMs && stored !== textOf(runIds)) {
        stored = textOf(runIds);
        // Not awaited: a full Redis must not hold up the check. The next process is then in doubt without need.
        redis.set(webKeys.servers, stored).catch(() => {});
      }
      const read = await readRestored(redis);
      restored = { ...read, sinceMs: read.fromMs === restored.fromMs ? restored.sinceMs : nowMs };
    },
    /**
     * Not null shortly after Redis was restarted or replaced. It may have forgotten what this or another process did,
     * so check before repeating anything that can be checked.
     *
     * @returns when this process noticed (`performance.now`).
     */
    sinceMs(): number | null {
      const doubts = [restarted, restored].filter(({ untilMs }) => performance.now() < untilMs);
      return doubts.length === 0 ? null : Math.max(...doubts.map(({ sinceMs }) => sinceMs));
    },
    /** When the recently restored backup was taken (ms). Anything posted since is in doubt. Null when none was restored. */
    restoredFromMs: (): number | null => (performance.now() < restored.untilMs ? restored.fromMs : null),
  };
}

/**
 * Starts the time in which everything posted since a restored backup is in doubt, unless it has begun. For a worker: web
 * may not write this key.
 */
export function startRestoredTime(redis: RedisClient): void {
  const start = (): void => {
    // Without an answer, the next connection tries again.
    redis.pexpire(restoredKey, RESTORED_MS, 'NX').catch(() => {});
  };
  redis.on('ready', start);
  if (redis.status === 'ready') start();
}

const textOf = (runIds: ReadonlySet<string>): string => [...runIds].toSorted().join();

/**
 * For a process that has just started: a replica may have taken over while no process ran, however long it has been up. Until
 * the doubt ends, the stored servers stay those before it, so that every process that starts meanwhile is in doubt as well.
 */
async function isUnknown(redis: RedisClient, runIds: ReadonlySet<string>): Promise<boolean> {
  const known = await redis.get(webKeys.servers);
  return known !== null && known !== textOf(runIds);
}

/** When the restored backup was taken, and until when (by our own clock) to doubt what was posted since. */
async function readRestored(redis: RedisClient): Promise<{ fromMs: number; untilMs: number }> {
  const [fromMs, ttlMs] = [await redis.get(restoredKey), await redis.pttl(restoredKey)];
  const leftMs = fromMs !== null && ttlMs === NO_EXPIRY ? RESTORED_MS : ttlMs;
  return { fromMs: Number(fromMs), untilMs: leftMs > 0 ? performance.now() + leftMs : Number.NEGATIVE_INFINITY };
}

/** No worker has started since the restore. */
const NO_EXPIRY = -1;

/** For a process that has just started: Redis restarted recently and holds data from before that restart. */
async function isJustRestarted(redis: RedisClient): Promise<boolean> {
  const since = await redis.get(webKeys.since);
  const restarts = await Promise.all(
    serversOf(redis).map(async (node) => {
      const [[seconds], info] = await Promise.all([node.time(), node.info('server')]);
      const upMs = Number(/^uptime_in_seconds:(\d+)/m.exec(info)?.[1] ?? Number.POSITIVE_INFINITY) * 1000;
      return upMs < DOUBT_MS && Number(seconds) * 1000 - upMs > Number(since);
    }),
  );
  return since !== null && restarts.some(Boolean);
}
