import { describe, expect, it } from 'vitest';
import { ASSUMPTIONS } from '../../sandbox/assumptions.ts';
import { purchase, wouldApprove } from '../../sandbox/engine/purchase.ts';
import type { PurchaseRequest } from '../../sandbox/engine/purchase-request.ts';
import type { SeedRules } from '../../sandbox/seed/seed-data.ts';
import type { CardStatus } from '../../sandbox/state/account.ts';
import { DECLINE_CODES } from '../../sandbox/webhook/decline-code.ts';
import { type BareWorld, bareWorld, oneHolder, onlyAccount } from './bare-world.ts';

type Case = readonly [
  code: string,
  message: string,
  request: Partial<PurchaseRequest>,
  rules: SeedRules,
  status?: CardStatus,
];

/** One violation per rule, in the order in which the service checks them. */
const CASES: readonly Case[] = [
  ['decline.card.status', 'New Card Pending Activation', {}, {}, 'INACTIVE'],
  ['decline.card.status', 'Card Status Inactive', {}, {}, 'BLOCKED'],
  ['decline.card.status', 'Card Status Closed', {}, {}, 'CLOSED'],
  [
    'decline.balance.business',
    'Insufficient balance in service account',
    { Amount: 1000.01 },
    { businessBalance: true },
  ],
  ['decline.balance.card', 'Transaction exceeded current card balance', { Amount: 500.01 }, {}],
  ['decline.rule.location', 'International transactions not allowed', { MerchantCountry: 'FR' }, {}],
  ['decline.rule.cardnotpresent', 'Card not present', { IsCardPresent: false }, { cardNotPresent: false }],
  ['decline.mcc', 'Transaction type not allowed', { MCCCode: '7995' }, {}],
  [
    'decline.rule.mcc',
    'Unauthorized merchant category: Hardware Stores',
    { MCCCode: '5251' },
    { categories: [{ id: 9 }] },
  ],
  [
    'decline.rule.velocity.mcc',
    'Transaction exceeded merchant category limit',
    {},
    { categories: [{ id: 9, DailySpendLimit: 9 }] },
  ],
  [
    'decline.rule.velocity.mcc',
    'Transaction exceeded merchant category limit',
    {},
    { categories: [{ id: 9, TransactionLimit: 9 }] },
  ],
  ['decline.rule.velocity', 'Transaction exceeded daily spend limit', {}, { DailySpendLimit: 9 }],
  ['decline.card.pin', 'PIN Verification Check', { Pin: 'wrong' }, {}],
  ['decline.remote', 'Remote service decline', { RemoteDecision: 'decline' }, { remoteDecision: true }],
  ['decline', 'Do not honor', { DoNotHonor: true }, {}],
];

function worldFor(rules: SeedRules, status: CardStatus = 'ACTIVE'): BareWorld {
  return bareWorld({ seed: oneHolder(500, { rules, cards: [{ status }] }) });
}
const buy = (bare: BareWorld, request: Partial<PurchaseRequest> = {}) =>
  purchase(bare.world, { AcctId: onlyAccount(bare).acctId, Amount: 10, ...request });

describe('the decision', () => {
  it('approves a purchase that no rule forbids, holds the amount, and sends an authorization', () => {
    const bare = worldFor({});

    const answer = buy(bare, { Amount: 120.5 });

    expect(answer).toMatchObject({ Approved: true, MessageCode: null, Message: null });
    expect(onlyAccount(bare)).toMatchObject({ ledgerCents: 50_000, heldCents: 12_050 });
    expect(bare.emitted).toHaveLength(1);
    expect(bare.emitted[0]).toMatchObject({
      kind: 'authorization',
      data: {
        NetworkType: 'Auth',
        NetworkStatus: 'Approved',
        TransactionAmount: -120.5,
        HoldTime: null,
        AvailableBalance: 500,
      },
    });
  });

  const named = CASES.map(
    ([code, message, request, rules, status]) => [code, message, { request, rules, status }] as const,
  );

  it.each(named)('declines with %s (%s)', (code, message, { request, rules, status }) => {
    const bare = worldFor(rules, status);

    const answer = buy(bare, request);

    expect(answer).toMatchObject({ Approved: false, MessageCode: code, Message: message });
    expect(onlyAccount(bare)).toMatchObject({ ledgerCents: 50_000, heldCents: 0 });
    expect(bare.emitted[0]).toMatchObject({
      kind: 'decline',
      data: {
        NetworkStatus: 'Declined',
        MessageCode: code,
        Message: message,
        Description: 'Declined',
        AuthIdentityResponseCode: '',
        SettlementTime: null,
      },
    });
  });

  it.each([
    [500, true],
    [500.01, false],
  ])('can be asked in advance without a trace: $%d', (Amount, isApproved) => {
    const bare = worldFor({});
    const before = structuredClone(bare.world.state);

    expect(wouldApprove(bare.world, { AcctId: onlyAccount(bare).acctId, Amount })).toBe(isApproved);
    expect(bare.world.state).toEqual(before);
    expect(bare.emitted).toEqual([]);
    expect(buy(bare, { Amount }).Approved).toBe(isApproved);
  });

  it('covers every decline code of the specification', () => {
    expect(new Set(CASES.map(([code]) => code))).toEqual(new Set(DECLINE_CODES.map(({ code }) => code)));
  });

  it('checks the rules in order and reports the first that fails', () => {
    const asked = [
      'decline.rule.location',
      'decline.rule.cardnotpresent',
      'decline.rule.velocity.mcc',
      'decline.rule.velocity',
      'decline.card.pin',
      'decline.remote',
      'decline',
    ];
    // Violates all rules at once. The violations are then fixed one by one, starting with the first.
    const request: Partial<PurchaseRequest> = {
      MerchantCountry: 'FR',
      IsCardPresent: false,
      Pin: 'wrong',
      RemoteDecision: 'decline',
      DoNotHonor: true,
    };
    const rules: SeedRules = {
      cardNotPresent: false,
      categories: [{ id: 9, DailySpendLimit: 8 }],
      DailySpendLimit: 9,
      remoteDecision: true,
    };
    const mended: readonly [Partial<PurchaseRequest>, SeedRules][] = [
      [{}, {}],
      [{ MerchantCountry: 'US' }, {}],
      [{}, { cardNotPresent: true }],
      [{}, { categories: [{ id: 9 }] }],
      [{}, { DailySpendLimit: 100 }],
      [{ Pin: 'correct' }, {}],
      [{ RemoteDecision: 'approve' }, {}],
    ];

    const told = mended.map(([byMerchant, byRules]) => {
      Object.assign(request, byMerchant);
      Object.assign(rules, byRules);
      return buy(worldFor(rules), request).MessageCode;
    });

    expect(told).toEqual(asked);
  });

  it.each([
    ['decline.card.status', { Amount: 501 }, {}, 'INACTIVE'],
    ['decline.balance.card', { Amount: 501, MerchantCountry: 'FR' }, {}, 'ACTIVE'],
    ['decline.balance.business', { Amount: 1001, MerchantCountry: 'FR' }, { businessBalance: true }, 'ACTIVE'],
    ['decline.rule.cardnotpresent', { IsCardPresent: false, MCCCode: '7995' }, { cardNotPresent: false }, 'ACTIVE'],
    ['decline.mcc', { MCCCode: '7995' }, { categories: [{ id: 9 }] }, 'ACTIVE'],
    ['decline.rule.mcc', { MCCCode: '5251' }, { categories: [{ id: 9 }], DailySpendLimit: 1 }, 'ACTIVE'],
  ] as const)('checks %s before the other failing rule', (code, request, rules, status) => {
    expect(buy(worldFor(rules, status), request).MessageCode).toBe(code);
  });

  it.each(ASSUMPTIONS.domesticCountries.value)('treats a merchant in "%s" as domestic', (MerchantCountry) => {
    expect(buy(worldFor({}), { MerchantCountry }).Approved).toBe(true);
  });

  it('lets a card pay abroad if its rules allow it', () => {
    expect(buy(worldFor({ international: true }), { MerchantCountry: 'FR' }).Approved).toBe(true);
  });

  it('declines a PIN transaction with NetworkType Pin and a signature one with Auth', () => {
    const bare = worldFor({});

    buy(bare, { Pin: 'wrong' });
    buy(bare, { DoNotHonor: true });

    expect(bare.emitted.map(({ data }) => data.NetworkType)).toEqual(['Pin', 'Auth']);
  });

  it('debits a PIN purchase at once and sends no authorization', () => {
    const bare = worldFor({});

    buy(bare, { Amount: 15, Pin: 'correct' });

    expect(onlyAccount(bare)).toMatchObject({ ledgerCents: 48_500, heldCents: 0 });
    expect(bare.emitted.map(({ kind }) => kind)).toEqual(['pin']);
    expect(bare.emitted[0]?.data).toMatchObject({
      Description: 'Settlement',
      NetworkType: 'Pin',
      NetworkStatus: 'Approved',
      TransactionAmount: -15,
      HoldTime: null,
    });
  });

  it('blocks the card for fraud after five wrong PINs', () => {
    const bare = worldFor({});

    for (let time = 0; time < 5; time += 1) buy(bare, { Pin: 'wrong' });

    expect(onlyAccount(bare).cards[0]?.status).toBe('BLOCKED');
    expect(bare.emitted.at(-1)).toMatchObject({ kind: 'card-status', data: { CardList: [{ CardStatus: 'BLOCKED' }] } });
  });

  it('spends from the business balance if the rules say so', () => {
    const bare = worldFor({ businessBalance: true });

    const answer = buy(bare, { Amount: 900 });

    expect(answer.Approved).toBe(true);
    expect(bare.world.state.business.heldCents).toBe(90_000);
    expect(buy(bare, { Amount: 101 }).MessageCode).toBe('decline.balance.business');
  });
});
