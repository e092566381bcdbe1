import { setTimeout as sleep } from 'node:timers/promises';
import { directoryKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { createTokenBucket } from '../core/token-bucket.ts';

/** How often the directory may call the card API, across all workers. */
export type ApiQuota = typeof apiQuotaDefaults;

export const apiQuotaDefaults = {
  /** Minimum time between two lists of all accounts. The card service allows ten per hour. */
  listEveryMs: 6 * 60_000,
  /** Without `force`, `refresh` does not replace a list younger than this. */
  listFreshMs: 30 * 60_000,
  detailsPerMinute: 60,
  detailsBurst: 60,
  /** The part of the burst that background reads leave for people who are waiting. */
  detailsReserve: 20,
  /** Older details are read again when none are missing. */
  detailsStaleMs: 24 * 60 * 60_000,
  /** After a 429 without Retry-After. */
  backOffMs: 60_000,
};

const LIST_RETRY_MS = 30_000;
const REFUSED_MS = 60_000;
/** A pause may be over sooner than the quota said. */
const WAIT_MAX_MS = 20_000;

export function createApiQuota(redis: RedisClient, limits: ApiQuota) {
  const listLock = directoryKey('list-lock');
  const { detailsPerMinute: perMinute, detailsBurst: burst } = limits;
  const bucket = createTokenBucket(
    redis,
    { bucket: directoryKey('budget'), pause: directoryKey('pause') },
    { perMinute, burst },
  );
  const refusedKey = (acctId: number): string => directoryKey(`refused:${acctId}`);

  /** @returns 0 when an account may be read now, else the milliseconds to wait. */
  async function take(who: 'person' | 'background'): Promise<number> {
    const floor = who === 'background' ? Math.min(limits.detailsReserve, limits.detailsBurst - 1) : 0;
    return await bucket.take(floor);
  }

  return {
    take,
    /** Waits until a call that nobody waits for leaves enough of the quota to people. */
    async waitForBackground(options: { readonly signal?: AbortSignal; readonly ref?: boolean } = {}): Promise<void> {
      for (let waitMs = await take('background'); waitMs > 0; waitMs = await take('background'))
        await sleep(Math.min(waitMs, WAIT_MAX_MS), undefined, options);
    },

    /** True when no worker has listed within `listEveryMs`. The caller must then list. */
    async mayList(): Promise<boolean> {
      return (await redis.set(listLock, '1', 'PX', limits.listEveryMs, 'NX')) === 'OK';
    },

    /** A failed list may be retried soon, unless the card service gave a time. */
    async listFailed(retryAfterMs: number | null): Promise<void> {
      await redis.set(
        listLock,
        '1',
        'PX',
        Math.max(1, Math.ceil(retryAfterMs ?? Math.min(LIST_RETRY_MS, limits.listEveryMs))),
      );
    },

    /** No account is read during this time. */
    async backOff(retryAfterMs: number | undefined): Promise<void> {
      await bucket.backOff(retryAfterMs ?? limits.backOffMs);
    },

    /** The API refused this account. Avoids asking again for every alert. */
    async rememberRefused(acctId: number): Promise<void> {
      await redis.set(refusedKey(acctId), '1', 'PX', REFUSED_MS);
    },

    async wasRefused(acctId: number): Promise<boolean> {
      return (await redis.exists(refusedKey(acctId))) === 1;
    },
  };
}
