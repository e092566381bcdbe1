import { describe, expect, it } from 'vitest';
import { refund, reverse, settle } from '../../../sandbox/engine/after-purchase.ts';
import { purchase } from '../../../sandbox/engine/purchase.ts';
import { createPurchases } from '../../../src/alerts/purchase-store.ts';
import type { TransactionEvent } from '../../../src/core/event.ts';
import { createLock } from '../../../src/core/lock.ts';
import { toStoredEvent } from '../../../src/webhooks/kind.ts';
import { toMissedTransaction } from '../../../src/webhooks/transaction.ts';
import { bareWorld, oneHolder, onlyAccount } from '../../sandbox/bare-world.ts';
import { useRedis } from '../../support/on-redis.ts';
import { read } from './read.ts';

const zone = 'America/New_York';
const redis = useRedis();
const readings = ['request', 'step'] as const;

/** A purchase of $40 on March 4 and the given steps a few days later, as webhooks and as rows of the API. */
function eventsOf(transactionTime: (typeof readings)[number], steps: readonly Step[]): Told {
  const bare = bareWorld({ seed: oneHolder(1000), assumptions: { transactionTime } });
  const { NetworkTransactionId } = purchase(bare.world, { AcctId: onlyAccount(bare).acctId, Amount: 40 });
  for (const { at, step, amount } of steps) {
    bare.at(at);
    step(bare.world, { NetworkTransactionId, Amount: amount });
  }
  const callbacks = ['2026-03-04T17:00:00Z', ...steps.map(({ at }) => at)];
  const webhooks = bare.emitted.map(({ kind, data }, index) => {
    const callbackTime = callbacks[index]?.replace('Z', '.5000000+00:00') ?? '';
    const options = { zone, version: '2.0.1.3', receivedAt: '2026-03-20T12:00:00.000Z' };
    return toStoredEvent({ CallbackTime: callbackTime, Data: data }, kind, options) as TransactionEvent;
  });
  const receivedAt = '2026-03-20T12:00:00.000Z';
  const rows = bare.world.state.rows.map(({ row }) => toMissedTransaction({ ...row }, { zone, receivedAt }));
  return { webhooks, rows };
}
interface Step {
  readonly at: string;
  readonly step: typeof settle;
  readonly amount: number;
}
interface Told {
  readonly webhooks: readonly TransactionEvent[];
  readonly rows: readonly TransactionEvent[];
}

describe.each(readings)('where TransactionTime is the time of the %s', (reading) => {
  it('a settlement has its settlement time, and refers back to the request', () => {
    const { webhooks, rows } = eventsOf(reading, [{ at: '2026-03-08T19:30:00Z', step: settle, amount: 40 }]);

    for (const events of [webhooks, rows]) {
      expect(events[1]).toMatchObject({
        occurredAt: '2026-03-08T19:30:00.0000000Z',
        settledAt: '2026-03-08T19:30:00.0000000Z',
        requestedAt: '2026-03-04T17:00:00.0000000Z',
      });
    }
  });

  it('a reversal has the time of its report or its terminal, not that of the purchase', () => {
    const { webhooks, rows } = eventsOf(reading, [{ at: '2026-03-08T19:30:00Z', step: reverse, amount: 40 }]);

    for (const events of [webhooks, rows]) {
      expect(events[1]?.occurredAt).toMatch(/^2026-03-08T19:30:00/);
      expect(events[1]).toMatchObject({ settledAt: null, requestedAt: '2026-03-04T17:00:00.0000000Z' });
    }
  });

  it.each([
    ['captured', settle],
    ['reversed', reverse],
  ])('two equal parts that are %s are two events, with the same ids by webhook and by the API', (_how, step) => {
    const { webhooks, rows } = eventsOf(reading, [
      { at: '2026-03-06T17:00:00Z', step, amount: 20 },
      { at: '2026-03-07T17:00:00Z', step, amount: 20 },
    ]);

    expect(new Set(webhooks.map(({ id }) => id)).size).toBe(3);
    expect(rows.map(({ id }) => id)).toEqual(webhooks.map(({ id }) => id));
  });

  it('two captures in the same second are two events', () => {
    const { webhooks } = eventsOf(reading, [
      { at: '2026-03-06T17:00:00Z', step: settle, amount: 20 },
      { at: '2026-03-06T17:00:00Z', step: settle, amount: 20 },
    ]);

    expect(new Set(webhooks.map(({ id }) => id)).size).toBe(3);
  });

  it('a purchase captured twice is one thread that lists both captures', async () => {
    const { webhooks } = eventsOf(reading, [
      { at: '2026-03-06T17:00:00Z', step: settle, amount: 20 },
      { at: '2026-03-07T17:00:00Z', step: settle, amount: 20 },
    ]);
    const purchases = createPurchases(redis(), createLock(redis()));

    for (const event of webhooks) await purchases.join(event);
    const { steps, leaderId } = await purchases.join(webhooks[0] as TransactionEvent);

    expect(leaderId).toBe(webhooks[0]?.id);
    expect(steps.map(({ kind, cents }) => [kind, cents])).toEqual([
      ['authorization', 4000],
      ['settlement', 2000],
      ['settlement', 2000],
    ]);
  });

  it('a refund refers back to the purchase, and has its settlement time', () => {
    const { webhooks } = eventsOf(reading, [
      { at: '2026-03-06T17:00:00Z', step: settle, amount: 40 },
      { at: '2026-03-09T16:00:00Z', step: refund, amount: 40 },
    ]);

    expect(webhooks[2]).toMatchObject({ direction: 'credit', occurredAt: '2026-03-09T16:00:00.0000000Z' });
  });
});

describe('an unreadable or implausible time', () => {
  it.each([[null], [undefined], ['soon'], [7]])('SettlementTime %j falls back to TransactionTime', (SettlementTime) => {
    expect(read('settlement', { SettlementTime })).toMatchObject({
      settledAt: null,
      occurredAt: '2026-03-02T17:31:07.0000000Z',
    });
  });

  it('SettlementTime of a purchase is ignored', () => {
    expect(read('pin', { SettlementTime: '2026-03-02T12:31:07' })).toMatchObject({ settledAt: null });
  });

  it('a reference later than the step is ignored', () => {
    expect(read('settlement', { ReferencedTransactionTime: '2027-01-01T00:00:00' })).toMatchObject({
      requestedAt: '2026-03-02T17:31:07.0000000Z',
    });
    for (const kind of ['settlement', 'reversal'] as const) {
      expect(read(kind)).toMatchObject({ isReferenced: true });
      for (const ReferencedTransactionTime of ['2027-01-01T00:00:00', null])
        expect(read(kind, { ReferencedTransactionTime })).not.toMatchObject({ isReferenced: true });
    }
  });

  it.each([
    ['before the purchase', '2026-03-02T11:00:00'],
    ['in the future', '2027-03-02T11:00:00'],
    ['missing', null],
  ])('a terminal clock that is %s is ignored for a reversal without a webhook', (_how, MerchantLocalTime) => {
    const row = { ...readRow(), MerchantLocalTime };

    expect(toMissedTransaction(row, { zone, receivedAt: '2026-03-20T12:00:00.000Z' }).occurredAt).toBe(
      '2026-03-04T17:00:00.0000000Z',
    );
  });
});

/** A reversal as the API shows it. */
function readRow(): Record<string, unknown> {
  const bare = bareWorld({ seed: oneHolder(1000) });
  const made = purchase(bare.world, { AcctId: onlyAccount(bare).acctId, Amount: 40 });
  bare.at('2026-03-08T19:30:00Z');
  reverse(bare.world, { NetworkTransactionId: made.NetworkTransactionId });
  return { ...bare.world.state.rows.at(-1)?.row };
}
