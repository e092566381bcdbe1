import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from 'ioredis';
import { contentId } from './content-id.ts';
import { within } from './deadline.ts';
import { createDoubt } from './doubt.ts';
import { StoreUnavailableError } from './errors.ts';
import { webKeys } from './keys.ts';
import type { Log } from './log.ts';
import { isStoreTrouble, type RedisClient, serversOf } from './redis.ts';

/** A Redis that syncs once a second may lose two, a slow disk or a replica some more. */
const KEPT_MS = 15_000;
const KEPT_MAX = 20_000;
/** What other processes need to notice that they have to repeat their own writes … */
const OTHERS_MS = 1000;
/** … and to do so at most; whoever dies over it is waited for as long. */
const OTHERS_MAX_MS = 10_000;
const OTHERS_SECONDS = 60;
const OTHERS_LOOK_MS = 100;
const LOOK_EVERY_MS = 1000;
/** How soon, and how often, a write is repeated that Redis does not take although it is connected. */
const AGAIN_MS = 500;
const TRIES = 10;
/** A server of a cluster that does not say within this time who it is is away. */
const ANSWER_MS = 1000;

/** Repeats writes that Redis has acknowledged and lost. */
export type Redo = ReturnType<typeof createRedo>;

/**
 * Redis may come back older than it was: after a crash, a power failure, or when a replica takes over. Then it is another
 * process, with another run id. What this process wrote shortly before is in its own memory, and is written again.
 *
 * @param onLoss told that something may have been lost, after what is known has been written again.
 * @param othersMaxMs how long other processes that still write theirs again are waited for: what they did would be done
 * a second time.
 */
export function createRedo(
  redis: RedisClient,
  log: Log,
  { onLoss = () => {}, othersMaxMs = OTHERS_MAX_MS }: { onLoss?: () => void; othersMaxMs?: number } = {},
) {
  const repeating = createRepeating(redis);
  const absence = createAbsence();
  const writes = createWriteLog(redis, log, () => absence.sinceMs() !== null);
  const doubt = createDoubt(redis);
  let known: ReadonlySet<string> = new Set();
  let losses = 0;
  const looking = createLooking(look);
  redis.on('close', absence.begin);
  redis.on('ready', looking.start);
  // The servers of a cluster come and go while its client stays ready.
  const timer = redis instanceof Cluster ? setInterval(looking.start, LOOK_EVERY_MS).unref() : undefined;
  if (redis.status === 'ready') looking.start();

  return {
    /**
     * @param again repeats a write that was acknowledged; it must add nothing when the write is still there.
     * @param key of several writes with the same key the latest is repeated.
     */
    remember: writes.remember,
    /** How often Redis may have come back older: what was written while this changed may be lost in part. */
    losses: () => losses,
    doubtSinceMs: doubt.sinceMs,
    restoredFromMs: doubt.restoredFromMs,
    /** Resolves when Redis has everything that this process wrote, as far as it knows. */
    settled: absence.over,
    isSettled: (): boolean => absence.sinceMs() === null,
    stop(): void {
      clearInterval(timer);
      redis.off('close', absence.begin);
      redis.off('ready', looking.start);
      absence.release();
    },
  };

  /** @returns whether to look again. */
  async function look(): Promise<boolean> {
    try {
      const ids = await within(ANSWER_MS, runIdsOf(redis), () => {
        throw new StoreUnavailableError('redis does not answer');
      });
      const isOther = [...known].some((id) => !ids.has(id));
      await doubt.look({ isOther, isNew: known.size === 0 });
      if (isOther) {
        losses += 1;
        const sinceMs = (absence.sinceMs() ?? performance.now()) - KEPT_MS;
        await repeating.announce(ids, () => writes.again(sinceMs));
        onLoss();
        await sleep(OTHERS_MS);
        await repeating.waitForOthers(ids, othersMaxMs);
      }
      // Only now: whatever was interrupted is done again by the next look.
      known = ids;
    } catch (error) {
      // Away again: the next connection looks again.
      if (redis.status !== 'ready') return false;
      if (isStoreTrouble(error)) {
        // The client of a cluster stays ready while one of its servers is away.
        absence.begin();
        await sleep(AGAIN_MS);
        return true;
      }
      // A server that may not tell who it is cannot be told from another.
      log.warn({ err: error }, 'redis does not say whether it is the one that it was');
    }
    if (!looking.isOutdated()) absence.end();
    return false;
  }
}

/** Looks one after the other. @param look answers whether to look again. */
function createLooking(look: () => Promise<boolean>) {
  let isLooking = false;
  /** It was connected again while it was looked at. */
  let isOutdated = false;
  return {
    isOutdated: () => isOutdated,
    start: function start(): void {
      isOutdated = isLooking;
      if (isLooking) return;
      isLooking = true;
      void look().then((isAgain) => {
        isLooking = false;
        if (isAgain || isOutdated) start();
      });
    },
  };
}

/** Which processes are writing again what a Redis has lost: one with little to write must not begin before the others end. */
function createRepeating(redis: RedisClient) {
  const own = randomUUID();
  // One for each run of Redis: one that comes back older may hold who was repeating then.
  const keyOf = (runIds: ReadonlySet<string>): string =>
    `${webKeys.repeating}:${contentId('', [...runIds].toSorted())}`;
  return {
    async announce(runIds: ReadonlySet<string>, repeat: () => Promise<void>): Promise<void> {
      const key = keyOf(runIds);
      try {
        await redis.sadd(key, own);
        await redis.expire(key, OTHERS_SECONDS);
      } catch (error) {
        // One that is full is not waited for: what is to make room waits for us.
        if (!isFull(error)) throw error;
      }
      await repeat();
      await redis.srem(key, own);
    },
    async waitForOthers(runIds: ReadonlySet<string>, maxMs: number): Promise<void> {
      const untilMs = performance.now() + maxMs;
      while (performance.now() < untilMs && (await redis.scard(keyOf(runIds))) > 0) await sleep(OTHERS_LOOK_MS);
    },
  };
}

function isFull(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('OOM');
}

/** The time in which Redis may lack what this process wrote: from the loss of the connection until it was looked at. */
function createAbsence() {
  let sinceMs: number | null = null;
  let over = Promise.resolve();
  let release = (): void => {};
  return {
    begin(): void {
      if (sinceMs !== null) return;
      sinceMs = performance.now();
      over = new Promise((resolve) => {
        release = resolve;
      });
    },
    end(): void {
      sinceMs = null;
      release();
    },
    sinceMs: () => sinceMs,
    /** Resolves when it is over. */
    over: () => over,
    /** Nobody waits for it any more. */
    release: () => release(),
  };
}

/**
 * What this process wrote lately, and how to write it again.
 *
 * @param isAway true while Redis may lack some of it: then nothing is too old, however long it takes to come back.
 */
function createWriteLog(redis: RedisClient, log: Log, isAway: () => boolean) {
  interface Kept {
    readonly atMs: number;
    readonly again: () => Promise<unknown>;
  }
  /** In the order of the writes. */
  const writes = new Map<unknown, Kept>();
  let prunedAtMs = performance.now();
  return {
    remember(again: () => Promise<unknown>, key: unknown = Symbol('write')): void {
      const atMs = performance.now();
      writes.delete(key);
      writes.set(key, { atMs, again });
      if (atMs - prunedAtMs < KEPT_MS && writes.size < 2 * KEPT_MAX) return;
      prunedAtMs = atMs;
      let tooMany = writes.size - KEPT_MAX;
      for (const [old, kept] of writes) {
        if ((isAway() || atMs - kept.atMs < KEPT_MS) && tooMany <= 0) break;
        writes.delete(old);
        tooMany -= 1;
      }
    },
    async again(sinceMs: number): Promise<void> {
      const lost = [...writes.values()].filter(({ atMs }) => atMs >= sinceMs);
      log.warn({ writes: lost.length }, 'redis was restarted or replaced, what it may have lost is written again');
      for (const { again } of lost) await repeat(again);
    },
  };

  /** @throws whatever says that Redis is away again: then all of it is repeated when it is back. */
  async function repeat(again: () => Promise<unknown>): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await again();
        return;
      } catch (error) {
        if (redis.status !== 'ready') throw error;
        // One that is full is not waited for: what is to make room waits for us. Any other is away.
        if (tries === TRIES && isStoreTrouble(error) && !isFull(error)) throw error;
        if (tries === TRIES || !isStoreTrouble(error)) {
          log.error({ err: error }, 'a lost write could not be repeated');
          return;
        }
        await sleep(AGAIN_MS);
      }
    }
  }
}

/**
 * Each server names itself anew at its start.
 *
 * @throws StoreUnavailableError when a server that has keys of the cluster is away.
 */
async function runIdsOf(redis: RedisClient): Promise<Set<string>> {
  const nodes = serversOf(redis);
  if (redis instanceof Cluster) {
    const ranges = (await nodes[0]?.cluster('SLOTS')) as [number, number, [host: string, port: number]][] | undefined;
    const owners = new Set(ranges?.map(([, , [host, port]]) => `${host}:${port}`));
    if (owners.size > nodes.length) {
      // The client forgets a server that is away, and looks for it only when it needs it.
      redis.refreshSlotsCache();
      throw new StoreUnavailableError('a server of the cluster is away');
    }
  }
  const said = await Promise.all(nodes.map(async (node) => /^run_id:(\w+)/m.exec(await node.info('server'))?.[1]));
  return new Set(said.filter((id) => id !== undefined));
}
