import { isRecord, type Json } from './json.ts';
import type { Limit } from './limits.ts';

/** Collects the errors of one payload in Slack's words, each with a JSON pointer to its place. */
export interface Report {
  readonly problems: readonly string[];
  add(pointer: string, reason: string): void;
}

/** An empty report. */
export function createReport(): Report {
  const problems: string[] = [];
  return { problems, add: (pointer, reason) => void problems.push(`${reason} [json-pointer:${pointer}]`) };
}

/** A text field of an object: present if required, a string, not empty, within the limit. */
export function checkString(
  report: Report,
  owner: Json,
  field: string,
  pointer: string,
  limit: Limit,
  required = false,
) {
  const value = owner[field];
  if (value === undefined || value === null) {
    if (required) report.add(pointer, `missing required field: ${field}`);
    return;
  }
  if (typeof value !== 'string') return report.add(`${pointer}/${field}`, 'must provide a string');
  checkLength(report, value, `${pointer}/${field}`, limit, required ? 1 : 0);
}

/** A text's length against its limit. */
export function checkLength(report: Report, value: string, pointer: string, limit: Limit, min = 1) {
  if (value.length < min) report.add(pointer, `must be more than ${min - 1} characters`);
  if (value.length > limit.max) report.add(pointer, `must be less than ${limit.max + 1} characters`);
}

/** A list's length against its limit. Returns its objects with their pointers. */
export function checkList(report: Report, owner: Json, field: string, pointer: string, limit: Limit, min = 1) {
  const value = owner[field];
  if (value === undefined || value === null) {
    if (min > 0) report.add(pointer, `missing required field: ${field}`);
    return [];
  }
  const place = `${pointer}/${field}`;
  if (!Array.isArray(value)) {
    report.add(place, 'must provide an array');
    return [];
  }
  if (value.length < min) report.add(place, `no less than ${min} items allowed`);
  if (value.length > limit.max) report.add(place, `no more than ${limit.max} items allowed`);
  return value.flatMap((item, index) => {
    if (isRecord(item)) return [{ item, place: `${place}/${index}` }];
    report.add(`${place}/${index}`, 'must provide an object');
    return [];
  });
}

/** A field that takes one of a few words. */
export function checkWord(
  report: Report,
  owner: Json,
  field: string,
  pointer: string,
  words: readonly string[],
  required = false,
) {
  const value = owner[field];
  if (value === undefined || value === null) {
    if (required) report.add(pointer, `missing required field: ${field}`);
    return;
  }
  if (typeof value !== 'string' || !words.includes(value)) {
    report.add(`${pointer}/${field}`, `must be one of: ${words.join(', ')}`);
  }
}

/** A boolean field. */
export function checkBoolean(report: Report, owner: Json, field: string, pointer: string) {
  const value = owner[field];
  if (value !== undefined && typeof value !== 'boolean') report.add(`${pointer}/${field}`, 'must be a boolean');
}

/** A URL field, http or https only. */
export function checkUrl(report: Report, owner: Json, field: string, pointer: string, limit: Limit, required = false) {
  checkString(report, owner, field, pointer, limit, required);
  const value = owner[field];
  if (typeof value === 'string' && !/^https?:\/\/\S+$/.test(value))
    report.add(`${pointer}/${field}`, 'must be a valid URL');
}

/** Rejects unknown fields, like Slack does: a misspelled field is an error. */
export function checkFields(report: Report, owner: Json, pointer: string, known: readonly string[]) {
  for (const field of Object.keys(owner)) {
    if (!known.includes(field))
      report.add(pointer, `no more than ${known.length} fields allowed, unknown field: ${field}`);
  }
}
