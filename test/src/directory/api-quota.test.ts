import { describe, expect, it } from 'vitest';
import { apiQuotaDefaults, createApiQuota } from '../../../src/directory/api-quota.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const quotaWith = (limits: Partial<typeof apiQuotaDefaults> = {}) =>
  createApiQuota(redis(), { ...apiQuotaDefaults, ...limits });

describe('the API quota that all workers share', () => {
  it('lets one worker list all accounts, and another soon after a failure', async () => {
    const quota = quotaWith();

    expect([await quota.mayList(), await quota.mayList()]).toEqual([true, false]);
    await quota.listFailed(1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await quota.mayList()).toBe(true);
  });

  it('reserves some requests for people while accounts are read in the background', async () => {
    const quota = quotaWith({ detailsBurst: 3, detailsReserve: 2, detailsPerMinute: 1 });

    expect(await quota.take('background'), 'first background request').toBe(0);
    expect(await quota.take('background'), 'milliseconds until the next').toBeGreaterThan(1000);
    expect([await quota.take('person'), await quota.take('person')]).toEqual([0, 0]);
    expect(await quota.take('person'), 'no request is left').toBeGreaterThan(1000);
  });

  it('blocks all requests until the pause requested by the service ends', async () => {
    const quota = quotaWith();
    await quota.backOff(30_000);

    expect(await quota.take('person')).toBeGreaterThan(29_000);
  });

  it('remembers refused accounts for a while', async () => {
    const quota = quotaWith();
    await quota.rememberRefused(7);

    expect([await quota.wasRefused(7), await quota.wasRefused(8)]).toEqual([true, false]);
  });
});
