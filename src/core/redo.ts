import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { contentId } from './content-id.ts';
import { createDataLossWindow } from './data-loss-window.ts';
import { within } from './deadline.ts';
import { StoreUnavailableError } from './errors.ts';
import { webKeys } from './keys.ts';
import type { Log } from './log.ts';
import { isOutOfMemory, isStoreTrouble, type RedisClient, runIdsOf } from './redis.ts';
import { createRepeatedCheck } from './repeated-check.ts';

/** A Redis that syncs once a second may lose two seconds of writes; a slow disk or a replica may lose more. */
const KEPT_MS = 15_000;
const KEPT_MAX = 20_000;
/** Writes without a key within this time count as one: a burst makes thousands in a second. */
const TOGETHER_MS = 5;
/** How long other processes need to notice that they must repeat their own writes. */
const OTHERS_MS = 1000;
/** How long at most to wait for other processes to repeat their writes, also when one dies while doing so. */
const OTHERS_MAX_MS = 10_000;
const OTHERS_SECONDS = 60;
const OTHERS_CHECK_MS = 100;
const CHECK_EVERY_MS = 1000;
/** Retry interval and number of tries for a write that Redis rejects although it is connected. */
const AGAIN_MS = 500;
const TRIES = 10;
/** A server that does not answer a check within this time counts as down. */
const ANSWER_MS = 1000;

/** Repeats writes that Redis acknowledged and then lost. */
export type Redo = ReturnType<typeof createRedo>;

interface RedoOptions {
  readonly onLoss?: () => void;
  readonly othersMaxMs?: number;
  /** See {@link createDataLossWindow}. */
  readonly storesServers?: boolean;
}

/**
 * Redis may come back with older data after a crash, a power failure or a failover. It is then a new process with a new
 * run id. This process remembers its recent writes in memory and repeats them.
 *
 * @param onLoss called when data may have been lost, after the remembered writes were repeated.
 * @param othersMaxMs how long to wait for other processes to repeat their writes. Without the wait, their work would be
 * done twice.
 */
export function createRedo(
  redis: RedisClient,
  log: Log,
  { onLoss = () => {}, othersMaxMs = OTHERS_MAX_MS, storesServers = true }: RedoOptions = {},
) {
  const repeating = createRepeating(redis);
  const absence = createAbsence();
  /** Since then, Redis may lack writes of this process: when the last check that found every known server began. */
  let foundMs = performance.now();
  const writes = createWriteLog(redis, log, () => foundMs);
  const servers = createServers(redis, storesServers);
  let [losses, isUntold] = [0, true];
  const check = createRepeatedCheck(checkServers);
  redis.on('close', absence.begin);
  redis.on('ready', check.start);
  // A server that hangs keeps its connection open, and servers of a cluster come and go while its client stays ready.
  const timer = setInterval(() => {
    if (redis.status === 'ready' && !check.isChecking()) check.start();
  }, CHECK_EVERY_MS).unref();
  if (redis.status === 'ready') check.start();

  return {
    /**
     * @param again repeats an acknowledged write; must have no effect when the write is still there.
     * @param key only the latest of several writes with the same key is repeated. Omitted: each is.
     */
    remember: writes.remember,
    /** How often Redis may have come back older. If this changes during a write, part of that write may be lost. */
    losses: () => losses,
    dataLossSinceMs: servers.dataLossSinceMs,
    restoredFromMs: servers.restoredFromMs,
    /** Resolves when Redis has everything this process wrote, as far as the process knows. */
    settled: absence.over,
    isSettled: (): boolean => !absence.isAway(),
    /** Call it when nothing waits any more: whatever still waits never continues, because it would work with older data. */
    stop(): void {
      clearInterval(timer);
      redis.off('close', absence.begin);
      redis.off('ready', check.start);
    },
  };

  /** @returns whether to check again. */
  async function checkServers(): Promise<boolean> {
    let beganMs = performance.now();
    try {
      const { ids, isOther } = await servers.look();
      if (isOther) {
        losses += 1;
        // A server may be replaced while the connection to it, or to a proxy, stays open.
        absence.begin();
        await repeating.announce(ids, () => writes.again());
        onLoss();
        await sleep(OTHERS_MS);
        await repeating.waitForOthers(ids, othersMaxMs);
        // Only now, so that the next check repeats whatever was interrupted.
        servers.know(ids);
        beganMs = performance.now();
      }
    } catch (error) {
      // Down again: the next connection checks again.
      if (redis.status !== 'ready') return false;
      if (isStoreTrouble(error)) {
        // The client stays ready while its server hangs, or while one server of a cluster is down.
        absence.begin();
        return true;
      }
      // This user may not read the run id, so we cannot detect a replaced server.
      if (isUntold) log.warn({ err: error }, 'cannot tell whether redis was replaced');
      isUntold = false;
    }
    if (check.isOutdated()) return false;
    foundMs = beganMs;
    absence.end();
    return false;
  }
}

/** The servers that this process knows by their run ids. */
function createServers(redis: RedisClient, storesServers: boolean) {
  const lossWindow = createDataLossWindow(redis, storesServers);
  let known: ReadonlySet<string> = new Set();
  return {
    dataLossSinceMs: lossWindow.sinceMs,
    restoredFromMs: lossWindow.restoredFromMs,
    /**
     * The servers that there are now, and whether a known one is no longer among them.
     *
     * @throws StoreUnavailableError when Redis does not answer in time.
     */
    look: () =>
      within(ANSWER_MS, look(), () => {
        throw new StoreUnavailableError('redis does not answer');
      }),
    know(ids: ReadonlySet<string>): void {
      known = ids;
    },
  };

  async function look() {
    const ids = await runIdsOf(redis);
    const isOther = [...known].some((id) => !ids.has(id));
    // At once: a Redis that is replaced from now on may lack what this process writes meanwhile.
    if (!isOther) known = ids;
    await lossWindow.check(isOther, ids);
    return { ids, isOther };
  }
}

/**
 * Which processes are repeating lost writes: a process with few writes must not continue before the others have
 * finished.
 */
function createRepeating(redis: RedisClient) {
  const own = randomUUID();
  // One key per run of Redis: a Redis that comes back older may still hold the names from an earlier time.
  const keyOf = (runIds: ReadonlySet<string>): string =>
    `${webKeys.repeating}:${contentId('', [...runIds].toSorted())}`;
  return {
    async announce(runIds: ReadonlySet<string>, repeat: () => Promise<void>): Promise<void> {
      const key = keyOf(runIds);
      try {
        await redis.sadd(key, own);
        await redis.expire(key, OTHERS_SECONDS);
      } catch (error) {
        // Do not wait for a full Redis: the work that frees memory waits for us.
        if (!isOutOfMemory(error)) throw error;
      }
      await repeat();
      await redis.srem(key, own);
    },
    async waitForOthers(runIds: ReadonlySet<string>, maxMs: number): Promise<void> {
      const untilMs = performance.now() + maxMs;
      while (performance.now() < untilMs && (await redis.scard(keyOf(runIds))) > 0) await sleep(OTHERS_CHECK_MS);
    },
  };
}

/** The time in which nothing continues: from losing the connection, or a failed check, until a check is done. */
function createAbsence() {
  let isAway = false;
  let over = Promise.resolve();
  let release = (): void => {};
  return {
    begin(): void {
      if (isAway) return;
      isAway = true;
      over = new Promise((resolve) => {
        release = resolve;
      });
    },
    end(): void {
      isAway = false;
      release();
    },
    isAway: () => isAway,
    over: () => over,
  };
}

/**
 * What this process wrote recently, and how to write it again.
 *
 * @param foundMs when Redis was last found to be the same. What was written since, or shortly before, is not dropped for its
 * age.
 */
function createWriteLog(redis: RedisClient, log: Log, foundMs: () => number) {
  interface Kept {
    /** When it was written last. */
    atMs: number;
    readonly again: (() => Promise<unknown>)[];
  }
  /** In order of writing. */
  const writes = new Map<unknown, Kept>();
  /** The last of them, if it has no key. */
  let tail: Kept | null = null;
  let prunedAtMs = performance.now();
  const keptFromMs = (): number => foundMs() - KEPT_MS - TOGETHER_MS;
  return {
    remember(again: () => Promise<unknown>, key?: string): void {
      const atMs = performance.now();
      if (key === undefined && tail !== null && atMs - tail.atMs < TOGETHER_MS) {
        tail.again.push(again);
        return;
      }
      const kept = { atMs, again: [again] };
      tail = key === undefined ? kept : null;
      writes.delete(key);
      writes.set(key ?? kept, kept);
      if (atMs - prunedAtMs < KEPT_MS && writes.size < 2 * KEPT_MAX) return;
      prunedAtMs = atMs;
      let tooMany = writes.size - KEPT_MAX;
      for (const [old, kept] of writes) {
        if (kept.atMs >= keptFromMs() && tooMany <= 0) break;
        writes.delete(old);
        tooMany -= 1;
      }
    },
    async again(): Promise<void> {
      const sinceMs = keptFromMs();
      const lost = [...writes.values()].filter(({ atMs }) => atMs >= sinceMs);
      const count = lost.reduce((sum, { again }) => sum + again.length, 0);
      log.warn({ writes: count }, 'redis was restarted or replaced; repeating the writes that it may have lost');
      for (const kept of lost) {
        for (const again of kept.again) await repeat(again);
        // Redis may come back older once more, and without this write.
        kept.atMs = performance.now();
      }
    },
  };

  /** @throws when Redis is down again. All writes are then repeated when it is back. */
  async function repeat(again: () => Promise<unknown>): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await again();
        return;
      } catch (error) {
        if (redis.status !== 'ready') throw error;
        if (tries === TRIES || !isStoreTrouble(error)) {
          log.error({ err: error }, 'could not repeat a lost write');
          // Do not wait for a full Redis: the work that frees memory waits for us. Any other trouble counts as down.
          if (isStoreTrouble(error) && !isOutOfMemory(error)) throw error;
          return;
        }
        await sleep(AGAIN_MS);
      }
    }
  }
}
