import countries from 'i18n-iso-countries/index.js';
import mcc from 'mcc';

/** The list's own wording is long, dated or wrong here. */
const better: Readonly<Record<string, string>> = {
  '1711': 'Heating, plumbing and air conditioning contractors',
  '1740': 'Masonry, tile and plastering contractors',
  '1761': 'Roofing and sheet metal contractors',
  '1799': 'Special trade contractors',
  '4111': 'Commuter transport and ferries',
  '4121': 'Taxis and limousines',
  '4131': 'Bus lines',
  '4214': 'Freight carriers, movers and local delivery',
  '4215': 'Courier services',
  '4225': 'Storage and warehouses',
  '4511': 'Airlines',
  '4789': 'Transportation services',
  '4812': 'Phones and telecom equipment',
  '4814': 'Phone and telecom services',
  '4829': 'Money orders and wire transfers',
  '4899': 'Cable and pay television',
  '4900': 'Utilities',
  '5047': 'Medical and dental equipment',
  '5499': 'Convenience and specialty food stores',
  '5511': 'Car and truck dealers',
  '5541': 'Service stations',
  '5542': 'Fuel pumps',
  '5712': 'Furniture and home furnishings stores',
  '5732': 'Electronics stores',
  '5812': 'Restaurants',
  '5813': 'Bars and nightclubs',
  '5948': 'Luggage and leather goods stores',
  '5949': 'Sewing and fabric stores',
  '5964': 'Catalog merchants',
  '5965': 'Catalog and retail merchants',
  '5967': 'Inbound telephone sales',
  '5968': 'Subscriptions',
  '5969': 'Direct marketing',
  '5999': 'Specialty retail stores',
  '6010': 'Cash at a bank counter',
  '6011': 'Cash machines',
  '6051': 'Foreign currency, money orders and cryptocurrency',
  '6300': 'Insurance',
  '6381': 'Insurance premiums',
  '7011': 'Hotels and motels',
  '7251': 'Shoe repair and hat cleaning',
  '7298': 'Health and beauty spas',
  '7299': 'Personal services',
  '7372': 'Computer programming and data processing',
  '7393': 'Security services',
  '7399': 'Business services',
  '7512': 'Car rental',
  '7523': 'Parking lots and garages',
  '7699': 'Repair shops',
  '7995': 'Betting and casinos',
  '7997': 'Membership and country clubs',
  '8099': 'Medical services',
  '8220': 'Colleges and universities',
  '8911': 'Architects, engineers and surveyors',
  '8999': 'Professional services',
  '9399': 'Government services',
  '9402': 'Postal services',
  '9405': 'Payments within government',
  '9950': 'Payments within a company',
};

/** Blocks of codes that each name one company, and what a company of the block is. */
const companies: readonly (readonly [first: number, last: number, one: string, all: string])[] = [
  [3000, 3350, 'Airline', 'Airlines'],
  [3351, 3500, 'Car rental', 'Car rental'],
  [3501, 3999, 'Hotel', 'Hotels and motels'],
];

/** Misspelled in the list. */
const spelling: Readonly<Record<string, string>> = {
  AEORFLOT: 'Aeroflot',
  QUANTAS: 'Qantas',
  'SAUDIA ARABIAN AIRLINES': 'Saudi Arabian Airlines',
  'RED ROOK INNS': 'Red Roof Inns',
  'FARIFIELD INN': 'Fairfield Inn',
  'FARFIELD HOTELS': 'Fairfield Hotels',
};

const properNouns = /^(?:Visa|VisaPhone|TUI|U\.S\.|GCAS|Germany|American)$/;

function sentenceStyle(text: string): string {
  const tidy = text
    .replace(/\(\s*(?:not elsewhere|no longer|previously|not listed|for visa)[^)]*\)?/gi, '')
    .replace(/,?\s*not elsewhere (?:classified|defined)\)?/gi, '')
    .replace(/\bmisc\. /gi, 'miscellaneous ')
    .replace(/([a-z])\s?[–-]\s(?=[A-Z])/g, '$1: ')
    .replace(/ – /g, ': ')
    .replace(/\(\s+/g, '(')
    .replace(/\s+([,)])/g, '$1')
    .replace(/\s{2,}/g, ' ')
    .trim();
  const words = tidy.split(' ').map((word) => (properNouns.test(word) ? word : word.toLowerCase()));
  return words.join(' ').replace(/^\P{L}*\p{L}/u, (start) => start.toUpperCase());
}

/** `DAYS INN, DAYSTOP` → `Days Inn, Daystop`; a short name alone, such as `SAS`, stays as it is. */
function titleStyle(text: string): string {
  const name = text.replace(/^\*\s*/, '');
  if (/^[A-Z]{2,4}$/.test(name)) return name;
  const title = name.toLowerCase().replaceAll(/(?<![\p{L}\d’'])\p{L}/gu, (letter) => letter.toUpperCase());
  return title.replaceAll(/(?<= )(?:And|By|De|Des|Of|The)(?= )/g, (word) => word.toLowerCase());
}

/**
 * A merchant category code in words, such as `Hardware stores`; codes of one company name it: `Airline: Delta`.
 *
 * @returns null for a code that is in no list.
 */
export function merchantCategory(code: string): string | null {
  const digits = code.trim();
  if (!/^\d{3,4}$/.test(digits)) return null;
  const padded = digits.padStart(4, '0');
  const known = better[padded];
  if (known !== undefined) return known;
  const found = mcc.get(padded);
  const block = companies.find(([first, last]) => Number(padded) >= first && Number(padded) <= last);
  if (block === undefined) return found === undefined ? null : sentenceStyle(found.edited_description);
  const [, , one, all] = block;
  if (found === undefined || !/^[^a-z]*[A-Z]{2}/.test(found.edited_description)) return all;
  return `${one}: ${spelling[found.edited_description] ?? titleStyle(found.edited_description)}`;
}

const regionNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** ISO 3166 as merchants send it (two letters, three letters or a number) as two letters; undefined: no country. */
export function countryCode(code: string): string | undefined {
  const text = code.trim().toUpperCase();
  if (/^\d{1,3}$/.test(text)) return countries.numericToAlpha2(text.padStart(3, '0'));
  if (/^[A-Z]{3}$/.test(text)) return countries.alpha3ToAlpha2(text);
  return /^[A-Z]{2}$/.test(text) && countries.alpha2ToAlpha3(text) !== undefined ? text : undefined;
}

/** `PT`, `PRT` or `620` → `Portugal`; null when the code names no country. */
export function countryName(code: string): string | null {
  const region = countryCode(code);
  return region === undefined ? null : (regionNames.of(region) ?? null);
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

/** A country as people type it, by name or by code, as two letters; undefined: no country. */
export function readCountry(text: string): string | undefined {
  return codesByName.get(folded(text)) ?? countryCode(text);
}

interface MerchantLocation {
  readonly city: string;
  readonly state: string;
  readonly country: string;
}

/** `Austin, TX` in the United States, `Lisbon, Portugal` elsewhere; empty when nothing is known. */
export function locationLine({ city, state, country }: MerchantLocation): string {
  const region = countryCode(country);
  const isAbroad = region !== undefined && region !== 'US';
  const parts = isAbroad ? [city.trim(), countryName(region) ?? ''] : [city.trim(), state.trim()];
  const line = parts.filter((part) => part !== '').join(', ');
  if (line !== '') return line;
  return region === undefined ? country.trim() : (countryName(region) ?? '');
}
