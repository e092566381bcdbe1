import countries from 'i18n-iso-countries/index.js';
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' };
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

/** Equal for spellings of one country: `The Bahamas`, `St. Lucia` and `Saint Lucia`, `Trinidad & Tobago`. */
function folded(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .trim()
    .replace(/^the /, '')
    .replaceAll(/\bst\.? /g, 'saint ')
    .replaceAll('&', 'and')
    .replaceAll('’', "'");
}

/** Names that no list has. */
const otherNames = {
  AE: ['emirates'],
  BA: ['bosnia'],
  GB: ['england', 'scotland', 'wales', 'northern ireland', 'britain'],
  MM: ['burma'],
  MO: ['macau'],
  NL: ['holland'],
  US: ['america'],
  VA: ['vatican', 'vatican city'],
} as const;

const codesByName: ReadonlyMap<string, string> = indexNames();

/** Without the names that several countries share, such as Congo. */
function indexNames(): ReadonlyMap<string, string> {
  const codes = new Map<string, Set<string>>();
  const add = (name: string, code: string): void => {
    const key = folded(name);
    codes.set(key, (codes.get(key) ?? new Set()).add(code));
  };
  for (const [code, names] of [...Object.entries(english.countries), ...Object.entries(otherNames)])
    for (const name of [names].flat()) add(name, code);
  for (const code of Object.keys(countries.getAlpha2Codes())) add(regionNames.of(code) ?? code, code);
  return new Map([...codes].flatMap(([name, [code, ...more]]) => (code && more.length === 0 ? [[name, code]] : [])));
}

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

/** Outside the United States, as far as the merchant says where it is. */
export function isAbroad({ country }: Pick<MerchantLocation, 'country'>): boolean {
  const region = countryCode(country);
  return region !== undefined && region !== 'US';
}

/** `Austin, TX` in the United States, `Lisbon, Portugal` elsewhere. Empty when nothing is known. */
export function locationLine({ city, state, country }: MerchantLocation): string {
  const region = countryCode(country);
  const parts = isAbroad({ country }) ? [city.trim(), countryName(country) ?? ''] : [city.trim(), state.trim()];
  const line = parts.filter((part) => part !== '').join(', ');
  if (line !== '') return line;
  return region === undefined ? country.trim() : (countryName(region) ?? '');
}
