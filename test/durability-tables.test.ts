import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const text = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8');
const section = text.slice(text.indexOf('## What an answer of 200 means'), text.indexOf('## When Redis is full'));
/** The rows of its tables, without headers and separators. */
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('|') && !line.startsWith('|--') && !line.includes('proved by |'))
  .map((line) => ({ line: line.slice(0, 60), proof: line.split('|').at(-2) ?? '' }));

it('finds the rows of the tables about data loss in Redis', () => {
  expect(rows.length).toBeGreaterThan(7);
});

it.each(rows)('the row $line names tests that run', ({ proof }) => {
  const [, file = '', titles = ''] = /^ `(test\/[^`]+)` (“.+”)(?: \(needs `\w+`\))? $/.exec(proof) ?? [];
  const test = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

  for (const title of titles.slice(1, -1).split('” and “')) {
    // The title may be on a separate line after a condition: `it.runIf(canDoSo)(`.
    const begins = [...test.matchAll(/\bit(\.\w+)?\((?:\w+\)\()?\s*'([^'\n]*)'/g)].filter(([, , own]) =>
      own?.includes(title),
    );
    expect(begins, `“${title}” is a test of ${file}`).toHaveLength(1);
    expect(begins[0]?.[1] ?? '', 'it is not skipped').not.toMatch(/skip|todo|fails/);
  }
});
