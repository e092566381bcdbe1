const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** `123456` → `$1,234.56`. Whole cents in, US dollars out; the service knows no other currency. */
export function formatCents(cents: number): string {
  return dollars.format(cents / 100);
}

/**
 * Decimal dollars as the service sends them → whole cents, sign kept.
 *
 * Goes over the shortest decimal text, because `1.005 * 100` is not `100.5` in binary.
 */
export function toCents(amount: number): number {
  const cents = Math.round(Number(`${amount}e2`));
  return Number.isFinite(cents) ? cents : Math.round(amount * 100);
}

/**
 * Reads an amount that a person typed: `400`, `$1,250.50`, `1250.5`.
 *
 * @returns whole cents, or null when it is no plain positive amount with at most two decimals.
 */
export function parseAmount(text: string): number | null {
  const match = /^\$?\s?((?:\d{1,3}(?:,\d{3})+|\d{1,9})(?:\.\d{1,2})?)$/.exec(text.trim());
  if (match?.[1] === undefined) return null;
  return toCents(Number(match[1].replaceAll(',', '')));
}
