import { describe, expect, it } from 'vitest';
import type { CardStatusEvent, ShippingEvent, VirtualCardEvent } from '../../../src/core/event.ts';
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
const shipping = (data: Record<string, unknown> = {}): ShippingEvent => read('card-shipping', data) as ShippingEvent;
const virtual = (name: string, data: Record<string, unknown> = {}): VirtualCardEvent =>
  read(name, data) as VirtualCardEvent;

describe('a card status change', () => {
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
    ['CardOrderId', undefined, 'cardOrderId', null],
    ['CardOrderId', null, 'cardOrderId', null],
    ['CardOrderId', '', 'cardOrderId', null],
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

  it.each([
    ['AcctId', { AcctId: null }],
    ['CardList', { CardList: [] }],
    ['CardList', { CardList: null }],
    ['CardList', { CardList: {} }],
    ['CardList.0.CardStatus', { CardList: [{ ...card, CardStatus: 'LOST' }] }],
    ['CardList.0.CardId', { CardList: [{ ...card, CardId: 0 }] }],
    ['FirstName', { FirstName: 7 }],
  ])('is invalid if %s is wrong', (field, data) => {
    expect(issuesOf(() => status(data))[0]).toMatch(new RegExp(`^${field.replace('.0', '(\\.\\[\\])?(\\.0)?')}: `));
  });
});

describe('a shipment', () => {
  it('is stored with the complete tracking number', () => {
    expect(shipping()).toEqual({
      id: expect.stringMatching(/^evt_/),
      kind: 'card-shipping',
      callbackAt: '2026-03-02T17:31:07.5738865Z',
      receivedAt: '2026-03-02T17:31:08.000Z',
      acctId: 610_011,
      trackingNumber: '9400111899000000055211',
      shippingMethod: 'USPS',
      last4: '1117',
      cardOrderId: 55_211,
    });
  });

  it("keeps a known carrier's tracking number, and masks the middle of one that may be a card number", () => {
    expect(shipping({ TrackingNumber: ' 9400111899000000055211 ' }).trackingNumber).toBe('9400111899000000055211');
    expect(shipping({ TrackingNumber: ' 4111111111111111 ' }).trackingNumber).toBe('4111••••••••1111');
  });

  it('rejects a tracking number that lost its last digits as a JSON number', () => {
    expect(issuesOf(() => shipping({ TrackingNumber: 9.400111899e21 }))).toHaveLength(1);
  });
});

describe('a virtual card', () => {
  it('is stored without number, code, expiry and account number', () => {
    expect(virtual('virtual-card')).toEqual({
      id: expect.stringMatching(/^evt_/),
      kind: 'virtual-card',
      callbackAt: '2026-03-02T17:31:07.5738865Z',
      receivedAt: '2026-03-02T17:31:08.000Z',
      acctId: 610_029,
      holder: 'Cloud Hosting',
      last4: '1111',
      status: 'ACTIVE',
      balanceCents: 40_000,
      virtualCardOrderId: 55_229,
      outcome: 'created',
      failed: [],
      message: 'Account Creation Successful',
    });
  });

  it.each([
    ['virtual-card', {}, 'created', []],
    ['virtual-card-resend', {}, 'resend', []],
    ['virtual-card-resend', { Errors: undefined, Message: null }, 'resend', []],
    ['virtual-card-partial', {}, 'partial', ['Ruleset', 'Funding']],
    ['virtual-card-not-created', {}, 'not_created', []],
    ['virtual-card-not-created', { Errors: ['Card', 'Group'] }, 'not_created', ['Group']],
    ['virtual-card-not-created', { Errors: [' card '] }, 'not_created', []],
    ['virtual-card-not-created', { Errors: [] }, 'not_created', []],
    ['virtual-card-partial', { Errors: null }, 'partial', []],
    ['virtual-card-partial', { Errors: ['', 'Group'] }, 'partial', ['Group']],
  ] as const)('from %s with %j ended as %s', (name, data, outcome, failed) => {
    expect(virtual(name, data)).toMatchObject({ outcome, failed });
  });

  it.each([
    [{ Status: ' active ' }, { status: 'ACTIVE' }],
    [{ Status: '' }, { status: null }],
    [{ Balance: null }, { balanceCents: null }],
    [{ CardNumber: '' }, { last4: null }],
    [{ AccountId: 0 }, { acctId: null }],
    [{ AccountId: null }, { acctId: null }],
    [{ VirtualCardOrderId: null }, { virtualCardOrderId: null }],
  ])('with %j is stored with %j', (data, kept) => {
    expect(virtual('virtual-card', data)).toMatchObject(kept);
  });

  it('without an order or an account is invalid', () => {
    expect(issuesOf(() => virtual('virtual-card', { AccountId: 0, VirtualCardOrderId: '' }))).toEqual([
      'VirtualCardOrderId: expected this or a positive AccountId',
    ]);
  });
});
