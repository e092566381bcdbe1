/** Dollars as the wire carries them to whole cents. */
export function toCents(dollars: number): number {
  return Math.round(dollars * 100);
}

/** Whole cents to dollars for the wire. */
export function toDollars(cents: number): number {
  return cents / 100;
}

/** Whether a number has no more than two decimals: what the service calls an amount. */
export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && Math.abs(value * 100 - Math.round(value * 100)) < 1e-6;
}
