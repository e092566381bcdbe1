import { expect, it } from 'vitest';
import { latestPurchases } from '../../../src/alerts/latest-purchases.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

const bought = transactionAlert({ kind: 'authorization', decline: null }).event;

it('counts no check of the card as a purchase', () => {
  expect(latestPurchases([{ ...bought, amountCents: 0 }, bought, { ...bought, kind: 'pin', amountCents: 0 }])).toEqual([
    bought,
  ]);
});

it('leaves out a purchase that was taken back, not one that was so in part', () => {
  const other = { ...bought, networkTransactionId: '7' };
  const back = (amountCents: number, of = bought) =>
    ({ ...of, kind: 'reversal', direction: 'credit', amountCents }) as const;

  expect(latestPurchases([bought, other, back(8000), back(410)])).toEqual([other]);
  expect(latestPurchases([bought, other, back(8000)])).toEqual([{ ...bought, amountCents: 410 }, other]);
});

it('takes only those that are wanted, and finds their reversals all the same', () => {
  const elsewhere = { ...bought.merchant, name: 'Elsewhere' };
  const back = { ...bought, kind: 'reversal', merchant: elsewhere } as const;
  const isWanted = ({ merchant }: typeof bought): boolean => merchant.name !== 'Elsewhere';

  expect(latestPurchases([bought, back], isWanted)).toEqual([]);
  const there = { ...bought, networkTransactionId: '7', merchant: elsewhere };
  expect(latestPurchases([bought, there], isWanted)).toEqual([bought]);
});

const minutes = (count: number): string => new Date(Date.parse(bought.occurredAt) + count * 60_000).toISOString();
const step = (kind: typeof bought.kind, amountCents: number, over: Partial<typeof bought> = {}) => ({
  ...bought,
  id: `evt_${kind}_${amountCents}`,
  kind,
  amountCents,
  ...over,
});
const refund = { direction: 'credit', occurredAt: minutes(90) } as const;

it.each([
  ['what a fuel pump charged, not what it held', [step('authorization', 12_500), step('settlement', 6420)], 6420],
  ['what a fuel pump charged after it checked $1.00', [step('authorization', 100), step('settlement', 6420)], 6420],
  ['the amount with the tip', [step('authorization', 5000), step('settlement', 5900)], 5900],
  ['what is still held', [step('authorization', 12_500), step('reversal', 6080)], 6420],
  ['the sum of two authorizations', [step('authorization', 12_500), step('authorization', 10_000)], 22_500],
  [
    'what a reversal left of two authorizations',
    [step('authorization', 12_500), step('authorization', 10_000), step('reversal', 12_500, refund)],
    10_000,
  ],
  ['what was not refunded', [step('pin', 5000), step('settlement', 2000, refund)], 3000],
  ['what a reversal left of a PIN purchase', [step('pin', 5000), step('reversal', 2000, refund)], 3000],
])('shows %s', (_what, steps, amountCents) => {
  const later = steps.map((one, index) =>
    index === 0 || one.occurredAt !== bought.occurredAt ? one : { ...one, occurredAt: minutes(index) },
  );

  expect(latestPurchases(later)).toEqual([expect.objectContaining({ occurredAt: bought.occurredAt, amountCents })]);
});

it('leaves out a purchase that was refunded in full, and a refund without a purchase', () => {
  const refunded = step('settlement', 8410, refund);

  expect(
    latestPurchases([
      step('authorization', 8410),
      step('settlement', 8410, { occurredAt: minutes(1) }),
      { ...refunded, id: 'evt_refund' },
    ]),
  ).toEqual([]);
  expect(latestPurchases([refunded])).toEqual([]);
});
