export type Carrier = 'USPS' | 'UPS' | 'FedEx' | 'DHL';

/** Weighted sum of digits; weights apply from the right and repeat. */
function weightedSum(digits: string, weights: readonly number[]): number {
  return Array.from(digits)
    .reverse()
    .reduce((sum, digit, i) => sum + Number(digit) * (weights[i % weights.length] ?? 0), 0);
}

/** GS1: the digit before the check digit counts three times, the next once, and so on. */
function isMod10(number: string): boolean {
  return (10 - (weightedSum(number.slice(0, -1), [3, 1]) % 10)) % 10 === Number(number.at(-1));
}

function isFedEx(number: string): boolean {
  const body = number.slice(0, -1);
  const check = Number(number.at(-1));
  if (/^\d{12}$/.test(number)) return (weightedSum(body, [1, 3, 7]) % 11) % 10 === check && !/^0+$/.test(number);
  if (/^\d{15}$/.test(number)) return isMod10(number) && !/^0+$/.test(number);
  if (/^\d{20}$/.test(number)) return isMod10(`92${number}`) && !/^0+$/.test(number);
  if (/^96\d{20}$/.test(number)) return isMod10(number.slice(-15));
  return false;
}

/** `1Z`, fifteen letters or digits, and a check digit. A letter counts as its position in the alphabet plus one. */
function isUps(number: string): boolean {
  if (!/^1Z[0-9A-Z]{15}\d$/.test(number)) return false;
  const values = Array.from(number.slice(2, -1), (char) =>
    /\d/.test(char) ? Number(char) : (char.charCodeAt(0) - 63) % 10,
  );
  const sum = values.reduce((total, value, i) => total + value * (i % 2 === 0 ? 1 : 2), 0);
  return (10 - (sum % 10)) % 10 === Number(number.at(-1));
}

/** S10 of the Universal Postal Union, issued in the United States. */
function isUsS10(number: string): boolean {
  if (!/^[A-Z]{2}\d{9}US$/.test(number)) return false;
  const sum = [8, 6, 4, 2, 3, 5, 9, 7].reduce((total, weight, i) => total + weight * Number(number[i + 2]), 0);
  const rest = 11 - (sum % 11);
  return (rest === 10 ? 0 : rest === 11 ? 5 : rest) === Number(number[10]);
}

function isDhl(number: string): boolean {
  if (/^\d{10}$/.test(number)) return Number(number.slice(0, 9)) % 7 === Number(number[9]) && !/^0+$/.test(number);
  return /^(?:JD\d{11,18}|JJD\d{10,20})$/.test(number);
}

/** The carrier of a tracking number, only when its format is unambiguous; otherwise null. */
export function carrierOfForm(number: string): Carrier | null {
  if (isUps(number)) return 'UPS';
  if (/^9[2-5]\d{18,20}$/.test(number) || isUsS10(number)) return 'USPS';
  if (isFedEx(number)) return 'FedEx';
  return isDhl(number) ? 'DHL' : null;
}
