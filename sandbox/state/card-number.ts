/** Issuer prefix of the well-known test numbers. No real card starts with it. */
const TEST_PREFIX = '411111';

/**
 * A 16-digit test number that passes the Luhn check and has the given ending.
 *
 * The serial fills the middle. The digit before the last four makes the checksum valid.
 */
export function testCardNumber(serial: number, lastFour: string): string {
  const middle = String(serial % 100_000).padStart(5, '0');
  for (let digit = 0; digit <= 9; digit += 1) {
    const number = `${TEST_PREFIX}${middle}${digit}${lastFour}`;
    if (passesLuhn(number)) return number;
  }
  throw new Error('no digit completes the number');
}

/** The Luhn check over a number of digits. */
export function passesLuhn(number: string): boolean {
  const sum = Array.from(number)
    .reverse()
    .reduce((total, character, index) => {
      const digit = Number(character);
      if (index % 2 === 0) return total + digit;
      return total + (digit > 4 ? digit * 2 - 9 : digit * 2);
    }, 0);
  return sum % 10 === 0;
}

/** The last four digits of the n-th card: spread out, and the same on every run. */
export function lastFourOf(serial: number): string {
  return String((serial * 7919 + 1234) % 10_000).padStart(4, '0');
}
