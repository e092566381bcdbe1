import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isAmount, toDollars } from '../../sandbox/money.ts';

it('whole cents are an amount, and what is between them is none, however close', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999_999_999 }), (cents) => {
      expect(isAmount(toDollars(cents))).toBe(true);
      expect(isAmount(Number(`${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`))).toBe(true);
    }),
  );
  for (const value of [1e-9, 0.001, 12.3400001, Number.NaN, Number.POSITIVE_INFINITY])
    expect(isAmount(value)).toBe(false);
});
