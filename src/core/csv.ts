import { stringify } from 'csv-stringify/sync';

export type Cell = string | number | null | undefined;

const format = { record_delimiter: 'windows', quoted: true, quoted_empty: true } as const;

/**
 * What every formula and every line break contains. Nearly all cells have none of it and need no search: no formula begins
 * behind a letter or digit, as in a date.
 */
const mayBeSpecial = /[\p{Cc}\u2028\u2029]|(?<![0-9A-Za-z])[=+\-@＝＋－＠﹢﹣−]/u;

/** Text that a spreadsheet treats as a formula, also after spaces and invisible characters. */
const beginsWithFormula = /^["']*[\t\r]|^[\s\p{Cc}\p{Cf}"']*[=+\-@＝＋－＠﹢﹣−]/u;
/** A formula after anything a spreadsheet may treat as the end of a cell: the separator depends on locale and settings. */
const formulaInside =
  /([,;|\t\r\n\v\f\u0085\u2028\u2029](?:(?![\t\r\n\v\f\u0085\u2028\u2029])[\s\p{Cc}\p{Cf}"'])*)(?=[=+\-@＝＋－＠﹢﹣−])/gu;

/**
 * One line of CSV (RFC 4180) without its line break: every cell quoted, null and undefined empty.
 *
 * A spreadsheet would run text such as `=HYPERLINK(…)` as a formula. Names, reasons and merchants come from outside, so
 * formulas get a leading apostrophe. https://owasp.org/www-community/attacks/CSV_Injection
 */
export function csvLine(cells: readonly Cell[]): string {
  return stringify([cells.map(harmless)], { ...format, eof: false });
}

/** Spreadsheets recognize UTF-8 only when the file starts with this. */
export const BYTE_ORDER_MARK = '\uFEFF';

export type CsvColumn<Row> = readonly [head: string, of: (row: Row) => Cell];

/** A file for a spreadsheet: the headers, then one line per row. Line breaks inside a cell are removed. */
export function csvFile<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string {
  const head = columns.map(([name]) => name);
  const lines = [head, ...rows.map((row) => columns.map(([, of]) => harmlessOnOneLine(of(row))))];
  // One call: a call per line would take three times as long, for each alert of a burst.
  return BYTE_ORDER_MARK + stringify(lines, { ...format, eof: true });
}

/** `84.10`: a format that spreadsheets can sum. */
export function csvDollars(cents: number | null): string {
  return cents === null ? '' : (cents / 100).toFixed(2);
}

function harmlessOnOneLine(cell: Cell): Cell {
  return isSpecial(cell) ? harmless(cell.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')) : cell;
}

function harmless(cell: Cell): Cell {
  if (!isSpecial(cell)) return cell;
  const inside = cell.replaceAll('\0', '').replaceAll(formulaInside, "$1'");
  return beginsWithFormula.test(cell) ? `'${inside}` : inside;
}

const isSpecial = (cell: Cell): cell is string => typeof cell === 'string' && mayBeSpecial.test(cell);
