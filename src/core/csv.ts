import { stringify } from 'csv-stringify/sync';

export type Cell = string | number | null | undefined;

/** What a spreadsheet takes for the beginning of a formula, also behind spaces and characters that nobody sees. */
const startsFormula = /^[\s\p{Cc}\p{Cf}]*[=+\-@\t\r＝＋－＠]/u;

/**
 * One line of CSV (RFC 4180) without its end. Empty cells stand for null and undefined.
 *
 * A spreadsheet would run a text such as `=HYPERLINK(…)` as a formula, and names, reasons and merchants come from outside:
 * an apostrophe in front makes it text. https://owasp.org/www-community/attacks/CSV_Injection
 */
export function csvLine(cells: readonly Cell[]): string {
  return stringify([[...cells]], {
    cast: { string: (text) => (startsFormula.test(text) ? `'${text}` : text) },
    eof: false,
    quoted_match: /^'|^\s|\s$/,
  });
}
