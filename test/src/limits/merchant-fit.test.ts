import { describe, expect, it } from 'vitest';
import { MERCHANT_CATEGORIES } from '../../../sandbox/state/merchant-category.ts';
import { categoryCodes } from '../../../src/card-api/assumptions.ts';
import { createFitsMerchant } from '../../../src/limits/merchant-fit.ts';

const fits = createFitsMerchant(categoryCodes);
const all = MERCHANT_CATEGORIES.map(({ name }) => name);
const categoriesOf = (mcc: string) => all.filter((name) => fits(name, mcc));

describe('the merchant category of a merchant code', () => {
  it.each(['5311', '5331', '5399', '5641', '5651', '5661', '5732', '5942', '5945', '5971', '5994'])(
    '%s is in Retail Stores only',
    (mcc) => {
      expect(categoriesOf(mcc)).toEqual(['Retail Stores']);
    },
  );

  it.each([
    ['5812', 'Restaurants'],
    ['5411', 'Grocery Stores'],
    ['5251', 'Hardware Stores'],
    ['5542', 'Fuel Pump Only'],
    ['5541', 'Fuel and Convenience Stores'],
    ['5521', 'Automotive Dealers'],
    ['3058', 'Travel and Transportation'],
    ['8675', 'Associations and Organizations'],
    ['742', undefined],
  ])('%s is in %s', (mcc, name) => {
    expect(categoriesOf(mcc)).toEqual(name === undefined ? [] : [name]);
  });

  it.each(['', '  ', '58', '58123', 'abcd', '9950'])('%j is in none', (mcc) => {
    expect(categoriesOf(mcc)).toEqual([]);
  });

  it('is found by every spelling of the name', () => {
    expect(fits('HardwareStores', '5251')).toBe(true);
    expect(fits('hardware stores', ' 5251 ')).toBe(true);
  });

  it('is the first of the table that has the code', () => {
    const own = createFitsMerchant({ Food: ['5411', '5811-5814'], Everything: ['0-9999'] });

    expect([own('Food', '5812'), own('Everything', '5812')]).toEqual([true, false]);
    expect([own('Food', '5815'), own('Everything', '5815')]).toEqual([false, true]);
    expect(own('Food', '5411')).toBe(true);
  });
});

describe('a company’s own category', () => {
  it.each([
    ['Hotels', '7011'],
    ['CarRental', '7512'],
  ])('%s fits a merchant with code %s by its words', (name, mcc) => {
    expect(fits(name, mcc)).toBe(true);
  });

  it.each([
    ...['and', 'stores', 'store', 'services', 'service', 'shops', 'places', 'other'].map((word) => [
      `Bottles ${word}`,
      '5661',
    ]),
    ['Shovels', '5661'],
    ['Hotels', '9950'],
  ])('%s may fit a merchant with code %s, which shares only common words', (name, mcc) => {
    expect(fits(name, mcc)).toBeNull();
  });
});
