/** First webhook version in which a debit is negative. Specification, "Versioning" 3. */
const SIGNS_CHANGED_IN = [2, 0, 1, 3];

/**
 * Whether `X-SERVICE-Version` says that the signs of today are used: debits negative, credits positive.
 *
 * A missing or unreadable version counts as today's: one later description of the service omits the header.
 */
export function hasCurrentSigns(version: string | undefined): boolean {
  const text = version?.trim() ?? '';
  if (!/^\d{1,9}(\.\d{1,9}){0,9}$/.test(text)) return true;
  const numbers = text.split('.').map(Number);
  for (const [index, wanted] of SIGNS_CHANGED_IN.entries()) {
    const given = numbers[index] ?? 0;
    if (given !== wanted) return given > wanted;
  }
  return true;
}
