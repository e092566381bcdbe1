import { stringify } from 'csv-stringify/sync';

export type Cell = string | number | null | undefined;

/** How a spreadsheet recognizes a formula, also after spaces and invisible characters. */
const beginsWithFormula = /^["']*[\t\r]|^[\s\p{Cc}\p{Cf}"']*[=+\-@＝＋－＠﹢﹣−]/u;
/** What it may take for the end of a cell, because its separator depends on the country and on what somebody chose. */
const formulaInside =
  /([,;|\t\r\n\v\f\u0085\u2028\u2029](?:(?![\t\r\n\v\f\u0085\u2028\u2029])[\s\p{Cc}\p{Cf}"'])*)(?=[=+\-@＝＋－＠﹢﹣−])/gu;

/**
 * One line of CSV (RFC 4180) without its line break: every cell in quotes, null and undefined empty.
 *
 * A spreadsheet would run a text such as `=HYPERLINK(…)` as a formula, and names, reasons and merchants come from outside,
 * so each gets an apostrophe in front. https://owasp.org/www-community/attacks/CSV_Injection
 */
export function csvLine(cells: readonly Cell[]): string {
  return stringify([cells.map((cell) => (typeof cell === 'string' ? harmless(cell) : cell))], {
    eof: false,
    quoted: true,
    quoted_empty: true,
  });
}

/** Spreadsheets take UTF-8 for it only where this stands first. */
const BYTE_ORDER_MARK = '\uFEFF';

export type CsvColumn<Row> = readonly [head: string, of: (row: Row) => Cell];

/** A file for a spreadsheet: the heads, and one line for each row, also of texts that have several. */
export function csvFile<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string {
  const onOneLine = (cell: Cell): Cell =>
    typeof cell === 'string' ? cell.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ') : cell;
  const lines = [columns.map(([head]) => head), ...rows.map((row) => columns.map(([, of]) => onOneLine(of(row))))];
  return BYTE_ORDER_MARK + lines.map((line) => `${csvLine(line)}\r\n`).join('');
}

/** `84.10`, as a spreadsheet adds it up. */
export function csvDollars(cents: number | null): string {
  return cents === null ? '' : (cents / 100).toFixed(2);
}

function harmless(text: string): string {
  const inside = text.replaceAll('\0', '').replaceAll(formulaInside, "$1'");
  return beginsWithFormula.test(text) ? `'${inside}` : inside;
}
