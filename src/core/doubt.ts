import { restoredKey, webKeys } from './keys.ts';
import { type RedisClient, serversOf } from './redis.ts';

/** How long after a restart of Redis what is posted is looked for first. Recovery has begun by then. */
const DOUBT_MS = 120_000;

/** Until when it is to be expected that Redis has forgotten something. */
export function createDoubt(redis: RedisClient) {
  let restarted = { sinceMs: 0, untilMs: Number.NEGATIVE_INFINITY };
  let restored = { sinceMs: 0, fromMs: 0, untilMs: Number.NEGATIVE_INFINITY };
  return {
    /** @param isOther the server is not the one that this process knew; `isNew`: it knew none. */
    async look({ isOther, isNew }: { readonly isOther: boolean; readonly isNew: boolean }): Promise<void> {
      const nowMs = performance.now();
      if (isOther || (isNew && (await isJustRestarted(redis))))
        restarted = { sinceMs: nowMs, untilMs: nowMs + DOUBT_MS };
      const read = await readRestored(redis);
      restored = { ...read, sinceMs: read.fromMs === restored.fromMs ? restored.sinceMs : nowMs };
    },
    /**
     * Not null shortly after Redis was restarted or replaced: it may have forgotten what was done, by other processes as
     * well, so what can be looked up is looked up before it is done again.
     *
     * @returns when this process noticed it (`performance.now`).
     */
    sinceMs(): number | null {
      const doubts = [restarted, restored].filter(({ untilMs }) => performance.now() < untilMs);
      return doubts.length === 0 ? null : Math.max(...doubts.map(({ sinceMs }) => sinceMs));
    },
    /** When the backup was taken (ms) that was restored lately: what was posted since then is in doubt. Null: there was none. */
    restoredFromMs: (): number | null => (performance.now() < restored.untilMs ? restored.fromMs : null),
  };
}

/** Since when, and until when on our own clock, messages may have been posted that a restored Redis does not know. */
async function readRestored(redis: RedisClient): Promise<{ fromMs: number; untilMs: number }> {
  const [fromMs, leftMs] = [await redis.get(restoredKey), await redis.pttl(restoredKey)];
  return { fromMs: Number(fromMs), untilMs: leftMs > 0 ? performance.now() + leftMs : Number.NEGATIVE_INFINITY };
}

/** For a process that has just started itself: what Redis holds is older than its present run. */
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
