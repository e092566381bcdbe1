import { merchantCategory } from '../core/merchant-category.ts';
import { foldName, nameWords } from '../directory/card-query.ts';

/**
 * Whether a merchant with this code (MCC) belongs to the merchant category with this name. Null: to a company's own category,
 * whose name does not tell.
 */
export type FitsMerchant = (categoryName: string, mcc: string) => boolean | null;

/**
 * @param codes for each of the service's own categories, its merchant codes: `5411` or `5411-5462`. The first category that
 * has a code is the one it belongs to. Categories with other names belong to the company: they match by their words.
 */
export function createFitsMerchant(codes: Readonly<Record<string, readonly string[]>>): FitsMerchant {
  const table = Object.entries(codes).map(([name, ranges]) => ({ key: foldName(name), ranges: ranges.map(rangeOf) }));
  return (categoryName, mcc) => {
    const key = foldName(categoryName);
    const code = mcc.trim();
    if (!/^\d{3,4}$/.test(code)) return false;
    if (!table.some((one) => one.key === key)) return sharesWord(categoryName, merchantCategory(code) ?? '') || null;
    const number = Number(code);
    return table.find(({ ranges }) => ranges.some(([from, to]) => number >= from && number <= to))?.key === key;
  };
}

function rangeOf(text: string): readonly [from: number, to: number] {
  const [from, to = from] = text.split('-').map(Number);
  return [from ?? Number.NaN, to ?? Number.NaN];
}

/** `Office Furniture` and `Furniture stores` match. */
function sharesWord(category: string, merchantKind: string): boolean {
  const weak = new Set(['and', 'stores', 'store', 'services', 'service', 'shops', 'places', 'other']);
  const stems = (text: string): string[] =>
    nameWords(text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2'))
      .filter((word) => !weak.has(word))
      .map((word) => word.slice(0, 5));
  const wanted = stems(merchantKind);
  return stems(category).some((stem) => wanted.includes(stem));
}
