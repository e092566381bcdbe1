import { beforeEach, expect, it } from 'vitest';
import { createCardStates, readCardState } from '../../../src/app-home/card-state-store.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const ACCT = 7378;
const api = { nowMs: 0, reads: 0, isAway: false };
beforeEach(() => {
  Object.assign(api, { nowMs: Date.parse('2026-11-20T14:00:00Z'), reads: 0, isAway: false });
});

const refuse = async (): Promise<never> => Promise.reject(unanswered());
const deps = {
  card: {
    getAccount: refuse,
    getSpendRules: refuse,
    async getRemainingLimits() {
      api.reads += 1;
      if (api.isAway) throw unanswered();
      const daily = { period: 'daily', limitCents: 40_000, remainingCents: 40_000 - api.reads } as const;
      return { overall: [daily], categories: [] };
    },
  },
  now: () => new Date(api.nowMs),
};

/** What is left of the daily limit, for somebody who opened App Home then. */
async function leftSince(openedMs: number): Promise<number | null | undefined> {
  return (await createCardStates(redis(), deps).of(ACCT, openedMs)).limits[0]?.remainingCents;
}

it('asks the card API once after a person opened App Home, and again when they open it again', async () => {
  const openedMs = api.nowMs;
  expect(await leftSince(openedMs)).toBe(39_999);

  api.nowMs += 3_600_000;
  expect(await leftSince(openedMs), 'an hour later').toBe(39_999);
  expect(await leftSince(api.nowMs), 'opened again').toBe(39_998);
  expect(await leftSince(api.nowMs)).toBe(39_998);
});

it('asks again after the card has changed', async () => {
  await leftSince(api.nowMs);
  await createCardStates(redis(), deps).forget(ACCT);

  expect(await leftSince(api.nowMs)).toBe(39_998);
});

it('does not ask again until then if the card API did not answer', async () => {
  api.isAway = true;
  const first = await createCardStates(redis(), deps).of(ACCT, api.nowMs);
  api.isAway = false;

  expect(first).toMatchObject({
    cards: null,
    balance: null,
    hasLimits: false,
    readAt: '2026-11-20T14:00:00.000Z',
  });
  expect(await createCardStates(redis(), deps).of(ACCT, api.nowMs)).toEqual(first);
});

it('reads what the card API returns and says when it asked', async () => {
  expect(await readCardState(ACCT, deps)).toMatchObject({ hasLimits: true, readAt: '2026-11-20T14:00:00.000Z' });
});
