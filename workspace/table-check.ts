import { checkFields, checkLength, checkList, checkString, checkWord, type Report } from './check-report.ts';
import { isRecord, type Json, record } from './json.ts';
import { LIMITS } from './limits.ts';

function cellText(cell: Json): number {
  if (cell.type !== 'rich_text') return typeof cell.text === 'string' ? cell.text.length : 0;
  let length = 0;
  JSON.stringify(cell, (key, value: unknown) => {
    if (key === 'text' && typeof value === 'string') length += value.length;
    return value;
  });
  return length;
}

/** Besides type. */
const CELL_FIELDS: Record<string, readonly string[]> = {
  raw_text: ['text'],
  rich_text: ['elements'],
  raw_number: ['value', 'text'],
};

function checkCell(report: Report, cell: unknown, pointer: string): number {
  if (!isRecord(cell)) {
    report.add(pointer, 'must provide an object');
    return 0;
  }
  checkWord(report, cell, 'type', pointer, Object.keys(CELL_FIELDS), true);
  checkFields(report, cell, pointer, ['type', ...(CELL_FIELDS[String(cell.type)] ?? [])]);
  if (cell.type === 'raw_number') {
    const isNumber = typeof cell.value === 'number' && Number.isFinite(cell.value);
    if (!isNumber) report.add(`${pointer}/value`, 'must be a number');
    checkString(report, cell, 'text', pointer, LIMITS.tableCharacters, true);
  }
  if (cell.type === 'raw_text') {
    if (typeof cell.text !== 'string') report.add(pointer, 'missing required field: text');
    else checkLength(report, cell.text, `${pointer}/text`, LIMITS.tableCharacters);
  }
  if (cell.type === 'rich_text') checkRichText(report, cell, pointer);
  return cellText(cell);
}

function checkRichText(report: Report, cell: Json, pointer: string) {
  for (const { item, place } of checkList(report, cell, 'elements', pointer, LIMITS.text)) {
    checkWord(report, item, 'type', place, ['rich_text_section'], true);
    checkFields(report, item, place, ['type', 'elements']);
    for (const { item: part, place: at } of checkList(report, item, 'elements', place, LIMITS.text)) {
      checkWord(report, part, 'type', at, ['text', 'user'], true);
      checkFields(report, part, at, ['type', part.type === 'text' ? 'text' : 'user_id', 'style']);
    }
  }
}

function checkRows(report: Report, block: Json, pointer: string): number {
  const rows = block.rows;
  if (!Array.isArray(rows)) {
    report.add(pointer, 'missing required field: rows');
    return 0;
  }
  if (rows.length < 1) report.add(`${pointer}/rows`, 'no less than 1 items allowed');
  if (rows.length > LIMITS.dataTableRows.max)
    report.add(`${pointer}/rows`, `no more than ${LIMITS.dataTableRows.max} items allowed`);
  let characters = 0;
  for (const [index, row] of rows.entries()) {
    const place = `${pointer}/rows/${index}`;
    if (!Array.isArray(row) || row.length === 0) {
      report.add(place, 'must provide an array of cells');
      continue;
    }
    if (row.length > LIMITS.tableCells.max) report.add(place, `no more than ${LIMITS.tableCells.max} items allowed`);
    for (const [column, cell] of row.entries()) characters += checkCell(report, cell, `${place}/${column}`);
  }
  return characters;
}

/**
 * A data table block: all rows have the same length, numbers are values, and the header is plain text. Returns its
 * characters, which count across all tables of a message.
 */
export function checkDataTable(report: Report, block: Json, pointer: string): number {
  checkString(report, block, 'caption', pointer, LIMITS.text, true);
  checkInteger(report, block, 'page_size', pointer, { min: 1, max: LIMITS.dataTablePage.max });
  const rows = Array.isArray(block.rows) ? block.rows : [];
  if (rows.length < 2) report.add(`${pointer}/rows`, 'no less than 2 items allowed');
  const columns = Array.isArray(rows[0]) ? rows[0].length : 0;
  checkInteger(report, block, 'row_header_column_index', pointer, { min: 0, max: Math.max(0, columns - 1) });
  for (const [index, row] of rows.entries()) {
    if (Array.isArray(row) && row.length !== columns) {
      report.add(`${pointer}/rows/${index}`, 'must have as many cells as the other rows');
    }
  }
  for (const [column, cell] of (Array.isArray(rows[0]) ? rows[0] : []).entries()) {
    if (isRecord(cell) && cell.type === 'rich_text') {
      report.add(`${pointer}/rows/0/${column}/type`, 'rich_text is not allowed in the header row');
    }
  }
  return checkRows(report, block, pointer);
}

function checkInteger(
  report: Report,
  block: Json,
  name: string,
  pointer: string,
  { min, max }: { readonly min: number; readonly max: number },
) {
  const value = block[name];
  if (value === undefined) return;
  const fits = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
  if (!fits) report.add(`${pointer}/${name}`, `must be an integer from ${min} to ${max}`);
}

/** A data visualization block: series of bars over shared categories. */
export function checkChart(report: Report, block: Json, pointer: string) {
  checkString(report, block, 'title', pointer, LIMITS.chartTitle, true);
  const chart = record(block.chart);
  const place = `${pointer}/chart`;
  checkWord(report, chart, 'type', place, ['bar'], true);
  checkFields(report, chart, place, ['type', 'series', 'axis_config']);
  const axes = record(chart.axis_config);
  checkFields(report, axes, `${place}/axis_config`, ['categories', 'x_label', 'y_label']);
  const { categories } = axes;
  if (!Array.isArray(categories)) return report.add(place, 'missing required field: axis_config.categories');
  if (categories.length > LIMITS.chartCategories.max) {
    report.add(`${place}/axis_config/categories`, `no more than ${LIMITS.chartCategories.max} items allowed`);
  }
  const names = new Set<unknown>();
  for (const { item, place: at } of checkList(report, chart, 'series', place, LIMITS.chartSeries)) {
    checkFields(report, item, at, ['name', 'data']);
    checkString(report, item, 'name', at, LIMITS.chartTitle, true);
    if (names.has(item.name)) report.add(at, `series name already exists: ${String(item.name)}`);
    names.add(item.name);
    const points = checkList(report, item, 'data', at, LIMITS.chartCategories);
    for (const point of points) checkPoint(report, point.item, point.place);
    const labels = points.map((point) => point.item.label);
    if (labels.length !== categories.length || labels.some((label) => !categories.includes(label))) {
      report.add(`${at}/data`, 'must have one point for each category');
    }
  }
}

function checkPoint(report: Report, point: Json, pointer: string) {
  checkFields(report, point, pointer, ['label', 'value']);
  checkString(report, point, 'label', pointer, LIMITS.chartTitle, true);
  if (typeof point.value !== 'number' || !Number.isFinite(point.value))
    report.add(`${pointer}/value`, 'must be a number');
}
