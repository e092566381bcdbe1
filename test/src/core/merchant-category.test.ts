import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import list from '../../../src/core/merchant-categories.json' with { type: 'json' };
import { countryName, locationLine, merchantCategory, readCountry } from '../../../src/core/merchant-category.ts';

describe('a merchant category', () => {
  it.each([
    ['5251', 'Hardware stores'],
    ['5812', 'Restaurants'],
    ['5814', 'Fast food restaurants'],
    ['0742', 'Veterinary services'],
    ['742', 'Veterinary services'],
    [' 5411 ', 'Grocery stores, supermarkets'],
    ['6011', 'Cash machines'],
    ['9702', 'GCAS emergency services'],
    ['3000', 'Airline: United Airlines'],
    ['3016', 'Airline: SAS'],
    ['3012', 'Airline: Qantas'],
    ['3357', 'Car rental: Hertz Rent-A-Car'],
    ['3690', 'Hotel: Courtyard by Marriott'],
    ['3003', 'Airlines'],
    ['3551', 'Hotels and motels'],
    ['3449', 'Car rental'],
    ['9999', null],
    ['', null],
    ['abcd', null],
    ['58a2', null],
    ['58121', null],
  ])('%j is %j', (code, words) => {
    expect(merchantCategory(code)).toBe(words);
  });

  it('is a complete phrase in sentence case for every code of the list', () => {
    for (const [code, words] of Object.entries(list.categories)) {
      expect(merchantCategory(code), code).toBe(words);
      expect(words, code).toMatch(/^\p{Lu}.*[\p{L}\d).]$/u);
      expect(words, code).not.toMatch(/\s{2}|\( | \)|elsewhere|no longer|[–,:] *$/i);
      expect(words.length, code).toBeLessThan(110);
    }
  });

  it('has its common name for every possible code', () => {
    const codes = Array.from({ length: 10_000 }, (_, number) => String(number).padStart(4, '0'));
    const names = codes.map((code) => `${code} ${merchantCategory(code)}`).join('\n');

    // Changes with any name. Update the digest after reviewing the changes.
    expect(createHash('sha256').update(names).digest('hex')).toBe(
      '39e3fe47f0fab6c90a4fa20e660290516a9e7c9329b6c2a619f3ea3df725a375',
    );
  });
});

describe('a country', () => {
  it.each([
    ['US', 'United States'],
    ['usa', 'United States'],
    ['840', 'United States'],
    ['PT', 'Portugal'],
    ['PRT', 'Portugal'],
    ['620', 'Portugal'],
    ['8', 'Albania'],
    ['XX', null],
    ['ZZZ', null],
    ['000', null],
    ['', null],
    ['Portugal', null],
  ])('%j is %j', (code, name) => {
    expect(countryName(code)).toBe(name);
  });
});

describe('a place', () => {
  it.each([
    [{ city: 'Austin', state: 'TX', country: 'US' }, 'Austin, TX'],
    [{ city: 'Austin', state: 'TX', country: '840' }, 'Austin, TX'],
    [{ city: 'Austin', state: 'TX', country: '' }, 'Austin, TX'],
    [{ city: 'Lisbon', state: '', country: 'PRT' }, 'Lisbon, Portugal'],
    [{ city: 'Toronto', state: 'ON', country: 'CA' }, 'Toronto, Canada'],
    [{ city: '', state: '', country: 'PT' }, 'Portugal'],
    [{ city: '', state: '', country: 'US' }, 'United States'],
    [{ city: '', state: 'TX', country: 'USA' }, 'TX'],
    [{ city: ' Austin ', state: ' ', country: '' }, 'Austin'],
    [{ city: '', state: '', country: 'Atlantis' }, 'Atlantis'],
    [{ city: '', state: '', country: '' }, ''],
  ])('%j is %j', (place, line) => {
    expect(locationLine(place)).toBe(line);
  });
});

describe('a country that a person types', () => {
  it.each([
    ['Turkey', 'TR'],
    ['Türkiye', 'TR'],
    ['Hong Kong', 'HK'],
    ['czech republic', 'CZ'],
    ['Macau', 'MO'],
    ['Ivory Coast', 'CI'],
    ['Côte d’Ivoire', 'CI'],
    ['England', 'GB'],
    ['UAE', 'AE'],
    ['Saint Lucia', 'LC'],
    ['St. Lucia', 'LC'],
    ['Trinidad and Tobago', 'TT'],
    ['Bosnia', 'BA'],
    ['The Netherlands', 'NL'],
    ['ES', 'ES'],
    ['Congo', undefined],
    ['Atlantis', undefined],
  ])('%j is %j', (typed, code) => {
    expect(readCountry(typed)).toBe(code);
  });

  it('is every name that we print', () => {
    for (let first = 65; first <= 90; first += 1)
      for (let second = 65; second <= 90; second += 1) {
        const code = String.fromCharCode(first, second);
        const name = countryName(code);
        if (name !== null) expect(readCountry(name), name).toBe(code);
      }
  });
});
