import { expect, it } from 'vitest';
import { countriesIn, notCountries } from '../../../src/routing/read-countries.ts';

it.each([
  ['Spain, PT and "South Korea"', ['ES', 'PT', 'KR']],
  ['Trinidad and Tobago', ['TT']],
  ['Spain, Atlantis', null],
  ['', null],
])('%j names the countries %j', (text, countries) => {
  expect(countriesIn(text)).toEqual(countries);
});

it.each([
  ['Doe Spain, Atlantis', '“Atlantis” is no country that I know.'],
  ['Atlantis, Mordor, ES', '“Atlantis” and “Mordor” are no countries that I know.'],
  ['Atlantis,', '“Atlantis” is no country that I know.'],
  ['', 'Which country?'],
])('says what of %j it cannot read', (text, why) => {
  expect(notCountries(text.split(' '))).toBe(why);
});
