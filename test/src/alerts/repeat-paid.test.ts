import { expect, it } from 'vitest';
import { repeatPaid } from '../../../src/alerts/repeat-paid.ts';
import { outcome, transactionAlert } from '../../templates/fixtures.ts';

const { event } = transactionAlert();
const paid = outcome({ verb: 'paid', by: null, at: '2026-11-20T14:21:00Z' });

it.each([
  ['', event.merchant.name, '$84.10 at Blue Bottle Coffee'],
  ['$40.00 of $84.10', event.merchant.name, '$40.00 of $84.10 at Blue Bottle Coffee'],
  ['', ' ', '$84.10'],
])('names the purchase among several that was paid: %j at %j', (text, name, words) => {
  const declined = { ...event, merchant: { ...event.merchant, name } };

  expect(repeatPaid({ ...paid, text }, declined)).toEqual({ ...paid, verb: 'repeat-paid', text: words });
});
