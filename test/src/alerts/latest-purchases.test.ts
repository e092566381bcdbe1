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
  expect(latestPurchases([bought, other, back(8000)])).toEqual([bought, other]);
});

it('takes only those that are wanted, and finds their reversals all the same', () => {
  const elsewhere = { ...bought.merchant, name: 'Elsewhere' };
  const back = { ...bought, kind: 'reversal', merchant: elsewhere } as const;
  const isWanted = ({ merchant }: typeof bought): boolean => merchant.name !== 'Elsewhere';

  expect(latestPurchases([bought, back], isWanted)).toEqual([]);
  expect(latestPurchases([bought, { ...bought, merchant: elsewhere }], isWanted)).toEqual([bought]);
});
