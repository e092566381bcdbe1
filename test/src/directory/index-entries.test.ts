import { describe, expect, it } from 'vitest';
import { directoryKey } from '../../../src/core/keys.ts';
import { DirectoryAccount, type DirectoryCard } from '../../../src/directory/account.ts';
import { interpret } from '../../../src/directory/card-query.ts';
import { createIndexReader, indexEntries, matchOf } from '../../../src/directory/index-entries.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const key = directoryKey('index');

const cardOf = (cardId: number, last4: string, status: DirectoryCard['status'] = 'ACTIVE'): DirectoryCard => ({
  cardId,
  last4,
  status,
  seenAt: '2026-11-20T15:00:00.000Z',
});
const accountOf = (over: Partial<DirectoryAccount> = {}): DirectoryAccount =>
  DirectoryAccount.parse({
    acctId: 7,
    firstName: 'Jane',
    lastName: 'Doe',
    namesAt: null,
    customId: 'EMP-7',
    isVirtual: false,
    group: null,
    accountStatus: 'OPEN',
    availableCents: null,
    email: 'Jane@Example.com',
    cards: [cardOf(71, '1234')],
    detailsAt: null,
    ...over,
  });

async function readerOf(...accounts: DirectoryAccount[]) {
  for (const entry of accounts.flatMap(indexEntries)) await redis().zadd(key, 0, entry);
  return createIndexReader(redis(), key);
}

describe('the index', () => {
  it('has each entry of an account once, also for two cards with the same last four digits', () => {
    const entries = indexEntries(accountOf({ cards: [cardOf(71, '1234'), cardOf(72, '1234')] }));

    expect(entries.filter((entry) => entry.startsWith('4:'))).toEqual(['4:1234:7']);
    expect(new Set(entries).size).toBe(entries.length);
  });

  it('lists accounts that wait for an activation, but no closed one', async () => {
    const waits = [cardOf(71, '1234', 'INACTIVE')];
    const reader = await readerOf(
      accountOf({ acctId: 1, cards: waits }),
      accountOf({ acctId: 2, cards: waits, accountStatus: 'CLOSED' }),
      accountOf({ acctId: 3 }),
    );

    expect(await reader.waiting(9)).toEqual([1]);
  });

  it('takes no number for another that begins with it', async () => {
    const reader = await readerOf(accountOf({ acctId: 7 }), accountOf({ acctId: 71, cards: [cardOf(712, '7')] }));

    expect(await reader.candidates(interpret('7'))).toEqual([7]);
    expect(await reader.beginnings('7', 9), 'of an incomplete query').toEqual(expect.arrayContaining([7, 71]));
  });
});

describe('what a query means of an account', () => {
  const two = accountOf({ acctId: 1234, cards: [cardOf(71, '1234'), cardOf(72, '5678')] });

  it.each([
    ['1234', 'account_id', [71, 72]],
    ['emp-7', 'custom_id', [71, 72]],
    ['72', 'card_id', [72]],
    ['5678', 'last4', [72]],
    ['doe jane', 'full_name', [71, 72]],
    ['jane', 'name', [71, 72]],
    ['jan', 'beginning', [71, 72]],
  ])('%j is its %s, and means its cards %j', (query, matchedBy, cards) => {
    const found = matchOf(two, interpret(query));

    expect(found?.matchedBy).toBe(matchedBy);
    expect(found?.cards.map(({ cardId }) => cardId)).toEqual(cards);
  });

  it('is nothing if its name lacks a word of the query', () => {
    expect(matchOf(two, interpret('jane marsh'))).toBeNull();
  });
});
