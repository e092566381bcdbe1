/**
 * The merchant codes (MCC) of the card service's categories. The service publishes the names only; the codes follow from the
 * names and from the card networks' list. Codes that no name covers are left out: their category is then not known.
 */
export const categoryCodes: Readonly<Record<string, readonly string[]>> = {
  'Fuel Pump Only': ['5542'],
  'Fuel and Convenience Stores': ['5499', '5541', '5983'],
  Restaurants: ['5811-5814'],
  'Grocery Stores': ['5411-5462'],
  'Hardware Stores': ['5072', '5200-5261'],
  'Automotive Dealers': ['5511-5533', '5551-5599', '7531-7549'],
  'Healthcare and Childcare Services': ['5912', '8011-8099', '8351'],
  'Educational Services': ['8211-8299'],
  Entertainment: ['7829-7841', '7911-7999'],
  'Associations and Organizations': ['8398-8699'],
  'Travel and Transportation': ['3000-3999', '4011-4789', '7011-7033', '7512-7523'],
  'Professional Services': ['1520-1799', '7276', '7311-7399', '8111', '8911-8999'],
  // Shops of every other kind.
  'Retail Stores': ['5000-5999'],
};
