/** Dollars, as on the wire, to whole cents. */
export function toCents(dollars: number): number {
  return Math.round(dollars * 100);
}

/** Whole cents to dollars for the wire. */
export function toDollars(cents: number): number {
  return cents / 100;
}

/** Card networks send amounts as twelve digits of cents. */
export const AMOUNT_MAX = 9_999_999_999.99;

/** Whether a number has at most two decimals: the service's definition of an amount. */
export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && toDollars(toCents(value)) === value;
}
