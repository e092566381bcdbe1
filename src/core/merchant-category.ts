import countries from 'i18n-iso-countries/index.js';
import list from './merchant-categories.json' with { type: 'json' };

const { categories }: { readonly categories: Readonly<Record<string, string>> } = list;

/** Ranges in which each code is one company. If the list lacks a company, the range gives its type. */
const blocks: readonly (readonly [first: number, last: number, companies: string])[] = [
  [3000, 3350, 'Airlines'],
  [3351, 3500, 'Car rental'],
  [3501, 3999, 'Hotels and motels'],
];

/**
 * A merchant category code in words: `Hardware stores`, or `Airline: Delta` for the code of a single company.
 *
 * The words and their source are in `merchant-categories.json`.
 *
 * @returns null for an unknown code.
 */
export function merchantCategory(code: string): string | null {
  const digits = code.trim();
  if (!/^\d{3,4}$/.test(digits)) return null;
  const number = Number(digits);
  const block = blocks.find(([first, last]) => number >= first && number <= last);
  return categories[digits.padStart(4, '0')] ?? block?.[2] ?? null;
}

/** All names of categories: `5812 Restaurants`, `Hotels and motels`. */
export const merchantCategoryNames: readonly string[] = [
  ...Object.entries(categories).map(([code, name]) => `${code} ${name}`),
  ...blocks.map(([, , companies]) => companies),
];

const regionNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/**
 * Converts ISO 3166 as merchants send it (two letters, three letters or a number) to two letters. Undefined when it is
 * not a country.
 */
export function countryCode(code: string): string | undefined {
  const text = code.trim().toUpperCase();
  if (/^\d{1,3}$/.test(text)) return countries.numericToAlpha2(text.padStart(3, '0'));
  if (/^[A-Z]{3}$/.test(text)) return countries.alpha3ToAlpha2(text);
  return /^[A-Z]{2}$/.test(text) && countries.alpha2ToAlpha3(text) !== undefined ? text : undefined;
}

/** `PT`, `PRT` or `620` → `Portugal`. Null when the code is not a country. */
export function countryName(code: string): string | null {
  const region = countryCode(code);
  return region === undefined ? null : (regionNames.of(region) ?? null);
}

/** For use in a sentence: `the United States`, `Portugal`. The code itself when it is not a country. */
export function countryInSentence(code: string): string {
  const name = countryName(code) ?? code;
  return /^(United|Netherlands|Philippines|Bahamas|Maldives|Gambia|Seychelles|Comoros)\b|(Republic|Islands|Territories)$/.test(
    name,
  )
    ? `the ${name}`
    : name;
}

const folded = (name: string): string => name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();

const codesByName: ReadonlyMap<string, string> = new Map([
  ...Object.keys(countries.getAlpha2Codes()).map((code): [string, string] => [
    folded(regionNames.of(code) ?? code),
    code,
  ]),
  ['uk', 'GB'],
  ['great britain', 'GB'],
  ['america', 'US'],
]);

/** A country as people type it, by name or code, as two letters. Undefined when it is not a country. */
export function readCountry(text: string): string | undefined {
  return codesByName.get(folded(text)) ?? countryCode(text);
}

interface MerchantLocation {
  readonly city: string;
  readonly state: string;
  readonly country: string;
}

/** Equal for every spelling of a place. */
export function placeKey(where: MerchantLocation): string {
  return locationLine(where).toLowerCase().replaceAll(/\s+/g, ' ');
}

/** `Austin, TX` in the United States, `Lisbon, Portugal` elsewhere. Empty when nothing is known. */
export function locationLine({ city, state, country }: MerchantLocation): string {
  const region = countryCode(country);
  const isAbroad = region !== undefined && region !== 'US';
  const parts = isAbroad ? [city.trim(), countryName(region) ?? ''] : [city.trim(), state.trim()];
  const line = parts.filter((part) => part !== '').join(', ');
  if (line !== '') return line;
  return region === undefined ? country.trim() : (countryName(region) ?? '');
}
