import type { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallOptions } from '../../../src/card-api/call.ts';
import { ATTEMPT_TIMEOUT_MS } from '../../../src/card-api/client.ts';
import { AccountDetails, Business, ListedAccount } from '../../../src/card-api/schema-account.ts';
import { type CardApiCode, CardApiError } from '../../../src/core/errors.ts';
import { CardStatusEvent, ShippingEvent, type StoredEvent, VirtualCardEvent } from '../../../src/core/event.ts';
import { directoryKey } from '../../../src/core/keys.ts';
import { createDirectory, type Directory, type DirectoryDeps } from '../../../src/directory/directory.ts';
import { useRedis } from '../../support/on-redis.ts';

const onRedis = useRedis();
let redis: Redis;
let directory: Directory;
let api: FakeApi;
let clock: Date;

beforeEach(() => {
  redis = onRedis();
  clock = new Date('2026-11-20T12:00:00Z');
  api = fakeApi();
  directory = open();
});
afterEach(async () => {
  await directory.stop();
});

function open(more: Partial<DirectoryDeps> = {}): Directory {
  return createDirectory({ redis, loader: api, now: () => clock, ...more });
}

interface FakeApi {
  accounts: Map<number, { listed: ListedAccount; details: AccountDetails }>;
  lists: number;
  loads: number[];
  failWith: (() => Promise<never>) | null;
  /** How long it takes for an account, by the clock of the test. */
  answerMs: number;
  listAccounts(): Promise<Business>;
  getAccount(acctId: number, options?: CallOptions): Promise<AccountDetails>;
}

function fakeApi(): FakeApi {
  return {
    accounts: new Map(),
    lists: 0,
    loads: [],
    failWith: null,
    answerMs: 0,
    async listAccounts() {
      this.lists += 1;
      if (this.failWith !== null) return this.failWith();
      return { ...Business.parse({}), accounts: [...this.accounts.values()].map(({ listed }) => listed) };
    },
    async getAccount(acctId, { deadlineMs = 60_000 } = {}) {
      this.loads.push(acctId);
      const mostMs = Math.min(deadlineMs, ATTEMPT_TIMEOUT_MS);
      clock = new Date(clock.getTime() + Math.min(this.answerMs, mostMs));
      if (this.answerMs > mostMs) throw apiError('unavailable', null);
      if (this.failWith !== null) return this.failWith();
      const account = this.accounts.get(acctId);
      if (account === undefined) throw apiError('refused', 403);
      return account.details;
    },
  };
}

function apiError(code: CardApiCode, status: number | null, retryAfterMs?: number): CardApiError {
  const outcome = status === null ? 'unknown' : 'refused';
  return new CardApiError('card API failed', {
    operation: 'getAccount',
    status,
    outcome,
    code,
    apiMessage: null,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

interface Person {
  first: string;
  last: string;
  cards?: { cardId: number; last4: string; status?: 'ACTIVE' | 'INACTIVE' | 'BLOCKED' | 'CLOSED' }[];
  customId?: string;
  email?: string;
  accountStatus?: string;
}

function employ(acctId: number, { first, last, cards = [], customId, email, accountStatus = 'OPEN' }: Person): void {
  const shared = {
    acctId,
    customId: customId ?? null,
    isVirtual: false,
    accountStatus,
    availableCents: 10_000,
    ledgerCents: 10_000,
    email: email ?? null,
    group: 'Field',
  };
  api.accounts.set(acctId, {
    listed: { ...shared, firstName: first, lastName: last, last4: null, cardStatus: null },
    details: {
      ...shared,
      rulesetId: null,
      contactName: `${first} ${last}`,
      cards: cards.map(({ cardId, last4, status = 'ACTIVE' }) => ({ cardId, last4, status, expiresOn: '2029-11-30' })),
    },
  });
}

function statusEvent(
  acctId: number,
  more: Partial<{ holder: string; at: string; cardId: number; last4: string; status: string }> = {},
): StoredEvent {
  const { holder = 'Jane Doe', at = '2026-11-20T11:00:00Z', cardId = 11, last4 = '1111', status = 'BLOCKED' } = more;
  return CardStatusEvent.parse({
    id: 'evt_0123456789abcdef',
    callbackAt: at,
    receivedAt: at,
    acctId,
    kind: 'card-status',
    holder,
    customId: null,
    cards: [{ cardId, last4, status, cardOrderId: null }],
  });
}

async function filled(): Promise<void> {
  await directory.refresh();
  await directory.idle();
}

const ascending = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b);
const ids = (matches: readonly { acctId: number }[]): number[] => ascending(matches.map(({ acctId }) => acctId));

it('finds a CustomId of up to 50 characters with spaces and slashes, and a masked one that looks like a card number', async () => {
  const long = `${'EMP 7 / North Wing '.repeat(2)}Building 4`;
  employ(71, { first: 'Wes', last: 'North', customId: long });
  employ(72, { first: 'Nora', last: 'South', customId: '[card ••1881]' });
  await filled();

  expect(ids(await directory.find(long.toUpperCase()))).toEqual([71]);
  expect(ids(await directory.find('4012 8888 8888 1881'))).toEqual([72]);
  expect(ids(await directory.find('••1881'))).toEqual([72]);
});

it('finds what somebody may see, however many matches they may not see', async () => {
  for (let number = 0; number < 250; number += 1) employ(5000 + number, { first: 'Noor', last: 'Haddad' });
  await directory.refresh();

  expect(ids(await directory.find('noor haddad', async ({ acctId }) => acctId === 5249))).toEqual([5249]);
  expect(await directory.find('noor haddad')).toHaveLength(200);
});

describe('finding a card', () => {
  beforeEach(async () => {
    employ(1, {
      first: 'Jane',
      last: 'Doe',
      cards: [
        { cardId: 11, last4: '1111' },
        { cardId: 12, last4: '1212', status: 'CLOSED' },
      ],
      customId: 'F1Q5',
      email: 'Jane@Example.com',
    });
    employ(2, { first: 'Janet', last: 'Doering', cards: [{ cardId: 21, last4: '2222' }] });
    employ(3, { first: 'Łukasz', last: "O'Brien-Núñez", cards: [{ cardId: 31, last4: '1111' }] });
    employ(4, { first: 'Anna', last: 'van der Berg', cards: [{ cardId: 41, last4: '4444' }] });
    employ(1111, { first: 'Li', last: 'Wei', cards: [{ cardId: 51, last4: '5555' }] });
    employ(6, { first: 'Linda', last: 'Marsh', cards: [{ cardId: 61, last4: '6666' }] });
    await filled();
  });

  it.each([
    ['2222', [2]],
    ['••2222', [2]],
    ['21', [2]],
    ['2', [2]],
    ['f1q5', [1]],
    ['jane doe', [1]],
    ['DOE, JANE', [1]],
    ['janedoe', [1]],
    ['jan', [1, 2]],
    ['jan doe', [1, 2]],
    ['doering', [2]],
    ['lukasz', [3]],
    ['obrien', [3]],
    ['Nunez', [3]],
    ['o’brien nunez', [3]],
    ['berg', [4]],
    ['vanderberg', [4]],
    ['Van Der Berg', [4]],
    ['li', [1111]],
    ['lin', [6]],
    ['wei li', [1111]],
    ['ja', []],
    ['jane marsh', []],
    ['nobody', []],
  ])('understands %j', async (query, expected) => {
    expect(ids(await directory.find(query))).toEqual(expected);
  });

  it('returns every interpretation of digits: two last fours and an account id', async () => {
    const matches = await directory.find('1111');

    expect(
      new Map(matches.map(({ acctId, matchedBy, cards }) => [acctId, [matchedBy, cards.map(({ cardId }) => cardId)]])),
    ).toEqual(
      new Map([
        [1, ['last4', [11]]],
        [3, ['last4', [31]]],
        [1111, ['account_id', [51]]],
      ]),
    );
  });

  it('returns all cards for a holder, and only one for a card', async () => {
    const [byName] = await directory.find('jane doe');
    const [byCard] = await directory.find('12');

    expect(byName?.cards.map(({ cardId, last4, status }) => [cardId, last4, status])).toEqual([
      [11, '1111', 'ACTIVE'],
      [12, '1212', 'CLOSED'],
    ]);
    expect(byCard).toMatchObject({
      matchedBy: 'card_id',
      holder: 'Jane Doe',
      customId: 'F1Q5',
      cards: [{ cardId: 12 }],
    });
  });

  it('finds people by their email address', async () => {
    expect(ids(await directory.findByEmail('jane@example.COM '))).toEqual([1]);
    expect(await directory.findByEmail('jane@example')).toEqual([]);
  });

  it('completes typed text from names, digits and CustomIds', async () => {
    expect(ids(await directory.search('j', 10))).toEqual([1, 2]);
    expect(ids(await directory.search('jane d', 10))).toEqual([1, 2]);
    expect(ids(await directory.search('doe ja', 10))).toEqual([1, 2]);
    expect(ids(await directory.search('22', 10))).toEqual([2]);
    expect(ids(await directory.search('f1', 10))).toEqual([1]);
    expect(await directory.search('', 3)).toHaveLength(3);
    expect(await directory.search('zz', 3)).toEqual([]);
  });

  it('forgets a changed name and changed digits', async () => {
    employ(2, { first: 'Janet', last: 'Miller', cards: [{ cardId: 22, last4: '2323' }] });
    clock = new Date('2026-11-22T12:00:00Z');
    await redis.del(directoryKey('list-lock'));
    await directory.refresh({ force: true });
    await directory.idle();

    expect(await directory.find('doering')).toEqual([]);
    expect(await directory.findKnown('2222')).toEqual([]);
    expect(ids(await directory.find('miller'))).toEqual([2]);
    expect(ids(await directory.find('2323'))).toEqual([2]);
    const entries = await redis.zrange(directoryKey('index'), '0', '-1');
    expect(entries.filter((entry) => entry.endsWith(':2')).toSorted()).toEqual(
      ['4:2323:2', 'a:2:2', 'c:22:2', 'n:janet:2', 'n:janetmiller:2', 'n:miller:2', 'n:millerjanet:2'].toSorted(),
    );
  });
});

describe('what the card service has removed from a card', () => {
  const full = { AccountId: 7, CustomId: 'EMP-7', Email: 'jane@example.com' };
  const name = { FirstName: 'Jane', LastName: 'Doe' };
  const none = { CustomId: null, Email: '' };
  const olderList = { AccountId: 7, ...name, CustomId: 'EMP-7' };
  const cards = { SpendingRulesetId: 0, CardList: [{ CardId: 71, Last4CardNumber: '7171', CardStatus: 'Active' }] };
  const inGroup = { ...full, ...cards, Group: { Id: 3, GroupName: 'Executives' } };

  async function read(listed: object, details: object): Promise<void> {
    api.accounts.set(7, { listed: ListedAccount.parse(listed), details: AccountDetails.parse(details) });
    await redis.del(directoryKey('list-lock'));
    await directory.refresh({ force: true });
    await directory.idle();
  }
  const known = async () => {
    const { group, customId, email } = (await directory.account(7)) ?? {};
    return { group, customId, email };
  };
  const inAGroup = { group: 'Executives', customId: 'EMP-7', email: 'jane@example.com' };
  const inNone = { group: null, customId: null, email: null };

  it.each<[string, object, object]>([
    ['the details say so', olderList, { ...full, ...cards, ...none, Group: null }],
    ['the details leave the field out', olderList, { AccountId: 7, ...cards }],
    ['the group has no name', olderList, { AccountId: 7, ...cards, Group: { Id: 0, GroupName: '' } }],
    [
      'list and details say so',
      { ...full, ...name, ...none, GroupName: null },
      { ...full, ...cards, ...none, Group: null },
    ],
  ])('is forgotten when %s', async (_when, listed, details) => {
    await read({ ...full, ...name, GroupName: 'Executives' }, inGroup);
    expect(await known()).toEqual(inAGroup);

    clock = new Date('2026-11-22T12:00:00Z');
    await read(listed, details);

    expect(await known()).toEqual(inNone);
    expect(ids(await directory.findKnown('EMP-7'))).toEqual([]);
    expect(await directory.findByEmail('jane@example.com')).toEqual([]);
    expect(ids(await directory.findKnown('jane doe'))).toEqual([7]);
  });

  it('is forgotten when the list says so, before the details are read again', async () => {
    await read({ ...full, ...name, GroupName: 'Executives' }, inGroup);

    await read({ AccountId: 7, ...name, ...none, GroupName: null }, inGroup);

    expect(await known()).toEqual(inNone);
    expect(api.loads).toEqual([7]);
  });

  it('does not come back with a webhook from before', async () => {
    await read(olderList, { AccountId: 7, ...cards });
    const event = { ...statusEvent(7, { cardId: 71, last4: '7171', status: 'ACTIVE' }), customId: 'EMP-7' };

    await directory.learn(CardStatusEvent.parse(event));
    expect(await known()).toEqual(inNone);

    clock = new Date('2026-11-20T12:01:00Z');
    api.accounts.set(7, { listed: ListedAccount.parse(olderList), details: AccountDetails.parse(inGroup) });
    await directory.learn(CardStatusEvent.parse({ ...event, callbackAt: '2026-11-20T12:00:30Z' }));
    expect(await known()).toEqual(inNone);
    await directory.idle();
    expect(await known(), 'it was read again').toEqual(inAGroup);
  });

  it('is not what the older list leaves out', async () => {
    await read(olderList, inGroup);

    await read({ AccountId: 7, ...name }, inGroup);

    expect(await known()).toEqual(inAGroup);
    expect(api.loads).toEqual([7]);
  });
});

describe('filling', () => {
  it('lists once, however many workers start, and fills in the cards', async () => {
    for (let acctId = 1; acctId <= 12; acctId += 1)
      employ(acctId, { first: `P${acctId}`, last: 'Test', cards: [{ cardId: acctId, last4: '0000' }] });
    const second = open();

    await Promise.all([directory.refresh(), second.refresh(), directory.refresh({ force: true })]);
    await Promise.all([directory.idle(), second.idle()]);

    expect(api.lists).toBe(1);
    expect(ascending(api.loads)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(await directory.status()).toEqual({ accounts: 12, lackingDetails: 0, listedAt: '2026-11-20T12:00:00.000Z' });
    await second.stop();
  });

  it('loads open accounts before closed ones', async () => {
    employ(1, { first: 'A', last: 'Closed', accountStatus: 'CLOSED' });
    employ(2, { first: 'B', last: 'Open' });

    await filled();

    expect(api.loads).toEqual([2, 1]);
  });

  it('keeps a fresh list unless forced, and even then waits until the service allows listing', async () => {
    await filled();

    await directory.refresh();
    expect(api.lists, 'it is fresh').toBe(1);
    await directory.refresh({ force: true });
    expect(api.lists, 'the service allows no other list yet').toBe(1);
    expect(await redis.pttl(directoryKey('list-lock'))).toBeGreaterThan(5 * 60_000);
    await redis.del(directoryKey('list-lock'));
    await directory.refresh({ force: true });
    expect(api.lists).toBe(2);
  });

  it('stays within its share of calls and reserves some for people', async () => {
    for (let acctId = 1; acctId <= 80; acctId += 1) employ(acctId, { first: 'P', last: `T${acctId}` });
    directory = open({ apiQuota: { detailsPerMinute: 1, detailsBurst: 30, detailsReserve: 10 } });

    await directory.refresh();
    await expect.poll(() => api.loads.length).toBe(20);
    await directory.find('7777');

    // Trying 7777 as an account id uses one of the ten.
    await expect.poll(() => api.loads.length).toBe(30);
    expect((await directory.status()).lackingDetails).toBe(80 - 29);
  });

  it('ends with the first error, even if it comes while the next account waits for the quota', async () => {
    for (let acctId = 1; acctId <= 4; acctId += 1) employ(acctId, { first: 'P', last: `T${acctId}` });
    directory = open({ apiQuota: { detailsPerMinute: 600, detailsBurst: 1, detailsReserve: 0 } });
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);
    api.getAccount = async () => {
      api.loads.push(0);
      throw new Error("OOM command not allowed when used memory > 'maxmemory'");
    };

    await directory.refresh();
    await directory.idle();
    process.off('unhandledRejection', note);

    expect(api.loads).toHaveLength(4);
    expect(unhandled, 'an error that nobody handles would end the worker').toEqual([]);
  });

  it('backs off with all other workers when the service asks for it', async () => {
    employ(1, { first: 'A', last: 'B' });
    employ(2, { first: 'C', last: 'D' });
    await directory.refresh();
    await directory.idle();
    await redis.zadd(directoryKey('details'), 0, '1');
    await redis.zadd(directoryKey('details'), 0, '2');
    api.loads = [];
    api.failWith = () => Promise.reject(apiError('rate_limited', 429, 90_000));

    await directory.refresh();
    await expect.poll(() => redis.pttl(directoryKey('pause'))).toBeGreaterThan(80_000);
    const calls = api.loads.length;
    await open().find('9999');

    expect(api.loads).toHaveLength(calls);
  });

  it('lets calls in the background wait until a pause that the service asked for is over', async () => {
    await redis.set(directoryKey('pause'), '1', 'PX', 300);

    await directory.waitForQuota();

    // In its last millisecond a key still exists, and has no time left.
    expect(await redis.pttl(directoryKey('pause'))).toBeLessThanOrEqual(0);
  });

  it('postpones the listing while the service is down, and retries soon', async () => {
    api.failWith = () => Promise.reject(apiError('unavailable', null));

    await directory.refresh();
    const retryMs = await redis.pttl(directoryKey('list-lock'));
    expect(retryMs).toBeGreaterThan(0);
    expect(retryMs).toBeLessThanOrEqual(30_000);
    await redis.del(directoryKey('list-lock'));
    api.failWith = () => Promise.reject(apiError('rate_limited', 429, 120_000));
    await directory.refresh();
    expect(await redis.pttl(directoryKey('list-lock'))).toBeGreaterThan(100_000);
  });

  it('does not retry an account that the service refuses', async () => {
    employ(1, { first: 'A', last: 'B' });
    employ(2, { first: 'C', last: 'D', cards: [{ cardId: 21, last4: '2222' }] });
    const known = api.getAccount.bind(api);
    const refuse = (acctId: number): Promise<never> => {
      api.loads.push(acctId);
      return Promise.reject(apiError('refused', 403));
    };
    api.getAccount = (acctId) => (acctId === 1 ? refuse(acctId) : known(acctId));

    await filled();

    expect(ascending(api.loads)).toEqual([1, 2]);
    expect((await directory.status()).lackingDetails).toBe(0);
  });

  it('stops filling while the service is down', async () => {
    for (let acctId = 1; acctId <= 40; acctId += 1) employ(acctId, { first: 'P', last: `T${acctId}` });
    await directory.refresh();
    await directory.idle();
    for (let acctId = 1; acctId <= 40; acctId += 1) await redis.zadd(directoryKey('details'), 0, String(acctId));
    await redis.del(directoryKey('budget'));
    api.loads = [];
    api.failWith = () => Promise.reject(apiError('unavailable', null));

    await directory.refresh();
    await directory.idle();

    expect(api.loads.length).toBeLessThanOrEqual(4);
  });
});

it('lists accounts with an inactive card up to a limit, or all of them', async () => {
  for (let acctId = 1; acctId <= 12; acctId += 1)
    employ(acctId, { first: 'P', last: 'T', cards: [{ cardId: acctId, last4: '0000', status: 'INACTIVE' }] });
  employ(13, { first: 'P', last: 'T', cards: [{ cardId: 13, last4: '0000' }] });
  await filled();

  expect(await directory.waitingForActivation(5, async (all) => all)).toHaveLength(5);
  expect(await directory.allWaitingForActivation()).toHaveLength(12);
});

describe('one account', () => {
  it('is loaded once if unknown, however many alerts need it', async () => {
    employ(7, { first: 'Jane', last: 'Doe', cards: [{ cardId: 71, last4: '7171' }] });

    const accounts = await Promise.all([directory.account(7), directory.account(7), directory.account(7)]);
    const again = await directory.account(7);

    expect(api.loads).toEqual([7]);
    expect(again).toMatchObject({
      firstName: 'Jane',
      lastName: 'Doe',
      cards: [{ cardId: 71, last4: '7171', status: 'ACTIVE' }],
    });
    expect(accounts).toEqual([again, again, again]);
  });

  it('is null, or the known facts, within about a second if the API hangs', async () => {
    await directory.learn(statusEvent(8, { holder: 'Jane Doe' }));
    await directory.idle();
    await redis.hset(
      directoryKey('accounts'),
      '8',
      (await redis.hget(directoryKey('accounts'), '8'))?.replace(/"cards":\[.*?\]/, '"cards":[]') ?? '',
    );
    await redis.del(directoryKey('refused:8'));
    api.failWith = () => new Promise(() => {});
    const startedAt = performance.now();

    const [unknown, known] = await Promise.all([directory.account(7), directory.account(8)]);

    expect(unknown).toBeNull();
    expect(known).toMatchObject({ firstName: 'Jane', cards: [] });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('is not requested repeatedly if the API refuses it', async () => {
    expect(await directory.account(999)).toBeNull();
    expect(await directory.account(999)).toBeNull();

    expect(api.loads).toEqual([999]);
  });

  it('comes directly from the API if a decision depends on it', async () => {
    employ(7, { first: 'Jane', last: 'Doe', cards: [{ cardId: 71, last4: '7171' }] });
    await filled();
    employ(7, { first: 'Jane', last: 'Doe', cards: [{ cardId: 71, last4: '7171', status: 'CLOSED' }] });
    clock = new Date('2026-11-20T12:00:01Z');

    expect((await directory.account(7))?.cards).toMatchObject([{ status: 'ACTIVE' }]);
    expect((await directory.reload(7))?.cards).toMatchObject([{ status: 'CLOSED' }]);
    api.failWith = () => Promise.reject(apiError('unavailable', null));
    expect(await directory.reload(7)).toBeNull();
  });

  it('is at most seconds old if it decides about limits, with one call for all checks of an action', async () => {
    employ(1, { first: 'Jane', last: 'Doe', email: 'jane@example.com' });
    await directory.account(1);
    employ(1, { first: 'Jane', last: 'Doe', email: 'doe@example.com' });
    const emailNow = async () => (await directory.current(1))?.email;
    expect(await emailNow()).toBe('jane@example.com');
    clock = new Date(clock.getTime() + 6000);

    expect((await directory.account(1))?.email).toBe('jane@example.com');
    expect(await Promise.all([emailNow(), emailNow()])).toEqual(['doe@example.com', 'doe@example.com']);
    expect(await emailNow()).toBe('doe@example.com');
    expect(api.loads).toEqual([1, 1]);
  });

  it('decides about limits also if the API takes seconds, and is as old as its answer', async () => {
    employ(1, { first: 'Jane', last: 'Doe', email: 'jane@example.com' });
    api.answerMs = 9000;

    expect((await directory.current(1))?.email).toBe('jane@example.com');
    clock = new Date(clock.getTime() + 4000);
    expect((await directory.current(1))?.email).toBe('jane@example.com');
    expect(api.loads).toEqual([1]);

    clock = new Date(clock.getTime() + 1000);
    await directory.current(1);
    expect(api.loads).toEqual([1, 1]);
  });

  it('is not known for such a decision while the API fails or does not answer in time', async () => {
    employ(1, { first: 'Jane', last: 'Doe' });
    await directory.account(1);
    clock = new Date(clock.getTime() + 6000);

    api.answerMs = 11_000;
    expect(await directory.current(1)).toBeNull();
    api.failWith = async () => Promise.reject(new Error('away'));
    expect(await directory.current(1)).toBeNull();
    expect(await open({ loader: null }).current(1)).toBeNull();
  });

  it('comes only from Redis in a process without the API', async () => {
    employ(7, { first: 'Jane', last: 'Doe', cards: [{ cardId: 71, last4: '7171' }] });
    await filled();
    const reader = open({ loader: null });

    expect(await reader.account(7)).toMatchObject({ acctId: 7 });
    expect(await reader.account(70)).toBeNull();
    expect(ids(await reader.find('7171'))).toEqual([7]);
    await reader.refresh();
    expect(api.lists).toBe(1);
  });
});

describe('finding an unknown card', () => {
  it('completes the cards before it reports four digits as unknown or unique', async () => {
    employ(1, { first: 'A', last: 'B', cards: [{ cardId: 11, last4: '1234' }] });
    employ(2, { first: 'C', last: 'D', cards: [{ cardId: 21, last4: '1234' }] });
    api.loads = [];
    const lister = open();
    const load = api.getAccount.bind(api);
    api.getAccount = () => Promise.reject(apiError('unavailable', null));
    await lister.refresh();
    await lister.stop();
    api.getAccount = load;
    await directory.account(1);
    expect(ids(await directory.findKnown('1234'))).toEqual([1]);

    expect(ids(await directory.find('1234'))).toEqual([1, 2]);
  });

  it('lists if it never has, so that the first command after the first start works', async () => {
    employ(1, { first: 'Jane', last: 'Doe', cards: [{ cardId: 11, last4: '1234' }] });

    expect(ids(await directory.find('jane doe'))).toEqual([1]);
    expect(ids(await open().find('1234'))).toEqual([1]);
  });

  it('loads an account by its number if it is not listed yet', async () => {
    await filled();
    employ(88, { first: 'New', last: 'Hire', cards: [{ cardId: 881, last4: '8181' }] });

    expect(await directory.find('88')).toMatchObject([{ acctId: 88, holder: 'New Hire', matchedBy: 'account_id' }]);
  });

  it('returns the known matches if the API hangs', async () => {
    employ(1, { first: 'Jane', last: 'Doe', cards: [{ cardId: 11, last4: '1234' }] });
    await filled();
    await redis.zadd(directoryKey('details'), 0, '1');
    await redis.del(directoryKey('list-lock'));
    api.failWith = () => new Promise(() => {});

    expect(ids(await directory.find('1234'))).toEqual([1]);
    expect(await directory.find('nobody')).toEqual([]);
  });
});

describe('learning from webhooks', () => {
  it('learns holder and card from a single status change', async () => {
    directory = open({ loader: null });

    await directory.learn(statusEvent(5, { holder: 'Mary Ann Smith', cardId: 55, last4: '5555', status: 'INACTIVE' }));

    expect(await directory.find('5555')).toMatchObject([
      { acctId: 5, holder: 'Mary Ann Smith', cards: [{ cardId: 55, status: 'INACTIVE' }] },
    ]);
    expect(ids(await directory.find('mary smith'))).toEqual([5]);
  });

  it('prefers newer statuses over the API, and ignores older ones', async () => {
    employ(1, { first: 'Jane', last: 'Doe', cards: [{ cardId: 11, last4: '1111', status: 'ACTIVE' }] });
    await filled();

    await directory.learn(statusEvent(1, { at: '2026-11-20T11:59:00Z', status: 'BLOCKED', holder: 'Jane Old' }));
    expect(await directory.account(1)).toMatchObject({ lastName: 'Doe', cards: [{ status: 'ACTIVE' }] });

    clock = new Date('2026-11-20T12:10:00Z');
    await directory.learn(statusEvent(1, { at: '2026-11-20T12:01:00.5Z', status: 'BLOCKED', holder: 'Jane New' }));
    expect(await directory.account(1)).toMatchObject({ lastName: 'Doe', cards: [{ status: 'BLOCKED' }] });

    await directory.learn(statusEvent(1, { at: '2026-11-20T12:01:00Z', status: 'CLOSED', holder: 'Jane Middle' }));
    expect(await directory.account(1)).toMatchObject({ cards: [{ cardId: 11, status: 'BLOCKED' }] });
  });

  it('asks the API again which is newer if a webhook came soon after an answer with another status', async () => {
    employ(1, { first: 'Jane', last: 'Doe', cards: [{ cardId: 11, last4: '1111', status: 'BLOCKED' }] });
    await filled();
    clock = new Date('2026-11-20T12:00:10Z');
    employ(1, { first: 'Jane', last: 'Doe', cards: [{ cardId: 11, last4: '1111', status: 'CLOSED' }] });

    const soon = { callbackAt: '2026-11-20T11:59:59Z', receivedAt: '2026-11-20T12:00:01Z' };
    await directory.learn(CardStatusEvent.parse({ ...statusEvent(1, { status: 'ACTIVE' }), ...soon }));
    const told = await directory.account(1);
    await directory.idle();
    const read = await directory.account(1);

    expect([told, read].map((account) => account?.cards[0]?.status)).toEqual(['ACTIVE', 'CLOSED']);
    expect(api.loads).toEqual([1, 1]);
    expect(await directory.status(), 'its cards are known').toMatchObject({ lackingDetails: 0 });
  });

  it('keeps the digits if a webhook has none', async () => {
    employ(1, { first: 'Jane', last: 'Doe', cards: [{ cardId: 11, last4: '1111', status: 'ACTIVE' }] });
    await filled();
    clock = new Date('2026-11-20T12:10:00Z');

    await directory.learn(statusEvent(1, { at: '2026-11-20T12:01:00Z', cardId: 11, last4: '', status: 'BLOCKED' }));
    await directory.learn(statusEvent(1, { at: '2026-11-20T12:01:00Z', cardId: 12, last4: '', status: 'INACTIVE' }));

    expect((await directory.account(1))?.cards).toMatchObject([
      { cardId: 11, last4: '1111', status: 'BLOCKED' },
      { cardId: 12, last4: null },
    ]);
  });

  it('keeps a status that arrived during an API call', async () => {
    employ(1, { first: 'Jane', last: 'Doe', cards: [{ cardId: 11, last4: '1111', status: 'ACTIVE' }] });
    const load = api.getAccount.bind(api);
    let answered = false;
    api.getAccount = async (acctId) => {
      const details = await load(acctId);
      if (answered) return details;
      answered = true;
      clock = new Date('2026-11-20T12:00:05Z');
      await open({ loader: null }).learn(statusEvent(1, { at: '2026-11-20T12:00:01Z', status: 'BLOCKED' }));
      return details;
    };

    await directory.account(1);

    const newsAt = '2026-11-20T12:00:01Z';
    expect((await directory.account(1))?.cards).toMatchObject([{ cardId: 11, status: 'BLOCKED', seenAt: newsAt }]);
  });

  it('keeps hints without a card id until the API names the card', async () => {
    const shipped = ShippingEvent.parse({
      id: 'evt_0123456789abcdef',
      callbackAt: '2026-11-20T11:00:00Z',
      receivedAt: '2026-11-20T11:00:00Z',
      acctId: 1,
      kind: 'card-shipping',
      trackingNumber: '94001',
      shippingMethod: 'USPS',
      last4: '3333',
      cardOrderId: 1,
    });
    const reader = open({ loader: null });
    await reader.learn(shipped);
    await reader.learn(shipped);
    expect(await reader.find('3333')).toMatchObject([
      { acctId: 1, cards: [{ cardId: null, last4: '3333', status: null }] },
    ]);

    await reader.learn(statusEvent(1, { cardId: 33, last4: '3333', status: 'INACTIVE' }));
    expect((await reader.account(1))?.cards).toMatchObject([{ cardId: 33, last4: '3333', status: 'INACTIVE' }]);

    employ(1, {
      first: 'Jane',
      last: 'Doe',
      cards: [
        { cardId: 30, last4: '3030' },
        { cardId: 33, last4: '3333', status: 'ACTIVE' },
      ],
    });
    await filled();
    expect((await directory.account(1))?.cards.map(({ cardId, last4, status }) => [cardId, last4, status])).toEqual([
      [30, '3030', 'ACTIVE'],
      [33, '3333', 'ACTIVE'],
    ]);
  });

  it('learns a virtual card from its order, and ignores an order that created none', async () => {
    const virtual = {
      id: 'evt_0123456789abcdef',
      callbackAt: '2026-11-20T11:00:00Z',
      receivedAt: '2026-11-20T11:00:00Z',
      acctId: 9,
      kind: 'virtual-card',
      holder: 'Jon Snow',
      last4: '9876',
      status: 'active',
      balanceCents: 40_000,
      virtualCardOrderId: 1,
      outcome: 'created',
      failed: [],
      message: '',
    };
    const reader = open({ loader: null });
    await reader.learn(VirtualCardEvent.parse(virtual));
    await reader.learn(VirtualCardEvent.parse({ ...virtual, acctId: null, last4: '1357' }));

    expect(await reader.find('9876')).toMatchObject([
      { acctId: 9, holder: 'Jon Snow', isVirtual: true, cards: [{ status: 'ACTIVE' }] },
    ]);
    expect(await reader.find('1357')).toEqual([]);
  });

  it.each(['BLOCKED', 'ACTIVE'])('ignores a resend that calls a card inactive if it is %s', async (status) => {
    const reader = open({ loader: null });
    await reader.learn(statusEvent(9, { cardId: 90, last4: '9876', status }));
    await reader.learn(
      VirtualCardEvent.parse({
        id: 'evt_0123456789abcdef',
        callbackAt: '2026-11-20T11:59:59Z',
        receivedAt: '2026-11-20T11:59:59Z',
        acctId: 9,
        kind: 'virtual-card',
        holder: 'Jon Snow',
        last4: '9876',
        status: 'INACTIVE',
        balanceCents: null,
        virtualCardOrderId: 1,
        outcome: 'resend',
        failed: [],
        message: '',
      }),
    );

    expect((await reader.find('9876'))[0]?.cards).toMatchObject([{ status }]);
  });

  describe('that contradict the card API', () => {
    beforeEach(async () => {
      employ(1, { first: 'Jane', last: 'Doe', customId: 'EMP-1', cards: [{ cardId: 11, last4: '4242' }] });
      employ(4, { first: 'Mal', last: 'Lory', customId: 'EMP-4', cards: [{ cardId: 41, last4: '5678' }] });
      await filled();
      api.loads = [];
      clock = new Date('2026-11-20T12:10:00Z');
    });

    const forged = async (acctId: number, over: Parameters<typeof statusEvent>[1], customId: string | null = null) =>
      await directory.learn(
        CardStatusEvent.parse({ ...statusEvent(acctId, { at: '2026-11-20T12:09:00Z', ...over }), customId }),
      );

    it('redirect no digits, name or CustomId to another account', async () => {
      await forged(1, { holder: 'John Smith', cardId: 11, last4: '9999', status: 'ACTIVE' }, 'EMP-4');
      await forged(4, { holder: 'Jane Doe', cardId: 41, last4: '4242' }, 'EMP-1');

      for (const words of ['4242', 'Jane Doe', 'EMP-1'])
        expect(await directory.findKnown(words), words).toMatchObject([{ acctId: 1, holder: 'Jane Doe' }]);
      expect(ids(await directory.findKnown('5678'))).toEqual([4]);
      expect(await directory.findKnown('9999')).toEqual([]);
      await directory.idle();
      expect(ascending(api.loads), 'both are read again').toEqual([1, 4]);
    });

    it('change no name that a webhook had given before the list did', async () => {
      const reader = open({ loader: null });
      await reader.learn(statusEvent(7, { holder: 'Sam Rivera', cardId: 71, last4: '7171' }));
      employ(7, { first: 'Sam', last: 'Rivera', cards: [{ cardId: 71, last4: '7171' }] });
      await redis.del(directoryKey('list-lock'));
      await directory.refresh({ force: true });

      await forged(7, { holder: 'Jane Doe', cardId: 71, last4: '7171' });

      expect(ids(await directory.findKnown('Jane Doe'))).toEqual([1]);
      expect(await directory.account(7)).toMatchObject({ firstName: 'Sam', lastName: 'Rivera' });
    });

    it('add a card with the digits of another one only until the account is read, at once', async () => {
      await forged(4, { cardId: 99, last4: '4242', status: 'ACTIVE' });
      expect(ids(await directory.findKnown('4242'))).toEqual([1, 4]);
      expect(await directory.status(), 'nobody has to wait for a new card').toMatchObject({ lackingDetails: 0 });

      await directory.idle();

      expect(ids(await directory.findKnown('4242'))).toEqual([1]);
      expect(api.loads).toEqual([4]);
    });

    it('are compared with the API before anybody acts by the digits, also in a worker that did not learn of it', async () => {
      const reader = open({ loader: null });
      await reader.learn(statusEvent(4, { at: '2026-11-20T12:09:00Z', cardId: 41, last4: '4242' }));
      expect(await directory.status()).toMatchObject({ lackingDetails: 1 });

      expect(ids(await directory.find('4242'))).toEqual([1]);
      expect(api.loads).toEqual([4]);
    });

    it('are believed once the API or its list says the same', async () => {
      await forged(4, { holder: 'Mal Lory-Doe', cardId: 42, last4: '4343', status: 'INACTIVE' }, 'EMP-40');
      expect(ids(await directory.findKnown('4343')), 'a new card is known at once').toEqual([4]);
      employ(4, {
        first: 'Mal',
        last: 'Lory-Doe',
        customId: 'EMP-40',
        cards: [
          { cardId: 41, last4: '5678', status: 'CLOSED' },
          { cardId: 42, last4: '4343', status: 'INACTIVE' },
        ],
      });
      await directory.idle();
      expect(ids(await directory.findKnown('EMP-40'))).toEqual([4]);

      await redis.del(directoryKey('list-lock'));
      expect(ids(await directory.find('Lory-Doe')), 'a name that nobody had is listed at once').toEqual([4]);
      expect(await directory.status()).toMatchObject({ lackingDetails: 0 });
    });

    it('are read again also if an answer was on its way when they arrived', async () => {
      const load = api.getAccount.bind(api);
      api.getAccount = async (acctId) => {
        api.getAccount = load;
        const details = await load(acctId);
        clock = new Date('2026-11-20T12:10:05Z');
        await open({ loader: null }).learn(statusEvent(4, { at: '2026-11-20T12:10:01Z', cardId: 41, last4: '4242' }));
        return details;
      };

      await directory.reload(4);
      expect(await directory.status()).toMatchObject({ lackingDetails: 1 });
      await directory.reload(4);
      expect(await directory.status()).toMatchObject({ lackingDetails: 0 });
    });
  });

  it('loses nothing if many workers learn about one account at once', async () => {
    const readers = Array.from({ length: 8 }, () => open({ loader: null }));

    await Promise.all(
      readers.map((reader, index) => reader.learn(statusEvent(1, { cardId: 100 + index, last4: `100${index}` }))),
    );

    const account = await directory.account(1);
    expect(ascending(account?.cards.map(({ cardId }) => cardId ?? 0) ?? [])).toEqual([
      100, 101, 102, 103, 104, 105, 106, 107,
    ]);
  });
});

describe('with 10,000 accounts', () => {
  it('answers complete and partial queries from indexes, without scanning', async () => {
    const firsts = ['Jane', 'John', 'Maria', 'Ahmed', 'Li', 'Olga', 'Peter', 'Zoë', 'Ana', 'Tom'];
    for (let acctId = 1; acctId <= 10_000; acctId += 1) {
      employ(acctId, { first: firsts[acctId % 10] ?? '', last: `Name${acctId}`, customId: `EMP-${acctId}` });
    }
    directory = open({ apiQuota: { detailsBurst: 1, detailsReserve: 0, detailsPerMinute: 1 } });
    await directory.refresh();
    await directory.learn(statusEvent(4242, { holder: 'Maria Name4242', cardId: 777_777, last4: '0042' }));
    await redis.config('RESETSTAT');

    expect(ids(await directory.find('maria name4242'))).toEqual([4242]);
    expect(ids(await directory.findKnown('0042'))).toEqual([4242]);
    expect(ids(await directory.find('emp-9999'))).toEqual([9999]);
    expect(ids(await directory.search('zoe name77', 20))).toContain(77);
    expect(await directory.search('j', 20)).toHaveLength(20);

    const commands = await redis.info('commandstats');
    expect(commands).toContain('cmdstat_zrangebylex');
    expect(commands).not.toMatch(/cmdstat_(keys|scan|hscan|zscan|hgetall|hvals):/);
  });

  it('gives all keys the same hash tag', async () => {
    employ(1, { first: 'Jane', last: 'Doe', cards: [{ cardId: 11, last4: '1111' }] });
    await filled();
    await directory.account(404);

    const keys = await redis.keys('*');
    expect(keys.length).toBeGreaterThan(4);
    expect(keys.filter((key) => !key.startsWith(directoryKey('')))).toEqual([]);
  });
});

describe('right after a start', () => {
  it('waits until the cards are listed, even by another worker', async () => {
    await directory.untilListed();
    await directory.untilListed();

    expect(api.lists).toBe(1);
    expect((await directory.status()).listedAt).not.toBeNull();
  });

  it('waits a few seconds for a card service that does not answer', async () => {
    api.failWith = () => new Promise(() => {});
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    let isDone = false;
    const waiting = directory.untilListed().then(() => {
      isDone = true;
    });
    while (api.lists === 0) await new Promise(setImmediate);

    await vi.advanceTimersByTimeAsync(7_000);
    await new Promise(setImmediate);
    expect(isDone).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    vi.useRealTimers();

    await waiting;
  });

  it('does not wait for a card service that fails', async () => {
    api.failWith = () => Promise.reject(apiError('unavailable', 503));

    await directory.untilListed();

    expect((await directory.status()).listedAt).toBeNull();
  });
});
