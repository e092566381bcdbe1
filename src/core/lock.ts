import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, Redis } from 'ioredis';
import { StoreUnavailableError } from './errors.ts';
import { stateKey } from './keys.ts';
import { defineScript } from './redis-script.ts';

const TEMPORARY_CHANGE_MS = 8_000;
const ASK_AGAIN_MS = 40;

const renewScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`;
const freeScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

/** Runs `work` while nobody else, in any process, runs work under the same name. */
export type WithLock = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/**
 * One at a time for what must not overlap: two people acting on one account, two events of one card.
 *
 * A lock whose holder died frees itself after 8 seconds. Work that outlives its lease (a frozen process) may overlap
 * with the next, so what it does must also be safe to repeat.
 *
 * @throws StoreUnavailableError when the lock was not free within `patienceMs`.
 */
export function createLock(redis: Redis | Cluster, maxWaitMs = 60_000): WithLock {
  const renew = defineScript(redis, 'cardbellLockRenew', renewScript);
  const free = defineScript(redis, 'cardbellLockFree', freeScript);

  return async function withLock(name, work) {
    const key = stateKey(`lock:${name}`);
    const token = randomBytes(12).toString('hex');
    const deadline = performance.now() + maxWaitMs;
    while ((await redis.set(key, token, 'PX', TEMPORARY_CHANGE_MS, 'NX')) === null) {
      if (performance.now() > deadline) throw new StoreUnavailableError('somebody else holds the lock for too long');
      await sleep(ASK_AGAIN_MS);
    }
    const renewing = setInterval(() => {
      renew.run([key], [token, TEMPORARY_CHANGE_MS]).catch(() => {
        // The lease runs out by itself if Redis stays away.
      });
    }, TEMPORARY_CHANGE_MS / 3);
    try {
      return await work();
    } finally {
      clearInterval(renewing);
      await free.run([key], [token]);
    }
  };
}
