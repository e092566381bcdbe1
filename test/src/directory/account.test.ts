import { describe, expect, it } from 'vitest';
import { AccountDetails, ListedAccount } from '../../../src/card-api/schema-account.ts';
import type { WhichCard } from '../../../src/core/event.ts';
import {
  DirectoryAccount,
  type DirectoryCard,
  holderOf,
  lacksDetails,
  toCardFacts,
  withDetails,
  withListed,
} from '../../../src/directory/account.ts';
import { isUnsure } from '../../../src/directory/newest-status.ts';

const cardOf = (cardId: number | null, last4: string, status: DirectoryCard['status']): DirectoryCard => ({
  cardId,
  last4,
  status,
  seenAt: '2026-11-20T15:00:00.000Z',
});
const accountOf = (...cards: DirectoryCard[]): DirectoryAccount =>
  DirectoryAccount.parse({
    acctId: 7,
    firstName: 'Jane',
    lastName: 'Doe',
    namesAt: null,
    customId: 'EMP-7',
    isVirtual: false,
    group: 'Sales',
    accountStatus: 'OPEN',
    availableCents: null,
    email: null,
    cards,
    detailsAt: '2026-11-20T15:00:00.000Z',
  });
const closed = cardOf(1, '1111', 'CLOSED');
const active = cardOf(2, '2222', 'ACTIVE');
const blocked = cardOf(3, '2222', 'BLOCKED');

describe('the card of an event', () => {
  it.each<[string, DirectoryCard[], WhichCard, object]>([
    ['is the card with its id', [active, blocked], { cardId: 3 }, { cardId: 3, last4: '2222', status: 'BLOCKED' }],
    [
      'is decided by the id, even if another card has the same last four digits',
      [active, blocked],
      { cardId: 2, last4: '2222' },
      { cardId: 2, status: 'ACTIVE' },
    ],
    ['is the card with its last four digits', [closed, active], { last4: '1111' }, { cardId: 1, status: 'CLOSED' }],
    [
      'is the renewed card, which has the digits of the closed one',
      [closed, cardOf(4, '1111', 'INACTIVE')],
      { last4: '1111' },
      { cardId: 4, status: 'INACTIVE' },
    ],
    [
      'is the renewed card while the one before is in use',
      [active, cardOf(4, '2222', 'INACTIVE')],
      { last4: '2222' },
      { cardId: 4, status: 'INACTIVE' },
    ],
    [
      'is the open one of two with the same digits',
      [active, cardOf(4, '2222', 'CLOSED')],
      { last4: '2222' },
      { cardId: 2, status: 'ACTIVE' },
    ],
    [
      'is the only open card if the event names no card',
      [closed, active],
      {},
      { cardId: 2, last4: '2222', status: 'ACTIVE' },
    ],
    ['is the only one, even if it is closed', [closed], {}, { cardId: 1, last4: '1111', status: 'CLOSED' }],
    [
      'is the closed one if a closed card was declined',
      [closed, active],
      { statuses: ['CLOSED'] },
      { cardId: 1, last4: '1111', status: 'CLOSED' },
    ],
    [
      'is the blocked one if a blocked card was declined',
      [active, blocked],
      { statuses: ['INACTIVE', 'BLOCKED'] },
      { cardId: 3, status: 'BLOCKED' },
    ],
    [
      'is the one in use while its replacement is in the mail',
      [active, cardOf(4, '4444', 'INACTIVE')],
      { statuses: ['ACTIVE', 'BLOCKED'] },
      { cardId: 2, status: 'ACTIVE' },
    ],
    ['may be known only by its id', [active], { cardId: 9, last4: '9999' }, { cardId: 9, last4: '9999' }],
  ])('%s', (_what, cards, which, expected) => {
    expect(toCardFacts(7, accountOf(...cards), which)).toMatchObject({ acctId: 7, holder: 'Jane Doe', ...expected });
  });

  it.each<[string, DirectoryCard[], WhichCard?]>([
    ['several cards are open', [active, blocked]],
    ['no card is known', []],
    ['the only card has another status than the one that is meant', [active], { statuses: ['INACTIVE'] }],
  ])('is unknown if the event names no card and %s', (_what, cards, which = {}) => {
    const facts = toCardFacts(7, accountOf(...cards), which);

    expect(facts).toMatchObject({ cardId: null, last4: null });
    expect(facts).not.toHaveProperty('status');
  });

  it.each<[string, DirectoryCard[], WhichCard, DirectoryCard['status']]>([
    ['all its open cards', [closed, active, { ...active, cardId: 4 }], {}, 'ACTIVE'],
    ['all its cards, as none is open', [closed, { ...closed, cardId: 4 }], {}, 'CLOSED'],
  ])('has a status, but no name, if it is that of %s', (_what, cards, which, status) => {
    expect(toCardFacts(7, accountOf(...cards), which)).toMatchObject({ cardId: null, last4: null, status });
  });

  it('comes from the event alone if the account is unknown', () => {
    expect(toCardFacts(7, null, { last4: '4242' })).toEqual({
      acctId: 7,
      cardId: null,
      last4: '4242',
      holder: null,
      customId: null,
      isVirtual: null,
      group: null,
    });
  });
});

describe('a status in the list of all accounts, which names a card by its digits', () => {
  const renewed = cardOf(4, '1111', 'ACTIVE');

  it.each<[string, DirectoryCard[], string, DirectoryCard['status'][]]>([
    ['is the one of the renewed card, not of the closed one', [closed, renewed], 'Blocked', ['CLOSED', 'BLOCKED']],
    ['reopens no closed card if a renewed one has it', [closed, renewed], 'Active', ['CLOSED', 'ACTIVE']],
    ['reopens no closed card if it is the only one', [closed], 'Active', ['CLOSED']],
    ['changes nothing if two open cards may be meant', [active, blocked], 'Inactive', ['ACTIVE', 'BLOCKED']],
  ])('%s', (_what, cards, CardStatus, statuses) => {
    const listed = ListedAccount.parse({ AccountId: 7, CardStatus, CardNumber4Digits: cards[0]?.last4 });

    const after = withListed(accountOf(...cards), listed, storedSoon('2026-11-20T16:00:00.000Z')).cards;

    expect(after.map(({ status }) => status)).toEqual(statuses);
    expect(
      after.filter(({ was }) => was !== undefined).map(({ status }) => status),
      'only a change is reported',
    ).toEqual(statuses.filter((status) => !cards.some((card) => card.status === status)));
  });
});

const storedSoon = (at: string) => ({ at, mergedAt: at });

describe('an answer of the API to an earlier request', () => {
  const facts = (account: DirectoryAccount) => {
    const { group, customId, email, accountStatus, rulesetId, isVirtual, availableCents } = account;
    return { group, customId, email, accountStatus, rulesetId, isVirtual, availableCents };
  };
  const older = { AccountId: 7, CustomId: 'EMP-6', Email: 'old@example.com', AccountStatus: 'CLOSED', IsVirtual: true };
  const known = accountOf(active);
  const [before, after] = ['2026-11-20T14:59:50.000Z', '2026-11-20T15:00:10.000Z'];

  it('is older if it is a list that took long, and replaces nothing that was read meanwhile', () => {
    const listed = ListedAccount.parse({ ...older, GroupName: 'Former' });

    expect(facts(withListed(known, listed, { at: before, mergedAt: after }))).toEqual(facts(known));
    expect(withListed(known, listed, storedSoon(after))).toMatchObject({ group: 'Former', customId: 'EMP-6' });
  });

  it('is older if another worker asked later', () => {
    const details = AccountDetails.parse({
      ...older,
      CardList: [],
      Group: { Id: 1, GroupName: 'Former' },
      SpendingRulesetId: 5,
    });

    expect(withDetails(known, details, { at: before, mergedAt: after })).toEqual(known);
    expect(withDetails(known, details, storedSoon(after))).toMatchObject({
      group: 'Former',
      rulesetId: 5,
      detailsAt: after,
    });
  });

  it('is not older because the clock of Redis has gone back since', () => {
    const details = AccountDetails.parse({ ...older, CardList: [], Group: { Id: 1, GroupName: 'Former' } });

    expect(withDetails(known, details, storedSoon(before))).toMatchObject({ group: 'Former', detailsAt: before });
  });
});

it('is stored with a doubt only while there is one, because an older build beside this one does not know the field', () => {
  const details = AccountDetails.parse({ AccountId: 7, CardList: [] });
  const isStored = (account: DirectoryAccount) => JSON.stringify(account).includes('doubtedAt');

  const doubted = { ...accountOf(active), doubtedAt: '2026-11-20T15:00:05.000Z' };
  expect(isStored(withDetails(null, details, storedSoon('2026-11-20T15:00:00.000Z')))).toBe(false);
  expect(isStored(withDetails(doubted, details, storedSoon('2026-11-20T15:00:01.000Z')))).toBe(true);
  expect(isStored(withDetails(doubted, details, storedSoon('2026-11-20T15:00:10.000Z')))).toBe(false);
});

describe('a new card that a webhook named and the API does not list', () => {
  const details = AccountDetails.parse({
    AccountId: 7,
    CardList: [{ CardId: 1, Last4CardNumber: '1111', CardStatus: 'ACTIVE' }],
  });
  const seenAt = '2026-11-20T15:00:05.000Z';
  const fresh = { ...cardOf(2, '2222', 'INACTIVE'), seenAt, callbackAt: seenAt };
  const known = accountOf(cardOf(1, '1111', 'CLOSED'), fresh);
  const idsAfter = (account: DirectoryAccount, at: string) =>
    withDetails(account, details, storedSoon(at)).cards.map(({ cardId }) => cardId);

  it('is kept for two minutes, because the API may be behind its webhooks, and is read again', () => {
    const read = withDetails(known, details, storedSoon('2026-11-20T15:00:05.200Z'));
    expect(read.cards).toMatchObject([{ cardId: 1 }, fresh]);
    expect(isUnsure(read)).toBe(true);
    expect(idsAfter(read, '2026-11-20T15:02:06.000Z')).toEqual([1]);
  });

  it.each([
    ['the API had listed it before', { ...fresh, readAt: '2026-11-20T15:00:00.000Z' }],
    ['it is in use, as one that somebody made up may be', { ...fresh, status: 'ACTIVE' as const }],
  ])('is dropped if %s', (_why, card) => {
    expect(idsAfter(accountOf(card), '2026-11-20T15:00:05.200Z')).toEqual([1]);
  });
});

it('leaves out a card without a number of its own, until the API gives it one', () => {
  const cardsAfter = (CardId: number, at: string) => {
    const CardList = [{ CardId, Last4CardNumber: '1111', CardStatus: 'Inactive' }];
    return withDetails(accountOf(), AccountDetails.parse({ AccountId: 7, CardList }), storedSoon(at)).cards;
  };

  expect(cardsAfter(0, '2026-11-20T15:01:00.000Z')).toEqual([]);
  expect(cardsAfter(9, '2026-11-20T15:02:00.000Z')).toMatchObject([{ cardId: 9, was: { status: null } }]);
});

it('shows the ruleset that the card follows, if any', () => {
  expect(toCardFacts(7, { ...accountOf(active), rulesetId: 5 }).ruleset).toMatchObject({ id: 5 });
  expect(toCardFacts(7, accountOf(active))).not.toHaveProperty('ruleset');
});

it('joins the known names of the holder', () => {
  expect(holderOf({ firstName: 'Jane', lastName: null })).toBe('Jane');
  expect(holderOf({ firstName: null, lastName: 'Doe' })).toBe('Doe');
  expect(holderOf({ firstName: null, lastName: null })).toBeNull();
  expect(holderOf({ firstName: '4111 1111', lastName: '1111 1111' }), 'each half looks harmless').toBe('[card ••1111]');
  expect(holderOf({ firstName: 'Jane CVV', lastName: '123' })).toBe('Jane CVV [removed]');
});

it('reports details as missing until the API has returned an id for every card', () => {
  expect(lacksDetails(accountOf(active))).toBe(false);
  expect(lacksDetails(accountOf(active, cardOf(null, '3333', null)))).toBe(true);
  expect(lacksDetails({ ...accountOf(active), detailsAt: null })).toBe(true);
});
