import type { PurchaseRequest } from '../engine/purchase-request.ts';

const PLACES = [
  'Harbor',
  'Lakeside',
  'Elm',
  'Northside',
  'Corner',
  'Union',
  'Mill',
  'Canal',
  'Hilltop',
  'Juniper',
  'Dock',
  'Garden',
];
const SHOPS: readonly (readonly [name: string, mcc: string])[] = [
  ['Bakery', '5462'],
  ['Tavern', '5812'],
  ['Books', '5942'],
  ['Fuel', '5542'],
  ['Hardware', '5251'],
  ['Pharmacy', '5912'],
  ['Grocery', '5411'],
  ['Parking', '7523'],
  ['Casino', '7995'],
  ['Cabs', '4121'],
  ['Office Supply', '5943'],
  ['Theatre', '7922'],
];

/** Number of different shops: each decline of a rush uses a different one. */
export const RUSH_MAX = PLACES.length * SHOPS.length;

/**
 * Purchases of many cards at many shops at once, all declined, for several reasons. No shop is used twice, so nothing
 * repeats and nothing looks like card testing.
 *
 * @param acctIds cards to use; they take turns.
 * @param count at most `RUSH_MAX`.
 * @param skip how many shops earlier rushes have used: continues with the next ones, then with a second branch in each
 * street.
 */
export function rushPurchases(acctIds: readonly number[], count: number, skip = 0): PurchaseRequest[] {
  if (acctIds.length === 0) return [];
  return Array.from({ length: Math.min(count, RUSH_MAX) }, (_, turn) => {
    const i = skip + turn;
    const [shop, mcc] = SHOPS[i % SHOPS.length] as (typeof SHOPS)[number];
    const place = PLACES[(i + Math.floor(i / SHOPS.length)) % PLACES.length] as string;
    const branch = i < RUSH_MAX ? '' : ` ${Math.floor(i / RUSH_MAX) + 1}`;
    return {
      AcctId: acctIds[turn % acctIds.length] as number,
      // Some exceed any balance.
      Amount: i % 5 === 2 ? 9400 + i : (1250 + ((i * 737) % 9000)) / 100,
      MerchantName: `${place} ${shop}${branch}`,
      MerchantCity: i % 4 === 3 ? 'Lyon' : 'Albany',
      MerchantState: i % 4 === 3 ? '' : 'NY',
      MerchantCountry: i % 4 === 3 ? 'FR' : 'US',
      MCCCode: mcc,
      DoNotHonor: true,
    };
  });
}
