import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BusyError, TooLateError } from './errors.ts';
import { stateKey } from './keys.ts';
import type { Log } from './log.ts';
import type { RedisClient } from './redis.ts';
import { defineScript, readScript } from './redis-script.ts';

/** How long a lock outlives an owner that died. */
const LOCK_TTL_MS = 8_000;
const RETRY_MS = 40;
/** An owner that waits longer than this for confirmation may have lost the lock. */
const CONFIRM_MAX_MS = 2_000;

const renewSource = readScript(new URL('./renew-lock.lua', import.meta.url));
const freeSource = readScript(new URL('./free-lock.lua', import.meta.url));

/** A key that at most one owner holds at a time. Expires unless the owner renews it. */
export function createOwnedKey(redis: RedisClient) {
  const renew = defineScript(redis, renewSource);
  const free = defineScript(redis, freeSource);
  return {
    /** @returns true when nobody held it. */
    take: async (key: string, owner: string, ttlMs: number): Promise<boolean> =>
      (await redis.set(key, owner, 'PX', ttlMs, 'NX')) === 'OK',
    /** @returns false when the owner no longer holds it. */
    renew: async (key: string, owner: string, ttlMs: number): Promise<boolean> =>
      (await renew.run([key], [owner, ttlMs])) === 1,
    /** Does nothing when the owner no longer holds it. */
    async free(key: string, owner: string): Promise<void> {
      await free.run([key], [owner]);
    },
  };
}

/** A lock as its owner sees it. */
export interface Lease {
  /**
   * Call immediately before anything that must not overlap with the next owner's work. An owner that was frozen for
   * longer than its lock learns here that others may have worked in the meantime.
   *
   * @throws TooLateError when someone else may own the lock.
   */
  confirm(): Promise<void>;
}

/**
 * All locks, so that a misspelled one is an error. Who needs the lock of a request and that of an account takes that of
 * the request first.
 */
export type LockName =
  | `account:${number}`
  | `account:${number}:${'orders' | 'purchases' | 'status'}`
  | `fraud-report:${number}`
  | `mutes:${number}`
  | 'recent-raises'
  | `order:${string}`
  | `virtual-card:${string}`
  | `request:${string}`
  | `alert:${string}`
  | `message:${string}:${string}`
  | `claim:${string}`
  | `claims-of:${string}`
  | `delegate:${string}`
  | 'subscriptions'
  | `preference:${string}:${string}`
  | `${'alert-length' | 'digest' | 'quiet' | 'warnings'}:${string}`
  | 'directory-fill'
  | 'own-digests'
  | 'recovery'
  | `redo:${string}`;

/**
 * Runs `work` while no process runs other work under the same name.
 *
 * @param outer the lease of a lock that the caller already holds; confirmed together with this one.
 */
export type WithLock = <T>(name: LockName, work: (lease: Lease) => Promise<T>, outer?: Lease) => Promise<T>;

interface LockOptions {
  readonly maxWaitMs?: number;
  /** Called once for each lock that its owner lost. */
  readonly log?: Pick<Log, 'warn'>;
}

/**
 * Serializes work that must not overlap: two people acting on one account, two events of one card.
 *
 * The lock of an owner that died expires after 8 seconds. Work that outlives its lock, in a frozen process, may overlap
 * with the next owner's. So call {@link Lease.confirm} before anything that must not overlap, and make everything else
 * safe to repeat.
 *
 * @throws BusyError when the lock was not free within `maxWaitMs`.
 */
export function createLock(redis: RedisClient, { maxWaitMs = 60_000, log }: LockOptions = {}): WithLock {
  const lock = createOwnedKey(redis);

  return async function withLock(name, work, outer) {
    const key = stateKey(`lock:${name}`);
    const owner = randomBytes(12).toString('hex');
    const deadline = performance.now() + maxWaitMs;
    while (!(await lock.take(key, owner, LOCK_TTL_MS))) {
      if (performance.now() > deadline) throw new BusyError('the lock was not free in time');
      await sleep(RETRY_MS);
    }
    let isLost = false;
    const renew = async (): Promise<void> => {
      if (isLost || (await lock.renew(key, owner, LOCK_TTL_MS))) return;
      isLost = true;
      log?.warn({ lock: name }, 'could not renew a lock: its owner stops writing');
    };
    const renewing = setInterval(() => {
      renew().catch(() => {
        // The lock expires on its own if Redis stays down.
      });
    }, LOCK_TTL_MS / 3);
    const confirm = async (): Promise<void> => {
      await outer?.confirm();
      const askedAt = performance.now();
      await renew();
      if (isLost || performance.now() - askedAt > CONFIRM_MAX_MS)
        throw new TooLateError('someone else may own the lock');
    };
    try {
      return await work({ confirm });
    } finally {
      clearInterval(renewing);
      await lock.free(key, owner);
    }
  };
}
