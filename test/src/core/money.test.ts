import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCents, parseAmount, toCents } from '../../../src/core/money.ts';

const cents = fc.integer({ min: -99_999_999_999_999, max: 99_999_999_999_999 });

describe('dollars as the service sends them', () => {
  it.each([
    [-84.1, -8410],
    [0, 0],
    [-0, 0],
    [0.1 + 0.2, 30],
    [1.005, 101],
    [-1.005, -101],
    [0.005, 1],
    [0.004, 0],
    [-0.004, 0],
    [1e-7, 0],
    [-1e-7, 0],
    [999_999_999_999, 99_999_999_999_900],
    [1e21, 1e23],
  ])('%d become %d cents', (amount, expected) => {
    expect(toCents(amount)).toBe(expected);
  });

  it('keep every cent, however large', () => {
    fc.assert(fc.property(cents, (amount) => toCents(Number(`${amount}e-2`)) === amount));
  });

  it('are the same amount with either sign', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e12, max: 1e12, noNaN: true }), (amount) => {
        expect(Math.abs(toCents(amount))).toBe(Math.abs(toCents(-amount)));
      }),
    );
  });
});

describe('an amount for people', () => {
  it.each([
    [0, '$0.00'],
    [5, '$0.05'],
    [123_456, '$1,234.56'],
    [-1234, '-$12.34'],
    [99_999_999_999_999, '$999,999,999,999.99'],
  ])('%d is written %s', (amount, text) => {
    expect(formatCents(amount)).toBe(text);
  });

  it('can be typed back as written', () => {
    const typed = fc.integer({ min: 0, max: 99_999_999_999 });
    fc.assert(fc.property(typed, (amount) => parseAmount(formatCents(amount)) === amount));
  });
});

describe('an amount that a person typed', () => {
  it.each([
    ['400', 40_000],
    ['$1,250.50', 125_050],
    [' 1250.5 ', 125_050],
    ['$ 20', 2000],
    ['1,234,567', 123_456_700],
    ['0', 0],
    ['0.01', 1],
    ['007', 700],
    ['1k', 100_000],
    ['$2.5K', 250_000],
    ['1.250,00', 125_000],
    ['$1.234.567,89', 123_456_789],
    ['$999,999,999.99', 99_999_999_999],
    ['450 USD', 45_000],
    ['450 dollars', 45_000],
    ['1,250.50$', 125_050],
    ['USD 450', 45_000],
  ])('%j is %d cents', (text, amount) => {
    expect(parseAmount(text)).toBe(amount);
  });

  it.each([
    '',
    'lots',
    '-5',
    '+5',
    '1.234',
    '1,25',
    '1.250,0',
    '1,250k',
    'k',
    '12,34,567',
    '1e3',
    '5 canadian dollars',
    'dollars',
    '$',
    '.5',
    '5.',
    '1 000',
    '1234567890123',
    '1,234,567,890',
    '999,999,999,999,999,999',
    '1.234.567.890,00',
    '0,500',
    '0.500,00',
  ])('%j is not an amount', (text) => {
    expect(parseAmount(text)).toBeNull();
  });
});
