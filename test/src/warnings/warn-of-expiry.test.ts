import { beforeEach, describe, expect, it } from 'vitest';
import { AccountDetails } from '../../../src/card-api/schema-account.ts';
import { createPreferences } from '../../../src/holders/preference-store.ts';
import type { Message } from '../../../src/slack/message.ts';
import { createIsExpiryWarningDue, createWarnOfExpiry, expiringCards } from '../../../src/warnings/warn-of-expiry.ts';
import { createWarnBoth, createWarned } from '../../../src/warnings/warned-store.ts';
import { expiryWarning } from '../../../templates/warnings/warnings.ts';
import { useRedis } from '../../support/on-redis.ts';
import { card } from '../../templates/fixtures.ts';

const redis = useRedis();
const now = new Date('2026-11-20T15:00:00.000Z');

function account(...cards: [cardId: number, status: string, expires: string | null][]): AccountDetails {
  return AccountDetails.parse({
    AccountId: 1,
    CardList: cards.map(([CardId, CardStatus, ExpirationDate]) => ({ CardId, CardStatus, ExpirationDate })),
  });
}

describe('a card that expires', () => {
  it.each<[string, AccountDetails, number[]]>([
    ['at the end of the month', account([1, 'Active', '2026-11-30T00:00:00']), [1]],
    ['today', account([1, 'Active', '2026-11-20T00:00:00']), [1]],
    ['in 31 days: not yet', account([1, 'Active', '2026-12-21T00:00:00']), []],
    ['long ago: too late', account([1, 'Active', '2026-11-18T00:00:00']), []],
    ['soon, but is blocked', account([1, 'Blocked', '2026-11-30T00:00:00']), []],
    [
      'soon, but has a newer card',
      account([1, 'Active', '2026-11-30T00:00:00'], [2, 'Inactive', '2029-11-30T00:00:00']),
      [],
    ],
    ['on a day that the service does not give', account([1, 'Active', null]), []],
  ])('%s', (_name, details, cardIds) => {
    expect(expiringCards(details, now).map(({ cardId }) => cardId)).toEqual(cardIds);
  });
});

let told: string[];
/** Until when (ms from now) channels and people are quiet. */
let quiet: Map<string, number>;
/** Of the card service. */
let calls: number;
let status: string;
beforeEach(() => {
  calls = 0;
  status = 'Active';
  told = [];
  quiet = new Map();
});

function worldOf(userId: string | null = 'U0HUGO') {
  const world = {
    async getAccount() {
      calls += 1;
      return account([1, status, '2026-11-30T00:00:00']);
    },
    links: {
      ofAccount: async (acctId: number) =>
        userId === null ? null : { acctId, userId, provedBy: 'email' as const, by: userId, at: '' },
    },
    preferences: createPreferences(redis()),
    warned: createWarned(redis()),
    quietLeftMs: async (to: string) => quiet.get(to) ?? 0,
    factsOf: async () => card,
    channel: 'C0STATUS',
    postNotice: async (channel: string, _id: string, { text }: Message) => void told.push(`${channel} ${text}`),
    notifyUnasked: async (to: string, _id: string, { text }: Message) => void told.push(`${to} ${text}`),
    now: () => now,
  };
  return { ...world, warnBoth: createWarnBoth(world) };
}

const warn = (userId?: string | null): Promise<number | null> => createWarnOfExpiry(worldOf(userId))(1, 1);
const isDue = (userId?: string | null): Promise<boolean> => createIsExpiryWarningDue(worldOf(userId))(1, 1);

it('notifies the channel and the holder once', async () => {
  await warn();
  await warn();

  expect(told).toEqual([
    'C0STATUS Card expires Nov 30, 2026 · Jane Doe · card 1212. I know of no newer card on this account. Order one now in the card program’s portal, so that it arrives in time.',
    'U0HUGO Card expires Nov 30, 2026 · your card 1212. I know of no newer card on this account. Ask an operator for one, and update the subscriptions that charge this card.',
  ]);
});

it('notifies a channel or a holder after their quiet hours, without a date that waits anywhere', async () => {
  quiet.set('C0STATUS', 9000).set('U0HUGO', 5000);
  expect(await warn()).toBe(5000);
  expect(told).toEqual([]);

  quiet.delete('U0HUGO');
  expect(await warn()).toBe(9000);
  expect(told).toEqual([expect.stringMatching(/^U0HUGO /)]);

  quiet.clear();
  expect(await warn()).toBeNull();
  expect(told.slice(1)).toEqual([expect.stringMatching(/^C0STATUS /)]);
});

it('asks the card service only when somebody can be warned, although others are quiet', async () => {
  quiet.set('C0STATUS', 9000).set('U0HUGO', 5000);
  for (let run = 0; run < 3; run += 1) await warn();
  expect(calls).toBe(0);

  quiet.delete('U0HUGO');
  for (let run = 0; run < 3; run += 1) expect(await warn()).toBe(9000);
  expect(told).toHaveLength(1);
  expect(calls).toBe(1);
});

it('warns of no card that was closed during quiet hours', async () => {
  quiet.set('C0STATUS', 9000).set('U0HUGO', 9000);
  await warn();
  status = 'Closed';
  quiet.clear();

  expect(await warn()).toBeNull();
  expect(told).toEqual([]);
});

it('says of a virtual card how approvers order a new one, and does not speak of the mail', () => {
  const virtual = { card: { ...card, isVirtual: true }, expiresOn: '2026-11-30' };

  expect(expiryWarning(virtual, 'team').text).toMatch(/account\. Order one: `\/card virtual order`\.$/);
  expect(expiryWarning(virtual, 'holder').text).toContain('Ask an approver for one, and update');
});

it('notifies those who switched it off once they switch it on again', async () => {
  const preferences = createPreferences(redis());
  await preferences.set('C0STATUS', 'expiring-cards', false);
  await preferences.set('U0HUGO', 'expiring-cards', false);
  await warn();
  expect(told).toEqual([]);
  expect(await isDue(), 'no call to the card service for nobody').toBe(false);

  await preferences.set('C0STATUS', 'expiring-cards', true);
  await warn();
  await warn();
  expect(told).toEqual([expect.stringMatching(/^C0STATUS /)]);

  await preferences.set('U0HUGO', 'expiring-cards', true);
  await warn();
  await warn();
  expect(told.slice(1)).toEqual([expect.stringMatching(/^U0HUGO /)]);
});

it('notifies a new holder after the one before was notified', async () => {
  await warn('U0WRONG');
  expect(await isDue('U0HUGO')).toBe(true);
  await warn('U0HUGO');
  await warn('U0HUGO');

  expect(told.map((line) => line.split(' ')[0])).toEqual(['C0STATUS', 'U0WRONG', 'U0HUGO']);
});

it('notifies a holder who is linked to the card after the channel was notified', async () => {
  expect(await isDue(null)).toBe(true);
  await warn(null);
  expect(await isDue(null)).toBe(false);
  expect(await isDue()).toBe(true);
  await warn();
  expect(await isDue()).toBe(false);

  expect(told.map((line) => line.split(' ')[0])).toEqual(['C0STATUS', 'U0HUGO']);
});
