import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const text = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8');
const section = text.slice(text.indexOf('## What an answer of 200 means'), text.indexOf('## When Redis is full'));
/** The rows of its tables, without heads and lines. */
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('|') && !line.startsWith('|--') && !line.includes('proved by |'))
  .map((line) => ({ line: line.slice(0, 60), proof: line.split('|').at(-2) ?? '' }));

it('the tables of what Redis can lose have rows', () => {
  expect(rows.length).toBeGreaterThan(7);
});

it.each(rows)('$line names a test that runs', ({ proof }) => {
  const [, file = '', title = ''] = /^ `(test\/[^`]+)` “([^”]+)” $/.exec(proof) ?? [];
  const test = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  const begins = test.split('\n').filter((line) => line.includes(title) && /\bit(?:\.\w+)?\(/.test(line));

  expect(begins, `“${title}” is a test of ${file}`).toHaveLength(1);
  expect(begins[0], 'it is not skipped').not.toMatch(/\.(?:skip|todo|fails)/);
});
