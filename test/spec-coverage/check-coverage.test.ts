import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { longSuites } from '../long-suites.ts';
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
    ['is proven by its test', [result('a thing > does this for people', 'passed')], []],
    [
      'needs every test of a table',
      [result('a thing > does 1 for x', 'passed'), result('a thing > does 2 for x', 'failed')],
      ['failed'],
    ],
    ['is not proven by a skipped test', [result('a thing > does 1 for x', 'skipped')], ['was not run']],
    ['is not proven by a test with another name', [result('a thing > does 1 to x', 'passed')], ['is missing']],
    [
      'is not proven by a test whose title only contains the name',
      [result('a thing > does 1 for x', 'passed', 'test/b.test.ts'), result('not a thing > does 1 for x', 'passed')],
      ['is missing'],
    ],
    ['is not checked if its file was not run', [result('another', 'passed', 'test/b.test.ts')], []],
  ])('%s', (_what, results, complaints) => {
    const uncovered = uncoveredRows([row], results);

    expect(uncovered).toHaveLength(complaints.length);
    for (const [index, complaint] of complaints.entries()) expect(uncovered[index]).toContain(complaint);
  });

  it('names an existing file, because no run has results for a missing one', () => {
    for (const { row: name, file } of [...BOT_ROWS, ...SANDBOX_ROWS]) expect(existsSync(file), name).toBe(true);
  });

  it('names no long suite, because `npm test` has no results for it', () => {
    const files = new Set([...BOT_ROWS, ...SANDBOX_ROWS].map(({ file }) => file));
    for (const suite of longSuites) {
      expect(files).not.toContain(suite);
      expect(existsSync(suite), suite).toBe(true);
    }
  });

  it('occurs once in each table', () => {
    for (const table of [BOT_ROWS, SANDBOX_ROWS]) {
      const names = table.map(({ row: name }) => name);
      expect(new Set(names).size).toBe(names.length);
    }
  });
});

/** Every statement of the specification by number (section, subsection, position): covered, not ours, or not shown. */
const Outcome = z.union([
  z.strictObject({ number: z.string(), text: z.string(), by: z.array(z.string()).min(1) }),
  z.strictObject({ number: z.string(), text: z.string(), notOurs: z.string().min(5) }),
  z.strictObject({ number: z.string(), text: z.string(), notShown: z.string() }),
]);
const specification = z
  .array(Outcome)
  .parse(JSON.parse(readFileSync('test/spec-coverage/specification-rows.json', 'utf8')));

describe('the rows of the specification, by number', () => {
  it('are complete and unique', () => {
    expect(specification).toHaveLength(225);
    expect(new Set(specification.map(({ number }) => number)).size).toBe(225);
  });

  it('are covered by rows with a test, or by gaps with assumptions', () => {
    const proved = new Set([...BOT_ROWS, ...SANDBOX_ROWS].map(({ row: name }) => name));
    const gaps = new Set(NOT_SHOWN.map(({ row: gap }) => gap));
    for (const outcome of specification) {
      if ('by' in outcome) for (const name of outcome.by) expect(proved, outcome.number).toContain(name);
      if ('notShown' in outcome) expect(gaps, outcome.number).toContain(outcome.notShown);
    }
  });

  it('are not gaps unless the specification says “not shown”', () => {
    const shown = specification.filter(({ text }) => !/\bnot shown\b/.test(text));
    for (const outcome of shown) expect('notShown' in outcome, outcome.number).toBe(false);
  });
});

describe('each gap of the specification', () => {
  it.each(NOT_SHOWN.map(({ row: gap, file, assumptions }) => [gap, file, assumptions] as const))(
    '%s: is filled by assumptions listed in %s',
    (_row, file, assumptions) => {
      const source = readFileSync(file, 'utf8');

      for (const name of assumptions) expect(source).toMatch(new RegExp(`^  ${name}: `, 'm'));
    },
  );
});
