/** First webhook version with the signs in use since Dec 27, 2017. */
const NEW_SIGNS = [2, 0, 1, 3];

/** Whether a webhook version (major.minor.patch.build) uses the newer signs. */
function hasNewSigns(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, least] of NEW_SIGNS.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

/** The payload in the version's format: the older signs are the reverse of the newer ones, in every kind. */
export function signed<T extends object>(data: T, version: string): T {
  if (hasNewSigns(version) || !('TransactionAmount' in data)) return data;
  const turn = (value: unknown): unknown => (typeof value === 'number' && value !== 0 ? -value : value);
  return {
    ...data,
    TransactionAmount: turn(data.TransactionAmount),
    ...('MerchantRequestedAmount' in data ? { MerchantRequestedAmount: turn(data.MerchantRequestedAmount) } : {}),
  };
}
