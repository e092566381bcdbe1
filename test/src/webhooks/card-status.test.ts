import { describe, expect, it } from 'vitest';
import { ListedAccount } from '../../../src/card-api/schema-account.ts';
import type { CardStatusEvent } from '../../../src/core/event.ts';
import { lastFour, toMissedStatus } from '../../../src/webhooks/card-status.ts';
import { issuesOf, read } from './read.ts';

const card = {
  CardId: 82_002,
  IssueDate: '2025-11-26T00:00:00',
  ExpirationDate: '2028-11-30T00:00:00',
  Last4CardNumber: '5072',
  CardStatus: 'BLOCKED',
  CardOrderId: 55_201,
};
const status = (data: Record<string, unknown> = {}): CardStatusEvent => read('card-status', data) as CardStatusEvent;
const statusOf = (fields: Record<string, unknown>) => status({ CardList: [{ ...card, ...fields }] }).cards[0];

describe('a card status change', () => {
  it.each([
    ['CVV 987', 'Doe'],
    ['CVV', '987'],
  ])('keeps no security code that is in the name: %s %s', (FirstName, LastName) => {
    expect(status({ FirstName, LastName }).holder).toMatch(/^CVV \[removed\]/);
  });

  it('is stored with only the last four digits', () => {
    expect(status({ FirstName: ' Maya ' })).toEqual({
      id: expect.stringMatching(/^evt_/),
      kind: 'card-status',
      callbackAt: '2026-03-02T17:31:07.5738865Z',
      receivedAt: '2026-03-02T17:31:08.000Z',
      acctId: 610_001,
      holder: 'Maya Okafor',
      customId: 'F1Q52343SF',
      cards: [{ cardId: 82_002, last4: '4444', status: 'BLOCKED', cardOrderId: 55_201 }],
    });
  });

  it.each([
    ['CardStatus', 'Active', 'status', 'ACTIVE'],
    ['CardStatus', ' closed ', 'status', 'CLOSED'],
    ['CardStatus', 'INACTIVE', 'status', 'INACTIVE'],
    ['CardStatus', 'REMOVED', 'status', 'CLOSED'],
    ['CardStatus', 2, 'status', 'BLOCKED'],
    ['CardOrderId', undefined, 'cardOrderId', null],
    ['CardOrderId', null, 'cardOrderId', null],
    ['CardOrderId', '', 'cardOrderId', null],
    ['CardOrderId', 0, 'cardOrderId', null],
    ['CardOrderId', '55201', 'cardOrderId', 55_201],
    ['Last4CardNumber', '', 'last4', ''],
    ['Last4CardNumber', null, 'last4', ''],
    ['Last4CardNumber', '************5072', 'last4', '5072'],
    ['IssueDate', undefined, 'cardId', 82_002],
  ] as const)('reads %s %j as %s %j', (field, value, of, kept) => {
    expect(statusOf({ [field]: value })?.[of]).toBe(kept);
  });

  it('reports every card in its list', () => {
    const cards = status({ CardList: [card, { ...card, CardId: 82_003, CardStatus: 'CLOSED' }] }).cards;

    expect(cards.map(({ cardId, status: of }) => [cardId, of])).toEqual([
      [82_002, 'BLOCKED'],
      [82_003, 'CLOSED'],
    ]);
  });

  it('reports a blocked card beside one that was removed', () => {
    const { cards } = status({ CardList: [{ ...card, CardId: 82_001, CardStatus: 'REMOVED' }, card] });

    expect(cards.map(({ cardId, status: of }) => [cardId, of])).toEqual([
      [82_001, 'CLOSED'],
      [82_002, 'BLOCKED'],
    ]);
  });

  it.each([
    [{ FirstName: null }, 'Okafor'],
    [{ FirstName: '', LastName: '' }, ''],
    [{ FirstName: '4111 1111', LastName: '1111 1111' }, '[card ••1111]'],
  ])('with %j has the holder %j', (data, holder) => {
    expect(status(data).holder).toBe(holder);
  });

  it.each([null, undefined, '', '  '])('may have no custom id: %j', (CustomId) => {
    expect(status({ CustomId }).customId).toBeNull();
  });

  it('may have a number for a custom id', () => {
    expect(status({ CustomId: 12345 }).customId).toBe('12345');
  });

  it.each([
    'CID-1001',
    'CID 1001',
    'EXP-2024',
    'PIN-0042',
    'ACCT-10004567',
    '100-20-3000',
    'Security Code 1',
    'Account No 7',
    'CVV2: 123',
    '4111-1111-1111-1111',
    'EMP 4111111111111111',
  ])('has the same custom id as in an answer of the API: %s', (CustomId) => {
    expect(status({ CustomId }).customId).toBe(ListedAccount.parse({ AccountId: 7, CustomId }).customId);
  });

  it('is read without a name or digits of the wrong type', () => {
    const odd = { CardList: [card, { ...card, Last4CardNumber: {} }], FirstName: 7, CustomId: [] };

    expect(status(odd)).toMatchObject({
      holder: 'Okafor',
      customId: null,
      cards: [
        { last4: '5072', status: 'BLOCKED' },
        { last4: '', status: 'BLOCKED' },
      ],
    });
  });

  it.each([
    ['AcctId', { AcctId: null }],
    ['CardList', { CardList: [] }],
    ['CardList', { CardList: null }],
    ['CardList', { CardList: {} }],
    ['CardList.0.CardStatus', { CardList: [{ ...card, CardStatus: 'LOST' }] }],
    ['CardList.0.CardStatus', { CardList: [{ ...card, CardStatus: null }] }],
    ['CardList.0.CardStatus', { CardList: [{ ...card, CardStatus: 7 }] }],
    ['CardList.0.CardId', { CardList: [{ ...card, CardId: 0 }] }],
    ['CardList.0.CardOrderId', { CardList: [{ ...card, CardOrderId: 'x' }] }],
  ])('is invalid if %s is wrong', (field, data) => {
    expect(issuesOf(() => status(data))[0]).toMatch(new RegExp(`^${field.replace('.0', '(\\.\\[\\])?(\\.0)?')}: `));
  });
});

describe('a change that no webhook reported', () => {
  const missed = {
    acctId: 610_001,
    holder: 'Maya Okafor',
    customId: null,
    card: { cardId: 82_002, last4: '4444', status: 'BLOCKED' },
    was: { status: 'ACTIVE', seenAt: '2026-03-02T17:00:00.000Z' },
    seenAt: '2026-03-02T17:31:08.000Z',
  } as const;
  const idOf = (over: Partial<Parameters<typeof toMissedStatus>[0]>): string =>
    toMissedStatus({ ...missed, ...over }).id;

  it('is one event however often it is seen', () => {
    const again = { seenAt: '2026-03-02T18:00:00.000Z', holder: 'M. Okafor' };

    expect(idOf(again)).toBe(idOf({}));
    expect(toMissedStatus(missed)).toMatchObject({ kind: 'card-status', isSeen: true, cards: [{ status: 'BLOCKED' }] });
    expect(toMissedStatus(missed)).toMatchObject({ changedAfter: missed.was.seenAt, callbackAt: missed.seenAt });
  });

  it('is another event for another card, another status, and each time the card changes back', () => {
    const ids = [
      idOf({}),
      idOf({ card: { ...missed.card, cardId: 82_003 } }),
      idOf({ card: { ...missed.card, status: 'CLOSED' } }),
      idOf({ was: { ...missed.was, status: null } }),
      idOf({ was: { ...missed.was, seenAt: '2026-03-02T17:20:00.000Z' } }),
    ];

    expect(new Set(ids).size).toBe(5);
  });
});

it.each([
  ['5072', '5072'],
  ['************5072', '5072'],
  ['4111-1111-1111-5072', '5072'],
  ['', ''],
])('of %j, no more than the last four digits are kept', (sent, kept) => {
  expect(lastFour(sent)).toBe(kept);
});
