import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'cardbell-coverage-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
const title = 'a hold > is released after %s';
const proof = "it.each([5, 7])('is released after %s', () => expect(1).toBe(1));";

/** Runs one test file per row, in a project with these rows as its coverage table. */
function run(tests: Readonly<Record<string, string>>, ...args: string[]) {
  rmSync(join(project, 'test'), { recursive: true, force: true });
  mkdirSync(join(project, 'test'));
  const rows = Object.keys(tests).map((row, index) => ({ row, file: `test/${index}.test.ts`, title }));
  writeFileSync(
    join(project, 'vitest.config.ts'),
    `import { specCoverage } from ${JSON.stringify(join(import.meta.dirname, 'coverage-reporter.ts'))};
export default { test: { reporters: ['default', specCoverage(${JSON.stringify(rows)})] } };`,
  );
  for (const { row, file } of rows) {
    writeFileSync(
      join(project, file),
      `import { describe, expect, it } from 'vitest';
describe('a hold', () => {it('another', () => expect(1).toBe(1)); ${tests[row]}});`,
    );
  }
  // `--allowOnly` lets `.only` skip tests in CI too.
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { status, stderr } = spawnSync(process.execPath, [vitest, 'run', '--allowOnly', ...args], {
    cwd: project,
    encoding: 'utf8',
  });
  return { status, stderr, of: (row: string) => stderr.split('\n').filter((line) => line.includes(`“${row}”`)) };
}

describe('a run whose tests', () => {
  it('prove every row passes', () => {
    const { status, stderr } = run({ 'a hold is released': proof });

    expect(status).toBe(0);
    expect(stderr).not.toContain('not proved');
  });

  const lacking = [
    ['skip one', proof.replace('it.each', 'it.skip.each'), 'was not run'],
    [
      'skip a complete group',
      `describe.skip('', () => {}); it.skip.each([5, 7])('is released after %s', () => {});`,
      'was not run',
    ],
    ['run only others', `it.only('is new', () => {}); ${proof}`, 'was not run'],
    ['lack one', '', 'is missing'],
    ['have one renamed', proof.replace('released', 'freed'), 'is missing'],
    ['only have one as a todo', "it.todo('is released after 5');", 'was not run'],
  ] as const;
  // One run for all of them, because startup takes most of the time.
  let all: ReturnType<typeof run> | undefined;

  it.each(lacking)('%s fails although no test failed, and names the row', (row, _tests, what) => {
    all ??= run(Object.fromEntries(lacking));

    expect(all.status).toBe(1);
    expect(all.stderr, 'a test failed').not.toContain('FAIL');
    expect(all.of(row)).toEqual([expect.stringMatching(`“${row}” is not proved.* ${what}`)]);
  });

  it('fail fails, and names the row', () => {
    const { status, stderr } = run({ 'a hold is released': proof.replace('toBe(1)', 'toBe(2)') });

    expect(status).toBe(1);
    expect(stderr).toContain('“a hold is released” is not proved: the test “a hold > is released after 5”');
  });

  it('are filtered by name is not checked', () => {
    const { status, stderr } = run({ 'a hold is released': proof }, '-t', 'another');

    expect(status).toBe(0);
    expect(stderr).not.toContain('not proved');
  });
});
