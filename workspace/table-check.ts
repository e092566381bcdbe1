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
  checkWord(report, cell, 'type', pointer, ['raw_text', 'raw_number', 'rich_text'], true);
  if (cell.type === 'raw_number' && typeof cell.value !== 'number')
    report.add(pointer, 'missing required field: value');
  if (cell.type === 'raw_text' || cell.type === 'raw_number') {
    if (typeof cell.text !== 'string') report.add(pointer, 'missing required field: text');
    else checkLength(report, cell.text, `${pointer}/text`, LIMITS.tableCharacters);
  }
  return cellText(cell);
}

function checkRows(report: Report, block: Json, pointer: string, least: number, most: typeof LIMITS.tableRows): number {
  const rows = block.rows;
  if (!Array.isArray(rows)) {
    report.add(pointer, 'missing required field: rows');
    return 0;
  }
  if (rows.length < least) report.add(`${pointer}/rows`, `no less than ${least} items allowed`);
  if (rows.length > most.max) report.add(`${pointer}/rows`, `no more than ${most.max} items allowed`);
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
  return checkRows(report, block, pointer, 1, LIMITS.tableRows);
}

/** A data table block. Returns its characters, which count over all tables of a message. */
export function checkDataTable(report: Report, block: Json, pointer: string): number {
  checkString(report, block, 'caption', pointer, LIMITS.sectionText, true);
  const size = block.page_size;
  if (size !== undefined && (!Number.isInteger(size) || Number(size) < 1 || Number(size) > LIMITS.dataTablePage.max)) {
    report.add(`${pointer}/page_size`, `must be from 1 to ${LIMITS.dataTablePage.max}`);
  }
  return checkRows(report, block, pointer, 2, LIMITS.dataTableRows);
}

/** A data visualization block: a pie of segments, or series over shared categories. */
export function checkChart(report: Report, block: Json, pointer: string) {
  checkString(report, block, 'title', pointer, LIMITS.chartTitle, true);
  const chart = record(block.chart);
  const place = `${pointer}/chart`;
  checkWord(report, chart, 'type', place, ['pie', 'bar', 'area', 'line'], true);
  if (chart.type === 'pie') {
    for (const { item, place: at } of checkList(report, chart, 'segments', place, LIMITS.chartSeries))
      checkPoint(report, item, at);
    return;
  }
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
