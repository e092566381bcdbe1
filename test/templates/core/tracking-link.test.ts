import { describe, expect, it } from 'vitest';
import { trackingLink } from '../../../templates/core/tracking-link.ts';

const usps = '9400111201080805483016';

describe('the carrier', () => {
  it.each([
    ['USPS', 'ABC123456', 'USPS'],
    ['UPS Ground', usps, 'UPS'],
    ['UPSGround', 'ABC123456', 'UPS'],
    ['ups', 'ABC123456', 'UPS'],
    ['FedEx 2Day', 'ABC123456', 'FedEx'],
    ['Fed Ex Priority Overnight', 'ABC123456', 'FedEx'],
    ['DHL Express', 'ABC123456', 'DHL'],
  ])('named in %j is trusted', (method, number, carrier) => {
    expect(trackingLink(method, number)?.carrier).toBe(carrier);
  });

  it.each([
    ['FirstClassMail', 'ABC123456', 'USPS'],
    ['Priority', 'ABC123456', 'USPS'],
    ['PriorityMail', usps, 'USPS'],
    ['Priority', '1Z5R89390357567127', 'UPS'],
    ['Expedited', 'ABC123456', undefined],
    ['Rush', '1234567890123', undefined],
    ['', 'ABC123456', undefined],
  ])('of %j with %s is %s', (method, number, carrier) => {
    expect(trackingLink(method, number)?.carrier).toBe(carrier);
  });

  it.each([
    [usps, 'USPS'],
    ['9505 5110 6960 5048 6006 24', 'USPS'],
    ['92748931507708513018', 'USPS'],
    ['RB123456785US', 'USPS'],
    ['RB123456784US', undefined],
    ['RB123456785DE', undefined],
    ['1Z5R89390357567127', 'UPS'],
    ['1z879e930346834440', 'UPS'],
    ['1Z5R89390357567128', undefined],
    ['986578788855', 'FedEx'],
    ['996578788855', undefined],
    ['0414 4176 0228 964', 'FedEx'],
    ['568283610012732', undefined],
    ['61299998820821171811', 'FedEx'],
    ['61299998820821171812', undefined],
    ['9611020987654312345672', 'FedEx'],
    ['9611020987654312345673', undefined],
    ['3318810025', 'DHL'],
    ['3318810010', undefined],
    ['JD014600003828394857', 'DHL'],
    ['000000000000', undefined],
    ['0000000000', undefined],
    ['71123456789123456787', undefined],
  ])('of the bare number %s is %s', (number, carrier) => {
    expect(trackingLink('', number)?.carrier).toBe(carrier);
  });
});

it('links to the carrier’s own page', () => {
  expect(trackingLink('USPS', '9400 1112 0108 0805 4830 16')?.url).toBe(
    `https://tools.usps.com/go/TrackConfirmAction?tLabels=${usps}`,
  );
});

it.each(['', '-', 'ab', '<!channel>', '"><script>', '12345678901?x=1', 'x'.repeat(50)])(
  'gives no link for %j, which is not a tracking number',
  (number) => {
    expect(trackingLink('USPS', number)).toBeNull();
  },
);
