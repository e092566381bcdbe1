import { type MerchantCategory, noLimits, type SpendRules } from './spend-rules.ts';

const everyOther = category(10, 'RetailStores', 'Retail Stores', 'Shops of every other kind', [[0, 9999]]);

/** The thirteen merchant categories: wire key of the basic rules, name, description, and the merchant codes in it. */
export const MERCHANT_CATEGORIES = [
  category(
    1,
    'AssociationsAndOrganizations',
    'Associations and Organizations',
    'Clubs, charities, political and religious groups',
    [[8398, 8699]],
  ),
  category(2, 'AutomotiveDealers', 'Automotive Dealers', 'Dealers, parts, service and repair of vehicles', [
    [5511, 5540],
    [5551, 5599],
    [7531, 7549],
  ]),
  category(3, 'EducationalServices', 'Educational Services', 'Schools, colleges, courses', [[8211, 8299]]),
  category(4, 'Entertainment', 'Entertainment', 'Theatres, events, sports, games', [
    [7829, 7841],
    [7911, 7999],
  ]),
  category(5, 'FuelAndConvenienceStores', 'Fuel and Convenience Stores', 'Service stations and their shops', [
    [5541, 5541],
    [5499, 5499],
    [5983, 5983],
  ]),
  category(6, 'GroceryStores', 'Grocery Stores', 'Supermarkets, bakeries, food shops', [[5411, 5462]]),
  category(
    7,
    'HealthcareAndChildcareServices',
    'Healthcare and Childcare Services',
    'Doctors, hospitals, pharmacies, child care',
    [
      [8011, 8099],
      [8351, 8351],
      [5912, 5912],
    ],
  ),
  category(9, 'Restaurants', 'Restaurants', 'Restaurants, bars, fast food', [[5811, 5814]]),
  category(11, 'TravelAndTransportation', 'Travel and Transportation', 'Airlines, hotels, car rental, rail, taxi', [
    [3000, 3999],
    [4011, 4789],
    [7011, 7033],
    [7512, 7523],
  ]),
  category(12, 'FuelPumpOnly', 'Fuel Pump Only', 'Automated fuel dispensers', [[5542, 5542]]),
  category(13, 'HardwareStores', 'Hardware Stores', 'Hardware, lumber, garden and building materials', [
    [5200, 5261],
    [5072, 5072],
  ]),
  category(
    8,
    'ProfessionalServices',
    'Professional Services',
    'Law, accounting, advertising, repair, utilities, government',
    [
      [700, 1999],
      [4812, 4900],
      [6300, 9999],
    ],
  ),
  everyOther,
] as const;

function category(
  id: number,
  key: string,
  name: string,
  description: string,
  ranges: readonly (readonly [number, number])[],
) {
  return { id, key, name, description, ranges };
}

/** The category of a merchant code. The last entry catches everything else, so every code has one. */
export function categoryOf(mccCode: string): (typeof MERCHANT_CATEGORIES)[number] {
  const code = Number(mccCode);
  const found = MERCHANT_CATEGORIES.find(({ ranges }) => ranges.some(([from, to]) => code >= from && code <= to));
  return found ?? everyOther;
}

/** Whether spend rules allow a category. @param emptyAllowsAll what an empty list means. */
export function allowsCategory(
  { MerchantCategories: listed }: SpendRules,
  id: number,
  emptyAllowsAll: boolean,
): boolean {
  return (listed.length === 0 && emptyAllowsAll) || listed.some(({ Id }) => Id === id);
}

/** A category as listed in spend rules, without limits. */
export function merchantCategory(id: number): MerchantCategory {
  const found = MERCHANT_CATEGORIES.find((entry) => entry.id === id);
  if (found === undefined) throw new Error(`no merchant category ${id}`);
  return { Id: found.id, Name: found.name, Description: found.description, TransactionLimit: null, ...noLimits() };
}

/** All categories, in the order of their ids. */
export function allMerchantCategories(): MerchantCategory[] {
  return MERCHANT_CATEGORIES.map(({ id }) => merchantCategory(id)).sort((a, b) => a.Id - b.Id);
}
