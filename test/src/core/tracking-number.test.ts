import { describe, expect, it } from 'vitest';
import { carrierOfForm } from '../../../src/core/tracking-number.ts';

describe('the carrier of a tracking number', () => {
  it.each([
    ['9400111201080805483016', 'USPS'],
    ['1Z5R89390357567127', 'UPS'],
    ['1Z5R89390357567128', null],
    ['4111111111111111', null],
    ['378282246310005', null],
    ['', null],
  ])('of %j is %s', (number, carrier) => {
    expect(carrierOfForm(number)).toBe(carrier);
  });
});
