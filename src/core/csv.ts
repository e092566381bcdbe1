import { stringify } from 'csv-stringify/sync';

export type Cell = string | number | null | undefined;

/** How a spreadsheet recognizes a formula, also after spaces and invisible characters. */
const startsFormula = /^[\s\p{Cc}\p{Cf}]*[=+\-@\t\r＝＋－＠]/u;

/**
 * One line of CSV (RFC 4180) without its line break. Null and undefined become empty cells.
 *
 * A spreadsheet would run a text such as `=HYPERLINK(…)` as a formula, and names, reasons and merchants come from outside,
 * so it gets an apostrophe in front. https://owasp.org/www-community/attacks/CSV_Injection
 */
export function csvLine(cells: readonly Cell[]): string {
  return stringify([[...cells]], {
    cast: { string: (text) => (startsFormula.test(text) ? `'${text}` : text) },
    eof: false,
    quoted_match: /^'|^\s|\s$/,
  });
}
