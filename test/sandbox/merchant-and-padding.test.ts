import { describe, expect, it } from 'vitest';
import { refund, reverse, settle } from '../../sandbox/engine/after-purchase.ts';
import { block, unblock } from '../../sandbox/engine/card-status.ts';
import { purchase } from '../../sandbox/engine/purchase.ts';
import type { PurchaseRequest } from '../../sandbox/engine/purchase-request.ts';
import { type BareWorld, bareWorld, oneHolder, onlyAccount } from './bare-world.ts';

function buy(bare: BareWorld, request: Partial<PurchaseRequest> = {}) {
  const answer = purchase(bare.world, { AcctId: onlyAccount(bare).acctId, Amount: 10, ...request });
  return { ...answer, data: bare.emitted.at(-1)?.data };
}

describe('the default location of a merchant', () => {
  it('is a shop in the United States', () => {
    expect(buy(bareWorld({ seed: oneHolder() })).data).toMatchObject({
      MerchantName: 'CORNER DINER',
      MerchantCity: 'FORT WORTH',
      MerchantState: 'TX',
      MerchantZip: '760009874',
      MerchantCountry: 'US',
    });
  });

  it('is left empty abroad instead of inventing a city', () => {
    const rules = { international: true };

    expect(buy(bareWorld({ seed: oneHolder(500, { rules }) }), { MerchantCountry: 'FR' }).data).toMatchObject({
      MerchantCity: '',
      MerchantState: '',
      MerchantCountry: 'FR',
    });
  });

  it('is only the country in a PIN transaction, because its network does not report more', () => {
    expect(buy(bareWorld({ seed: oneHolder() }), { Pin: 'correct' }).data).toMatchObject({
      MerchantCity: '',
      MerchantState: '',
      MerchantCountry: 'US',
      TerminalId: '12313123',
    });
  });

  it('has trailing blanks in its postal code', () => {
    expect(buy(bareWorld({ seed: oneHolder() }), { MerchantZip: '76000' }).data).toMatchObject({
      MerchantZip: '76000    ',
    });
  });
});

describe('padding', () => {
  const padded = () => bareWorld({ seed: oneHolder(), assumptions: { padAuthorizations: true } });

  it.each([
    ['5542', 49],
    ['5811', 2],
    ['5812', 2],
    ['5813', 2],
    ['5814', 2],
    ['5251', 0],
  ])('of ten dollars at a merchant of category %s is %i dollars', (MCCCode, dollars) => {
    expect(buy(padded(), { MCCCode }).data).toMatchObject({ PaddingAmount: dollars });
  });

  it('is held with the purchase', () => {
    const bare = padded();
    buy(bare, { MCCCode: '5542' });

    expect(onlyAccount(bare).heldCents).toBe(5900);
  });

  it.each([true, false])('is no part of what is settled or reversed (counted against limits: %s)', (isCounted) => {
    const begin = () => {
      const assumptions = { padAuthorizations: true, paddingCountsAgainstLimits: isCounted };
      const bare = bareWorld({ seed: oneHolder(), assumptions });
      const { NetworkTransactionId } = buy(bare, { MCCCode: '5542' });
      const last = () => ({ ...bare.world.purchaseById.get(NetworkTransactionId), ...bare.emitted.at(-1)?.data });
      return { bare, NetworkTransactionId, last };
    };
    const settled = begin();
    settle(settled.bare.world, settled);
    const reversed = begin();
    reverse(reversed.bare.world, reversed);
    const partly = begin();
    reverse(partly.bare.world, { ...partly, Amount: 4 });

    expect(settled.last()).toMatchObject({ TransactionAmount: -10, countedCents: 1000, refundableCents: 1000 });
    expect(reversed.last()).toMatchObject({ TransactionAmount: 10, countedCents: 0, state: 'reversed' });
    expect(onlyAccount(reversed.bare)).toMatchObject({ heldCents: 0 });
    expect(partly.last()).toMatchObject({ TransactionAmount: 4, heldCents: 5500 });
    expect(() => reverse(partly.bare.world, { ...partly, Amount: 6.01 })).toThrow('Reversal exceeds the transaction');
  });

  it('must be covered by the balance', () => {
    const bare = bareWorld({ seed: oneHolder(58), assumptions: { padAuthorizations: true } });

    expect(buy(bare, { MCCCode: '5542' })).toMatchObject({ Approved: false, MessageCode: 'decline.balance.card' });
  });

  it('is not added to a PIN transaction, which is final', () => {
    expect(buy(padded(), { MCCCode: '5542', Pin: 'correct' }).data).toMatchObject({ PaddingAmount: 0 });
  });

  it('is not added unless so assumed', () => {
    expect(buy(bareWorld({ seed: oneHolder() }), { MCCCode: '5542' }).data).toMatchObject({ PaddingAmount: 0 });
  });
});

it('a card counts as present by default', () => {
  const seed = oneHolder(500, { rules: { cardNotPresent: false } });

  expect(buy(bareWorld({ seed }))).toMatchObject({ Approved: true });
  expect(buy(bareWorld({ seed }), { IsCardPresent: true })).toMatchObject({ Approved: true });
  expect(buy(bareWorld({ seed }), { IsCardPresent: false })).toMatchObject({
    MessageCode: 'decline.rule.cardnotpresent',
  });
});

describe('an impossible step is refused with 400 and a reason', () => {
  it('for the reversal of a settled purchase', () => {
    const bare = bareWorld({ seed: oneHolder() });
    const { NetworkTransactionId } = buy(bare);
    settle(bare.world, { NetworkTransactionId });

    expect(() => reverse(bare.world, { NetworkTransactionId })).toThrow(
      expect.objectContaining({ status: 400, message: 'Transaction cannot be reversed: it is settled' }),
    );
  });

  it('for a PIN purchase that was refunded in full', () => {
    const bare = bareWorld({ seed: oneHolder() });
    const { NetworkTransactionId } = buy(bare, { Pin: 'correct' });
    refund(bare.world, { NetworkTransactionId });

    expect(() => reverse(bare.world, { NetworkTransactionId })).toThrow(
      expect.objectContaining({ status: 400, message: 'Transaction cannot be reversed: it is refunded' }),
    );
  });

  it('for a return of more than was charged', () => {
    const bare = bareWorld({ seed: oneHolder() });
    const { NetworkTransactionId } = buy(bare);

    expect(() => reverse(bare.world, { NetworkTransactionId, Amount: 10.01 })).toThrow(
      expect.objectContaining({ status: 400, message: 'Reversal exceeds the transaction' }),
    );
    settle(bare.world, { NetworkTransactionId });
    expect(() => refund(bare.world, { NetworkTransactionId, Amount: 10.01 })).toThrow(
      expect.objectContaining({ status: 400 }),
    );
  });
});

it.each([
  ['blocked', block],
  ['unblocked', unblock],
])('an account with a closed card or none cannot be %s', (_what, change) => {
  const closed = bareWorld({ seed: oneHolder(500, { cards: [{ status: 'CLOSED' }] }) });
  const none = bareWorld({ seed: oneHolder() });
  onlyAccount(none).cards.length = 0;

  for (const bare of [closed, none]) {
    expect(() => change(bare.world, onlyAccount(bare))).toThrow(expect.objectContaining({ status: 403 }));
    expect(bare.emitted).toEqual([]);
  }
});

it.each([
  ['before', 9990],
  ['after', 10_000],
] as const)('a reversal states the balance %s it', (webhookBalances, dollars) => {
  const bare = bareWorld({ seed: oneHolder(), assumptions: { webhookBalances } });
  const { NetworkTransactionId } = buy(bare);

  reverse(bare.world, { NetworkTransactionId });

  expect(bare.emitted.at(-1)?.data).toMatchObject({ AvailableBalance: dollars });
});
