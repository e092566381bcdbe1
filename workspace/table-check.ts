import { checkLength, checkList, checkString, checkWord, type Report } from './check-report.ts';
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

function checkCell(report: Report, cell: unknown, pointer: string): number {
  if (!isRecord(cell)) {
    report.add(pointer, 'must provide an object');
    return 0;
  }
  checkWord(report, cell, 'type', pointer, ['raw_text', 'rich_text'], true);
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
    for (const { item: part, place: at } of checkList(report, item, 'elements', place, LIMITS.text)) {
      checkWord(report, part, 'type', at, ['text', 'user'], true);
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
  if (rows.length > LIMITS.tableRows.max)
    report.add(`${pointer}/rows`, `no more than ${LIMITS.tableRows.max} items allowed`);
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

/** A table block. Returns its characters, which count over all tables of a message. */
export function checkTable(report: Report, block: Json, pointer: string): number {
  checkList(report, block, 'column_settings', pointer, LIMITS.tableCells, 0);
  return checkRows(report, block, pointer);
}

/** A data visualization block: series of bars over shared categories. */
export function checkChart(report: Report, block: Json, pointer: string) {
  checkString(report, block, 'title', pointer, LIMITS.chartTitle, true);
  const chart = record(block.chart);
  const place = `${pointer}/chart`;
  checkWord(report, chart, 'type', place, ['bar'], true);
  const categories = record(chart.axis_config).categories;
  if (!Array.isArray(categories)) return report.add(place, 'missing required field: axis_config.categories');
  if (categories.length > LIMITS.chartCategories.max) {
    report.add(`${place}/axis_config/categories`, `no more than ${LIMITS.chartCategories.max} items allowed`);
  }
  const names = new Set<unknown>();
  for (const { item, place: at } of checkList(report, chart, 'series', place, LIMITS.chartSeries)) {
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
  checkString(report, point, 'label', pointer, LIMITS.chartTitle, true);
  if (typeof point.value !== 'number' || !Number.isFinite(point.value))
    report.add(`${pointer}/value`, 'must be a number');
}
