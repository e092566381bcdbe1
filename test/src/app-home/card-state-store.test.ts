import { beforeEach, expect, it } from 'vitest';
import { createCardStates, readCardState } from '../../../src/app-home/card-state-store.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const ACCT = 7378;
const api = { nowMs: 0, reads: 0, isAway: false, meanwhile: async () => {} };
beforeEach(() => {
  Object.assign(api, { nowMs: Date.parse('2026-11-20T14:00:00Z'), reads: 0, isAway: false, meanwhile: async () => {} });
});

const refuse = async (): Promise<never> => Promise.reject(unanswered());
const deps = {
  card: {
    getAccount: refuse,
    getSpendRules: refuse,
    async getRemainingLimits() {
      api.reads += 1;
      const { reads } = api;
      await api.meanwhile();
      if (api.isAway) throw unanswered();
      const daily = { period: 'daily', limitCents: 40_000, remainingCents: 40_000 - reads } as const;
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

it('keeps nothing that was read before the card changed', async () => {
  api.meanwhile = async () => createCardStates(redis(), deps).forget(ACCT);
  expect(await leftSince(api.nowMs)).toBe(39_999);

  api.meanwhile = async () => {};
  expect(await leftSince(api.nowMs)).toBe(39_998);
  expect(await leftSince(api.nowMs)).toBe(39_998);
});

it('keeps the later one of two that are read at once', async () => {
  let isFirst = true;
  api.meanwhile = async () => {
    if (!isFirst) return;
    isFirst = false;
    expect(await leftSince(api.nowMs), 'the second one').toBe(39_998);
  };
  expect(await leftSince(api.nowMs), 'the first one').toBe(39_999);

  expect(await leftSince(api.nowMs)).toBe(39_998);
});

it('reads again if the process that was reading died', async () => {
  const died = new Error('while reading');
  const now = (): never => {
    throw died;
  };
  await expect(createCardStates(redis(), { ...deps, now }).of(ACCT, 0)).rejects.toThrow(died);

  expect(await leftSince(0)).toBe(39_999);
});
