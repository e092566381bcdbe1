import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailableError, TooLateError } from './errors.ts';
import { stateKey } from './keys.ts';
import type { Log } from './log.ts';
import type { RedisClient } from './redis.ts';
import { defineScript, readScript } from './redis-script.ts';

/** How long a lock outlives an owner that died. */
const LOCK_TTL_MS = 8_000;
const RETRY_MS = 40;
/** An owner that waits longer for the answer that it holds the lock may not hold it any more. */
const CONFIRM_MAX_MS = 2_000;

const renewSource = readScript(new URL('./renew-lock.lua', import.meta.url));
const freeSource = readScript(new URL('./free-lock.lua', import.meta.url));

/** A key that at most one owner holds at a time, and that expires unless the owner renews it. */
export function createOwnedKey(redis: RedisClient) {
  const renew = defineScript(redis, renewSource);
  const free = defineScript(redis, freeSource);
  return {
    /** @returns true when nobody held it. */
    take: async (key: string, owner: string, ttlMs: number): Promise<boolean> =>
      (await redis.set(key, owner, 'PX', ttlMs, 'NX')) === 'OK',
    /** @returns false when the owner does not hold it any more. */
    renew: async (key: string, owner: string, ttlMs: number): Promise<boolean> =>
      (await renew.run([key], [owner, ttlMs])) === 1,
    /** Does nothing when the owner does not hold it any more. */
    async free(key: string, owner: string): Promise<void> {
      await free.run([key], [owner]);
    },
  };
}

/** What the owner of a lock knows of it. */
export interface Lease {
  /**
   * To be asked immediately before anything that must not overlap with what the next owner does. An owner that stood still
   * for longer than its lock learns here that others have worked meanwhile.
   *
   * @throws TooLateError when somebody else may own the lock.
   */
  confirm(): Promise<void>;
}

/**
 * Runs `work` while no process runs other work under the same name.
 *
 * @param outer of the lock that the caller holds already: it is confirmed together with this one.
 */
export type WithLock = <T>(name: string, work: (lease: Lease) => Promise<T>, outer?: Lease) => Promise<T>;

interface LockOptions {
  readonly maxWaitMs?: number;
  /** Told once of each lock that its owner lost. */
  readonly log?: Pick<Log, 'warn'>;
}

/**
 * Serializes what must not overlap: two people acting on one account, two events of one card.
 *
 * The lock of an owner that died expires after 8 seconds. Work that outlives its lock, in a frozen process, may overlap
 * with the next: what must not is preceded by {@link Lease.confirm}, everything else must be safe to repeat.
 *
 * @throws StoreUnavailableError when the lock was not free within `maxWaitMs`.
 */
export function createLock(redis: RedisClient, { maxWaitMs = 60_000, log }: LockOptions = {}): WithLock {
  const lock = createOwnedKey(redis);

  return async function withLock(name, work, outer) {
    const key = stateKey(`lock:${name}`);
    const owner = randomBytes(12).toString('hex');
    const deadline = performance.now() + maxWaitMs;
    while (!(await lock.take(key, owner, LOCK_TTL_MS))) {
      if (performance.now() > deadline) throw new StoreUnavailableError('the lock was not free in time');
      await sleep(RETRY_MS);
    }
    let isLost = false;
    const renew = async (): Promise<void> => {
      if (isLost || (await lock.renew(key, owner, LOCK_TTL_MS))) return;
      isLost = true;
      log?.warn({ lock: name }, 'a lock could not be renewed: its owner does not write any more');
    };
    const renewing = setInterval(() => {
      renew().catch(() => {
        // The lock runs out by itself if Redis stays away.
      });
    }, LOCK_TTL_MS / 3);
    const confirm = async (): Promise<void> => {
      await outer?.confirm();
      const askedAt = performance.now();
      await renew();
      if (isLost || performance.now() - askedAt > CONFIRM_MAX_MS)
        throw new TooLateError('the lock may be somebody else’s by now');
    };
    try {
      return await work({ confirm });
    } finally {
      clearInterval(renewing);
      await lock.free(key, owner);
    }
  };
}
