import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BOT_ROWS } from './bot-rows.ts';
import { type TestResult, uncoveredRows } from './check-coverage.ts';
import { NOT_SHOWN } from './not-shown.ts';
import { SANDBOX_ROWS } from './sandbox-rows.ts';

const row = { row: 'a row', file: 'test/a.test.ts', title: 'a thing > does %s for $who' };
const result = (title: string, state: TestResult['state'], file = 'test/a.test.ts'): TestResult => ({
  file,
  title,
  state,
});

describe('a row of the specification', () => {
  it.each([
    ['is proved by its test', [result('a thing > does this for people', 'passed')], []],
    [
      'needs every test of a table',
      [result('a thing > does 1 for x', 'passed'), result('a thing > does 2 for x', 'failed')],
      ['failed'],
    ],
    ['is not proved by a test that was skipped', [result('a thing > does 1 for x', 'skipped')], ['was not run']],
    ['is not proved by a test that has another name', [result('a thing > does 1 to x', 'passed')], ['is missing']],
    [
      'is not proved by a test whose title only contains its name',
      [result('a thing > does 1 for x', 'passed', 'test/b.test.ts'), result('not a thing > does 1 for x', 'passed')],
      ['is missing'],
    ],
    ['is not looked at where its file was not run', [result('another', 'passed', 'test/b.test.ts')], []],
  ])('%s', (_what, results, complaints) => {
    const uncovered = uncoveredRows([row], results);

    expect(uncovered).toHaveLength(complaints.length);
    for (const [index, complaint] of complaints.entries()) expect(uncovered[index]).toContain(complaint);
  });

  it('is named once in each table', () => {
    for (const table of [BOT_ROWS, SANDBOX_ROWS]) {
      const names = table.map(({ row: name }) => name);
      expect(new Set(names).size).toBe(names.length);
    }
  });
});

describe('each gap of the specification', () => {
  it.each(NOT_SHOWN.map(({ row: gap, file, assumptions }) => [gap, file, assumptions] as const))(
    '%s: is filled by assumptions that are named in %s',
    (_row, file, assumptions) => {
      const source = readFileSync(file, 'utf8');

      for (const name of assumptions) expect(source).toMatch(new RegExp(`^  ${name}: `, 'm'));
    },
  );
});
