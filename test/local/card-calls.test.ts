import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CardCalls, watchCardCalls } from '../../local/card-calls.ts';
import { demoSeed, HERO_MERCHANT, heroPurchases } from '../../local/cast.ts';
import { TILL_AMOUNT } from '../../local/till.ts';
import { purchase, wouldApprove } from '../../sandbox/engine/purchase.ts';
import type { ApiCall } from '../../sandbox/server.ts';
import type { Account } from '../../sandbox/state/account.ts';
import { bareWorld } from '../sandbox/bare-world.ts';

let folder: string;
let calls: CardCalls;
let apiCalls: ApiCall[];
let sam: Account;
/** What was tried, in order, each with its outcome. */
let tried: string[];

beforeEach(() => {
  vi.useFakeTimers();
  folder = mkdtempSync(join(tmpdir(), 'card-calls-'));
  const { world } = bareWorld({ seed: demoSeed });
  sam = world.state.accounts.find(({ firstName }) => firstName === 'Sam') as Account;
  apiCalls = [];
  tried = [];
  calls = watchCardCalls(
    {
      calls: apiCalls,
      wouldApprove: (request) => wouldApprove(world, request),
      purchase(request) {
        const answer = purchase(world, request);
        tried.push(`${request.Amount} at ${request.MerchantName}: ${answer.Approved ? 'approved' : 'declined'}`);
        return answer;
      },
    },
    join(folder, 'card-service.log'),
  );
});

afterEach(() => {
  calls.stop();
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

const pay = (Amount: number, MerchantName: string, more: object = {}) =>
  calls.purchase({ AcctId: sam.acctId, Amount, MerchantName, MCCCode: '5812', ...more });

/** Cardbell writes these spend rules. Returns what Sam then tries. */
async function change(rules: Partial<Account['spendRules']>): Promise<string[]> {
  Object.assign(sam.spendRules, rules);
  return await answered(`SpendRules/${sam.acctId}/Advanced`);
}

/** Cardbell changes something by `PUT /v4/Card/…`. Returns what Sam then tries. */
async function answered(path: string): Promise<string[]> {
  const before = tried.length;
  const at = new Date();
  apiCalls.push({ method: 'PUT', path: `/v4/Card/${path}`, query: '', body: {}, status: 200, done: 200, at });
  await vi.advanceTimersByTimeAsync(10_000);
  return tried.slice(before);
}

describe('a holder whose purchase was declined', () => {
  beforeEach(() => {
    for (const one of heroPurchases) calls.purchase({ AcctId: sam.acctId, ...one });
  });

  it('tries again once the limit is raised, and not when it goes back', async () => {
    expect(await change({ DailySpendLimit: 180.5 })).toEqual([`84.1 at ${HERO_MERCHANT}: approved`]);
    expect(await change({ DailySpendLimit: 150 })).toEqual([]);
  });

  it('tries again when a second raise is smaller than one that was taken back', async () => {
    await change({ DailySpendLimit: 400 });
    await change({ DailySpendLimit: 150 });
    pay(20, 'Stone Oven Pizza');

    expect(await change({ DailySpendLimit: 200.5 })).toEqual(['20 at Stone Oven Pizza: approved']);
  });

  it('does not try in vain when another limit goes back, or an opened rule is closed', async () => {
    await change({ WeeklySpendLimit: 500 });
    pay(30, 'Librairie des Quais', { MerchantCountry: 'FR' });
    pay(31, 'Librairie du Midi', { MerchantCountry: 'FR' });

    expect(await change({ WeeklySpendLimit: 300 })).toEqual([]);
    expect(await change({ InternationalSpendEnabled: true })).toEqual(['31 at Librairie du Midi: approved']);
    expect(await change({ InternationalSpendEnabled: false })).toEqual([]);
  });

  it.each([
    ['the first decline', 180.5, `84.1 at ${HERO_MERCHANT}`],
    ['what the cash register offers initially', 158.8, `${Number(TILL_AMOUNT)} at Bluebird Bistro`],
  ])('pays the one of two purchases that a raise was made for: %s', async (_, limit, paid) => {
    expect(pay(Number(TILL_AMOUNT), 'Bluebird Bistro').Approved).toBe(false);

    expect(await change({ DailySpendLimit: limit })).toEqual([`${paid}: approved`]);
  });

  it('does not try again while the card is blocked, nor after a wrong PIN', async () => {
    const [card] = sam.cards;
    card.status = 'BLOCKED';
    pay(12.5, 'Saffron Table');
    expect(await answered(`Status/${sam.acctId}`)).toEqual([]);

    card.status = 'ACTIVE';
    pay(10, 'Maple & Rye', { Pin: 'wrong' });
    expect(await answered(`Status/${sam.acctId}`)).toEqual(['12.5 at Saffron Table: approved']);
    expect(await answered(`Status/${sam.acctId}`)).toEqual([]);
  });
});
