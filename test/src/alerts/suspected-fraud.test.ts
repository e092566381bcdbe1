import { describe, expect, it } from 'vitest';
import { isSuspectedFraud } from '../../../src/alerts/suspected-fraud.ts';
import { declineEvent, shippingEvent } from '../routing/subjects.ts';

describe('suspected fraud', () => {
  it.each([
    ['a wrong PIN', declineEvent({ code: 'decline.card.pin' })],
    ['a code that names fraud', declineEvent({ code: 'decline.Suspected_Fraud' })],
    ['a purchase of crypto', declineEvent({ kind: 'authorization', mcc: '6051' })],
    ['a declined money transfer', declineEvent({ mcc: '4829' })],
    ['a declined bet', declineEvent({ mcc: '7995' })],
  ])('is %s', (_what, event) => {
    expect(isSuspectedFraud(event)).toBe(true);
  });

  it.each([
    ['a decline at a café', declineEvent()],
    ['a purchase at a café', declineEvent({ kind: 'authorization' })],
    ['a parcel', shippingEvent()],
  ])('is not %s', (_what, event) => {
    expect(isSuspectedFraud(event)).toBe(false);
  });
});
