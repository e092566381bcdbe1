import { isQuotedReason } from '../core/end-time.ts';
import { joinWithAnd } from '../core/join-with-and.ts';
import { readCountry } from '../core/merchant-category.ts';

/** Countries by name or code, also in quotes: `Spain, France and "South Korea"`. Null when a part is none. */
export function countriesIn(text: string): readonly string[] | null {
  const parts = text
    .replaceAll(/["“”]/g, '')
    .split(/\s*,\s*(?:(?:and|&)\s+)?/i)
    .filter((part) => part !== '');
  const countries = parts.flatMap(joinedCountries);
  return countries.length > 0 && countries.every((country) => country !== undefined) ? countries : null;
}

/** Of a name such as `Trinidad and Tobago`. */
const NAME_WORDS_MAX = 4;

/**
 * A question if another country follows the end of a trip, `Spain until friday and France`, which would be its reason. Null:
 * none does, or it is quoted. “Jordan approved” is a reason.
 */
export function countryBehindEnd(words: readonly string[], known: readonly string[]): string | null {
  if (isQuotedReason(words)) return null;
  const isLinked = isLink(words[0]);
  const { countries, rest } = leadingCountries(words);
  const other = countries.find(({ country }) => !known.includes(country));
  if (other === undefined || (rest.length > 0 && !isLinked)) return null;
  return `Is “${other.name}” part of the trip? Write all countries before the time, such as “Spain, France until friday”. If it is the reason, quote it.`;
}

const isLink = (word = ''): boolean => /^(and|then|also|plus|&|,)$/i.test(word);

function leadingCountries(words: readonly string[]) {
  const countries: { readonly name: string; readonly country: string }[] = [];
  let rest = words;
  for (;;) {
    const behind = rest.slice(isLink(rest[0]) ? 1 : 0);
    const first = firstCountry(behind);
    if (first === null) return { countries, rest };
    countries.push(first);
    rest = behind.slice(first.count);
  }
}

/** By its longest name. A code is in capitals: `it` is a word. */
function firstCountry(words: readonly string[]) {
  for (let count = Math.min(NAME_WORDS_MAX, words.length); count > 0; count -= 1) {
    const name = words
      .slice(0, count)
      .join(' ')
      .replace(/[,.;]+$/, '');
    const country = name.length > 3 || name === name.toUpperCase() ? readCountry(name) : undefined;
    if (country !== undefined) return { name, country, count };
  }
  return null;
}

/** More than the name of a country has. A typed text may be long, and each end of it is read. */
const WORDS_MAX = 12;

/** What is no country among the words behind the first of the card, of which the next may belong to the card, too. */
export function notCountries(words: readonly string[]): string {
  const [first = '', ...others] = words
    .join(' ')
    .replace(/^(?:to|in|for)\s/i, '')
    .split(/\s*,\s*/);
  const ends = first
    .split(' ')
    .slice(-WORDS_MAX)
    .map((_, at, all) => all.slice(at).join(' '));
  const isReadable = ends.some((end) => countriesIn(end) !== null);
  const unknown = [
    ...(isReadable ? [] : [first]),
    ...others.filter((part) => part !== '' && countriesIn(part) === null),
  ];
  if (unknown.join('') === '') return 'Which country?';
  const quoted = joinWithAnd(unknown.map((part) => `“${part.slice(0, 40)}”`));
  return unknown.length === 1 ? `${quoted} is no country that I know.` : `${quoted} are no countries that I know.`;
}

/** `Spain and Portugal`, but also `Trinidad and Tobago`, which is one country. */
function joinedCountries(text: string): (string | undefined)[] {
  const [, before, last = ''] = /^(.*)\s(?:and|&)\s(.*)$/i.exec(text) ?? [];
  const whole = readCountry(text);
  return before === undefined || whole !== undefined ? [whole] : [...joinedCountries(before), readCountry(last)];
}
