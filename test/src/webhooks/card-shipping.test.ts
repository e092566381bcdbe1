import { describe, expect, it } from 'vitest';
import type { ShippingEvent } from '../../../src/core/event.ts';
import { issuesOf, read } from './read.ts';

const shipping = (data: Record<string, unknown> = {}): ShippingEvent => read('card-shipping', data) as ShippingEvent;

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

  it('of a card that was never ordered belongs to no order', () => {
    expect(shipping({ CardOrderId: 0 }).cardOrderId).toBeNull();
  });

  it("keeps a known carrier's tracking number, and masks the middle of one that may be a card number", () => {
    expect(shipping({ TrackingNumber: ' 9400111899000000055211 ' }).trackingNumber).toBe('9400111899000000055211');
    expect(shipping({ TrackingNumber: ' 4111111111111111 ' }).trackingNumber).toBe('4111••••••••1111');
  });

  it.each([
    ['378734493671000', '3787•••••••1000'],
    ['3411 1111 1111 111', '3411•••••••1111'],
    ['JD4111111111111111', 'JD[card ••1111]'],
    ['JJD4111111111111111', 'JJD[card ••1111]'],
    ['JD014600006228974', 'JD014600006228974'],
    ['794644790138', '794644790138'],
  ])('%s, in the format of a carrier, is kept as %s', (TrackingNumber, kept) => {
    expect(shipping({ TrackingNumber }).trackingNumber).toBe(kept);
  });

  it('is read without a shipping method or digits of the wrong type', () => {
    expect(shipping({ ShippingMethod: 1, Last4CardNumber: {} })).toMatchObject({
      shippingMethod: '',
      last4: '',
      trackingNumber: '9400111899000000055211',
    });
  });

  it('rejects a tracking number that lost its last digits as a JSON number', () => {
    expect(issuesOf(() => shipping({ TrackingNumber: 9.400111899e21 }))).toHaveLength(1);
  });
});
