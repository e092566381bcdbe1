import fc from 'fast-check';

/** Any 13 to 19 digits whose last one is Luhn's check digit. */
export const cardNumber: fc.Arbitrary<string> = fc
  .stringMatching(/^[1-9]\d{11,17}$/)
  .map((digits) => digits + checkDigitOf(digits));

function checkDigitOf(digits: string): number {
  let sum = 0;
  for (const [index, digit] of digits.split('').reverse().entries()) {
    const weighed = Number(digit) * (index % 2 === 0 ? 2 : 1);
    sum += weighed > 9 ? weighed - 9 : weighed;
  }
  return (10 - (sum % 10)) % 10;
}
