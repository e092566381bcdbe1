import { describe, expect, it } from 'vitest';
import { refund, reverse, settle } from '../../sandbox/engine/after-purchase.ts';
import { purchase } from '../../sandbox/engine/purchase.ts';
import { type BareWorld, bareWorld, oneHolder, onlyAccount, transactionsOf } from './bare-world.ts';

const requestedAt = '2026-03-04T12:00:00';
const threeDaysLater = '2026-03-07T12:00:00';

function bought(amount: number, assumptions: Parameters<typeof bareWorld>[0] = {}): BareWorld & { id: number } {
  const bare = bareWorld({ seed: oneHolder(1000), ...assumptions });
  const { NetworkTransactionId } = purchase(bare.world, { AcctId: onlyAccount(bare).acctId, Amount: amount });
  return { ...bare, id: NetworkTransactionId };
}

describe('the time of a later step', () => {
  it.each([
    ['settlement', settle],
    ['reversal', reverse],
  ])('a %s repeats the request time of the authorization and has its own time in other fields', (_kind, step) => {
    const bare = bought(40);
    bare.at('2026-03-07T17:00:00Z');

    step(bare.world, { NetworkTransactionId: bare.id });

    expect(bare.emitted.at(-1)?.data).toMatchObject({
      TransactionTime: requestedAt,
      ReferencedTransactionTime: requestedAt,
      MerchantLocalTime: threeDaysLater,
      SettlementTime: step === settle ? threeDaysLater : null,
    });
  });

  it.each([
    ['settlement', settle],
    ['reversal', reverse],
  ])('a %s has its own TransactionTime if so assumed', (_kind, step) => {
    const bare = bought(40, { assumptions: { transactionTime: 'step' } });
    bare.at('2026-03-07T17:00:00Z');

    step(bare.world, { NetworkTransactionId: bare.id });

    expect(bare.emitted.at(-1)?.data).toMatchObject({
      TransactionTime: threeDaysLater,
      ReferencedTransactionTime: requestedAt,
    });
  });

  it('a refund is a separate transaction with its own time', () => {
    const bare = bought(40);
    settle(bare.world, { NetworkTransactionId: bare.id });
    bare.at('2026-03-07T17:00:00Z');

    refund(bare.world, { NetworkTransactionId: bare.id, Amount: 40 });

    expect(bare.emitted.at(-1)?.data).toMatchObject({ TransactionTime: threeDaysLater });
  });
});

it('a settlement states its transaction, when the money was held and when it was settled', () => {
  const bare = bought(40);
  bare.at('2026-03-07T17:00:00Z');

  settle(bare.world, { NetworkTransactionId: bare.id });

  expect(bare.emitted.at(-1)?.data).toMatchObject({
    TransactionId: expect.any(Number),
    HoldTime: requestedAt,
    SettlementTime: threeDaysLater,
  });
});

it.each([
  ['in part', 10, 97_000],
  ['in full', 40, 100_000],
])('the reversal of a PIN purchase credits the amount, %s', (_how, Amount, ledgerCents) => {
  const bare = bareWorld({ seed: oneHolder(1000) });
  const { acctId } = onlyAccount(bare);
  const { NetworkTransactionId } = purchase(bare.world, { AcctId: acctId, Amount: 40, Pin: 'correct' });
  expect(onlyAccount(bare).ledgerCents).toBe(96_000);

  reverse(bare.world, { NetworkTransactionId, Amount });

  expect(onlyAccount(bare)).toMatchObject({ ledgerCents, heldCents: 0 });
});

it.each([
  ['in part', 10, 3000],
  ['in full', 40, 0],
])('the reversal of an authorization releases the hold, %s, and debits nothing', (_how, Amount, heldCents) => {
  const bare = bought(40);
  expect(onlyAccount(bare)).toMatchObject({ ledgerCents: 100_000, heldCents: 4000 });

  reverse(bare.world, { NetworkTransactionId: bare.id, Amount });

  expect(onlyAccount(bare)).toMatchObject({ ledgerCents: 100_000, heldCents });
});

it('a settlement without an amount is of what was not reversed, also after the hold has expired', () => {
  const bare = bought(100);
  reverse(bare.world, { NetworkTransactionId: bare.id, Amount: 40 });
  bare.at('2026-03-20T17:00:00Z');

  settle(bare.world, { NetworkTransactionId: bare.id });

  expect(bare.emitted.at(-1)?.data).toMatchObject({ TransactionAmount: -60 });
  expect(onlyAccount(bare)).toMatchObject({ ledgerCents: 94_000, heldCents: 0 });
});

describe('several captures of one authorization', () => {
  it('are settlements with separate ids, and their amounts add up', () => {
    const bare = bought(40);

    settle(bare.world, { NetworkTransactionId: bare.id, Amount: 20 });
    settle(bare.world, { NetworkTransactionId: bare.id, Amount: 20 });

    const [, first, second] = bare.emitted.map(({ data }) => data);
    expect(second).toMatchObject({
      NetworkTransactionId: first.NetworkTransactionId,
      TransactionTime: first.TransactionTime,
      TransactionAmount: -20,
    });
    expect(second.TransactionId).not.toBe(first.TransactionId);
    expect(onlyAccount(bare)).toMatchObject({ ledgerCents: 96_000, heldCents: 0 });
    expect(bare.world.purchaseById.get(bare.id)).toMatchObject({ countedCents: 4000, refundableCents: 4000 });
  });

  it('need an amount each: a purchase settled in full is not settled again', () => {
    const bare = bought(40);
    settle(bare.world, { NetworkTransactionId: bare.id });

    expect(() => settle(bare.world, { NetworkTransactionId: bare.id })).toThrow('it is settled');
  });

  it('are refused if one capture is assumed', () => {
    const bare = bought(40, { assumptions: { capturesOfOneAuthorization: 'one' } });
    settle(bare.world, { NetworkTransactionId: bare.id, Amount: 20 });

    expect(() => settle(bare.world, { NetworkTransactionId: bare.id, Amount: 20 })).toThrow('it is settled');
  });
});

describe('transaction details', () => {
  const amounts = (bare: BareWorld) =>
    transactionsOf(bare)
      .filter(({ description }) => description === 'CORNER DINER')
      .map(({ amount, isPending }) => (isPending ? ['pending', amount] : amount));

  it('show what is still held of an authorization that was reversed in part', () => {
    const bare = bought(100);
    reverse(bare.world, { NetworkTransactionId: bare.id, Amount: 40 });

    expect(amounts(bare)).toEqual([['pending', -60]]);
    reverse(bare.world, { NetworkTransactionId: bare.id });
    expect(amounts(bare)).toEqual([]);
  });

  it('show what a refund gave back of a PIN purchase, also after the rest was reversed', () => {
    const bare = bareWorld({ seed: oneHolder(1000) });
    const pin = purchase(bare.world, { AcctId: onlyAccount(bare).acctId, Amount: 100, Pin: 'correct' });
    const { NetworkTransactionId } = pin;
    refund(bare.world, { NetworkTransactionId, Amount: 40 });
    reverse(bare.world, { NetworkTransactionId });

    expect(amounts(bare)).toEqual([-40, 40]);
    expect(onlyAccount(bare).ledgerCents).toBe(100_000);
  });

  it.each([false, true])('show the full price next to a refund (limit restored: %s)', (refundRestoresLimit) => {
    const bare = bought(100, { assumptions: { refundRestoresLimit } });
    settle(bare.world, { NetworkTransactionId: bare.id });
    refund(bare.world, { NetworkTransactionId: bare.id, Amount: 40 });

    expect(amounts(bare)).toEqual([-100, 40]);
    expect(bare.world.purchaseById.get(bare.id)?.countedCents).toBe(refundRestoresLimit ? 6000 : 10_000);
  });
});

it.each([null, 'Approved'] as const)('a reversal has the assumed NetworkStatus: %s', (reversalNetworkStatus) => {
  const bare = bought(40, { assumptions: { reversalNetworkStatus } });

  reverse(bare.world, { NetworkTransactionId: bare.id });

  expect(bare.emitted.at(-1)).toMatchObject({ kind: 'reversal', data: { NetworkStatus: reversalNetworkStatus } });
});
